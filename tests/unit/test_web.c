/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "tests/check.h"
#include "web/web.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static struct loop *loop;
static struct web *web;

struct caller {
	int fd;
	struct loop_fd *watch;
	char said[4096];
	size_t n;
};

static void print(void *user, FILE *to)
{
	fputs("a 7\n", to);
}

static const struct web_page page = {"/metrics", "text/plain; version=0.0.4",
				     print, NULL};

static void begin(void)
{
	CHECK(loop_create(&loop, NULL) == 0);
	CHECK(web_create(&web, loop, "127.0.0.1:0", &page, NULL) == 0);
}

static void end(void)
{
	web = web_destroy(web);
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
	snprintf(host, sizeof(host), "%s", web_address(web));
	*strrchr(host, ':') = '\0';
	CHECK(getaddrinfo(host, strrchr(web_address(web), ':') + 1, NULL,
			  &info) == 0);
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

static void a_get_of_the_page_is_answered(void)
{
	const char *answer;

	begin();
	answer = answer_to("GET /metrics HTTP/1.1\r\n" LAST);
	CHECK(strncmp(answer, "HTTP/1.1 200 OK\r\n", 17) == 0);
	CHECK(strstr(answer, "Content-Type: text/plain; version=0.0.4") !=
	      NULL);
	CHECK_TEXT(strstr(answer, "\r\n\r\n") + 4, "a 7\n");
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
	struct caller silent[WEB_CALLERS_MAX / 2], slow;

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

static void a_caller_is_heard_although_others_hold_all_places(void)
{
	static struct caller silent[4 * WEB_CALLERS_MAX];

	begin();
	for (size_t i = 0; i < LENGTH(silent); i++) {
		call(&silent[i]);
		if (i % 16 == 15) /* fewer than the listener's backlog */
			CHECK(strstr(answer_to(
					     "GET /metrics HTTP/1.1\r\n" LAST),
				     " 200 ") != NULL);
	}
	hear(&silent[0]); /* the oldest was cut off */
	for (size_t i = 1; i < LENGTH(silent); i++)
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
		CHECK(web_create(&web, loop, wrong[i], &page, &err) == -EINVAL);
		CHECK_TEXT(err.text, wanted);
	}
	loop = loop_destroy(loop);
}

static void a_port_that_is_taken_is_said(void)
{
	struct web *other;
	struct error err;
	char wanted[128];

	begin();
	snprintf(wanted, sizeof(wanted),
		 "cannot listen on %s: Address already in use",
		 web_address(web));
	CHECK(web_create(&other, loop, web_address(web), &page, &err) ==
	      -EADDRINUSE);
	CHECK_TEXT(err.text, wanted);
	end();
}

RUN_TESTS(TEST(a_get_of_the_page_is_answered),
	  TEST(whatever_else_is_asked_for_is_refused),
	  TEST(a_silent_caller_delays_no_other),
	  TEST(a_caller_is_heard_although_others_hold_all_places),
	  TEST(a_silent_caller_is_cut_off),
	  TEST(an_address_that_is_none_is_refused),
	  TEST(a_port_that_is_taken_is_said))
