/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "metrics/listen.h"
#include "metrics/print.h"
#include "tests/check.h"

#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

/* ---- the format ---- */

static char *text;
static size_t n_text;

static FILE *sheet(void)
{
	free(text);
	text = NULL;
	return open_memstream(&text, &n_text);
}

static void a_family_has_its_help_and_type_before_its_values(void)
{
	FILE *to = sheet();

	metrics_begin(to, "a_ranks", METRICS_GAUGE, "Ranks.");
	metrics_put(to, "a_ranks", 4, NULL);
	metrics_begin(to, "a_total", METRICS_COUNTER, "All.");
	metrics_put(to, "a_total", 0.25, "kind", "x", "of", "y", NULL);
	fclose(to);
	CHECK_TEXT(text, "# HELP a_ranks Ranks.\n"
			 "# TYPE a_ranks gauge\n"
			 "a_ranks 4\n"
			 "# HELP a_total All.\n"
			 "# TYPE a_total counter\n"
			 "a_total{kind=\"x\",of=\"y\"} 0.25\n");
}

static void values_of_labels_are_escaped(void)
{
	FILE *to = sheet();

	metrics_put(to, "a", 1, "b", "\"c\\\n", NULL);
	fclose(to);
	CHECK_TEXT(text, "a{b=\"\\\"c\\\\\\n\"} 1\n");
}

static void no_figure_is_rounded_or_unreadable(void)
{
	FILE *to = sheet();

	metrics_put(to, "a", 123456789012345, NULL);
	metrics_put(to, "a", NAN, NULL);
	metrics_put(to, "a", INFINITY, NULL);
	metrics_put(to, "a", -INFINITY, NULL);
	fclose(to);
	CHECK_TEXT(text, "a 123456789012345\na NaN\na +Inf\na -Inf\n");
}

static void a_state_is_one_of_its_names(void)
{
	static const char *const names[] = {"on", "off"};
	FILE *to = sheet();

	metrics_put_state(to, "a", "is", names, 2, 1);
	fclose(to);
	CHECK_TEXT(text, "a{is=\"on\"} 0\na{is=\"off\"} 1\n");
}

/* ---- the listener ---- */

static struct loop *loop;
static struct metrics *metrics;

struct caller {
	int fd;
	struct loop_fd *watch;
	char said[4096];
	size_t n;
};

static void print(void *user, FILE *to)
{
	metrics_begin(to, "a", METRICS_GAUGE, "A.");
	metrics_put(to, "a", 7, NULL);
}

static void begin(void)
{
	CHECK(loop_create(&loop, NULL) == 0);
	CHECK(metrics_create(&metrics, loop, "127.0.0.1:0", print, NULL,
			     NULL) == 0);
}

static void end(void)
{
	metrics = metrics_destroy(metrics);
	loop = loop_destroy(loop);
}

static void on_time(void *user)
{
	loop_stop(user, -ETIMEDOUT);
}

static void on_answer(void *user, uint32_t events)
{
	struct caller *caller = user;
	ssize_t n = read(caller->fd, caller->said + caller->n,
			 sizeof(caller->said) - 1 - caller->n);

	if (n > 0)
		caller->n += (size_t)n;
	else
		loop_stop(loop, 0);
}

static void call(struct caller *caller)
{
	char host[64];
	struct addrinfo *info;

	*caller = (struct caller){0};
	snprintf(host, sizeof(host), "%s", metrics_address(metrics));
	*strrchr(host, ':') = '\0';
	CHECK(getaddrinfo(host, strrchr(metrics_address(metrics), ':') + 1,
			  NULL, &info) == 0);
	caller->fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(connect(caller->fd, info->ai_addr, info->ai_addrlen) == 0);
	freeaddrinfo(info);
}

static void say(const struct caller *caller, const char *words)
{
	CHECK(send(caller->fd, words, strlen(words), MSG_NOSIGNAL) ==
	      (ssize_t)strlen(words));
}

/* Until the other side closes. */
static void hear(struct caller *caller)
{
	struct loop_timer timer = {0};

	loop_timer_set(loop, &timer, SECONDS(20), on_time, loop);
	CHECK(loop_fd_add(&caller->watch, loop, caller->fd, EPOLLIN, on_answer,
			  caller, NULL) == 0);
	CHECK(loop_run(loop) == 0);
	loop_timer_clear(&timer);
	loop_fd_remove(caller->watch);
	close(caller->fd);
}

static const char *answer_to(const char *request)
{
	static struct caller caller;

	call(&caller);
	say(&caller, request);
	hear(&caller);
	return caller.said;
}

#define LAST "Host: x\r\nConnection: close\r\n\r\n"

static void a_get_of_metrics_is_answered(void)
{
	const char *answer;

	begin();
	answer = answer_to("GET /metrics HTTP/1.1\r\n" LAST);
	CHECK(strncmp(answer, "HTTP/1.1 200 OK\r\n", 17) == 0);
	CHECK(strstr(answer, "Content-Type: text/plain; version=0.0.4") !=
	      NULL);
	CHECK_TEXT(strstr(answer, "\r\n\r\n") + 4,
		   "# HELP a A.\n# TYPE a gauge\na 7\n");
	answer = answer_to("HEAD /metrics HTTP/1.1\r\n" LAST);
	CHECK(strncmp(answer, "HTTP/1.1 200 OK\r\n", 17) == 0);
	CHECK_TEXT(strstr(answer, "\r\n\r\n"), "\r\n\r\n");
	end();
}

static void whatever_else_is_asked_for_is_refused(void)
{
	begin();
	CHECK(strstr(answer_to("GET / HTTP/1.1\r\n" LAST), " 404 ") != NULL);
	CHECK(strstr(answer_to("GET /metrics/../etc HTTP/1.1\r\n" LAST),
		     " 404 ") != NULL);
	CHECK(strstr(answer_to("DELETE /metrics HTTP/1.1\r\n" LAST), " 405 ") !=
	      NULL);
	CHECK(strstr(answer_to("POST /metrics HTTP/1.1\r\n"
			       "Content-Length: 5\r\n" LAST "hello"),
		     "Allow: GET, HEAD\r\n") != NULL);
	CHECK(strstr(answer_to("no http at all\r\n\r\n"), " 200 ") == NULL);
	end();
}

static void a_silent_caller_delays_no_other(void)
{
	struct caller silent[METRICS_CALLERS_MAX / 2], slow;

	begin();
	for (size_t i = 0; i < LENGTH(silent); i++)
		call(&silent[i]);
	call(&slow);
	say(&slow, "GET /met");
	CHECK(strstr(answer_to("GET /metrics HTTP/1.1\r\n" LAST), " 200 ") !=
	      NULL);
	say(&slow, "rics HTTP/1.1\r\n" LAST);
	hear(&slow);
	CHECK(strstr(slow.said, " 200 ") != NULL);
	for (size_t i = 0; i < LENGTH(silent); i++)
		close(silent[i].fd);
	end();
}

static void a_silent_caller_is_cut_off(void)
{
	struct caller silent;

	begin();
	call(&silent);
	hear(&silent);
	CHECK(silent.n == 0);
	end();
}

static void an_address_that_is_none_is_refused(void)
{
	static const char *const wrong[] = {
		"",          "7001",         ":7001",         "localhost:7001",
		"0.0.0.0:x", "[::1:7001",    "0.0.0.0:70010", "1.2.3:4:5",
		"0.0.0.0:",  "/run/metrics",
	};
	struct error err;
	char wanted[128];

	CHECK(loop_create(&loop, NULL) == 0);
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		snprintf(wanted, sizeof(wanted),
			 "'%s' is no address to listen on; as 0.0.0.0:7001 or "
			 "[::]:7001",
			 wrong[i]);
		CHECK(metrics_create(&metrics, loop, wrong[i], print, NULL,
				     &err) == -EINVAL);
		CHECK_TEXT(err.text, wanted);
	}
	loop = loop_destroy(loop);
}

static void a_port_that_is_taken_is_said(void)
{
	struct metrics *other;
	struct error err;
	char wanted[128];

	begin();
	snprintf(wanted, sizeof(wanted),
		 "cannot listen on %s: Address already in use",
		 metrics_address(metrics));
	CHECK(metrics_create(&other, loop, metrics_address(metrics), print,
			     NULL, &err) == -EADDRINUSE);
	CHECK_TEXT(err.text, wanted);
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_family_has_its_help_and_type_before_its_values),
		TEST(values_of_labels_are_escaped),
		TEST(no_figure_is_rounded_or_unreadable),
		TEST(a_state_is_one_of_its_names),
		TEST(a_get_of_metrics_is_answered),
		TEST(whatever_else_is_asked_for_is_refused),
		TEST(a_silent_caller_delays_no_other),
		TEST(a_silent_caller_is_cut_off),
		TEST(an_address_that_is_none_is_refused),
		TEST(a_port_that_is_taken_is_said),
	};
	int r = run_tests(tests, LENGTH(tests));

	free(text);
	return r;
}
