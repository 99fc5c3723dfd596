/* SPDX-License-Identifier: Apache-2.0 */
#include "prometheus/prometheus.h"
#include "tests/unit/http_room.h"
#include "tests/unit/run_loop.h"

#include <errno.h>
#include <sys/stat.h>

static struct loop *loop;
static struct {
	unsigned answers;
	double value;
	char why[600];
} got;

static void on_answer(void *user, double value, const char *why)
{
	got.answers++;
	got.value = value;
	snprintf(got.why, sizeof(got.why), "%s", why ? why : "");
	loop_stop(user, 0);
}

/* 0; -errno with got.why if nothing is asked. */
static int ask(const struct prometheus_config *what)
{
	CLEANUP(prometheus_destroy) struct prometheus *prometheus = NULL;
	struct prometheus_config config = *what;
	struct error err;
	int r;

	memset(&got, 0, sizeof(got));
	config.loop = loop;
	config.answered = on_answer;
	config.user = loop;
	if (config.patience == 0)
		config.patience = SECONDS(10);
	r = prometheus_create(&prometheus, &config, &err);
	if (r == 0)
		r = prometheus_ask(prometheus, &err);
	if (r < 0) {
		snprintf(got.why, sizeof(got.why), "%s", err.text);
		return r;
	}
	return run_loop(loop, SECONDS(20));
}

static const char *file(const char *name, const char *text, mode_t mode)
{
	static char path[128];
	CLEANUP(fclose) FILE *f = NULL;

	snprintf(path, sizeof(path), "%s/%s", room_folder, name);
	unlink(path);
	f = fopen(path, "we");
	if (f)
		fputs(text, f);
	chmod(path, mode);
	return path;
}

static void the_query_arrives_as_it_is_written(void)
{
	struct prometheus_config config = {
		.server = room_url("plain", "/prometheus/plain//"),
		.query = "12.5"};

	CHECK(ask(&config) == 0);
	CHECK(got.value == 12.5);
	CHECK_TEXT(got.why, "");
	config.query = "a{b=\"c+d&e#f\"} ä%";
	CHECK(ask(&config) == 0);
	CHECK_TEXT(got.why,
		   "the value 'a{b=\"c+d&e#f\"} ä%' is not a finite number");
	CHECK(got.answers == 1);
}

static void an_authority_and_a_token_come_from_files(void)
{
	char ca[128];
	struct prometheus_config config = {
		.server = room_url("tls", "/prometheus/secret"), .query = "7"};

	snprintf(ca, sizeof(ca), "%s/ca.pem", room_folder);
	CHECK(ask(&config) == 0);
	CHECK(strstr(got.why, "its certificate is not believed"));
	config.ca_file = ca;
	CHECK(ask(&config) == 0);
	CHECK_TEXT(got.why, "the server answers 401");
	config.token_file = file("token", "s3cret\n", 0600);
	CHECK(ask(&config) == 0);
	CHECK_TEXT(got.why, "");
	CHECK(got.value == 7);
}

static void a_file_that_will_not_do_is_named_and_nothing_is_asked(void)
{
	struct prometheus_config config = {
		.server = room_url("plain", "/prometheus/plain"), .query = "7"};

	config.token_file = "/nowhere/token";
	CHECK(ask(&config) == -ENOENT);
	CHECK_TEXT(got.why, "/nowhere/token: No such file or directory");
	config.token_file = file("open", "s3cret\n", 0644);
	CHECK(ask(&config) == -EPERM);
	CHECK(strstr(got.why, "others can read it (mode 0644)"));
	config.token_file = file("blank", "s3 cret\n", 0600);
	CHECK(ask(&config) == -EINVAL);
	CHECK(strstr(got.why, "a token is one line of 1 to 16384 printable "
			      "characters without blanks"));
	CHECK(!strstr(got.why, "cret"));
	config.token_file = file("empty", "\n", 0600);
	CHECK(ask(&config) == -EINVAL);
	config.token_file = NULL;
	config.ca_file = file("ca", "no certificate", 0644);
	CHECK(ask(&config) == -EINVAL);
	config.ca_file = NULL;
	config.server = "ftp://127.0.0.1";
	CHECK(ask(&config) == -EINVAL);
}

static void a_server_that_is_away_or_hangs_or_says_too_much_has_no_value(void)
{
	struct prometheus_config config = {.query = "7"};

	config.server = "http://127.0.0.1:1";
	CHECK(ask(&config) == 0);
	CHECK_TEXT(got.why,
		   "127.0.0.1 port 1: cannot connect: Connection refused");
	config.server = room_url("plain", "/prometheus/hang");
	config.patience = 100;
	CHECK(ask(&config) == 0);
	CHECK(strstr(got.why, ": no whole answer within 100 ms"));
	config.patience = SECONDS(10);
	config.server = room_url("plain", "/prometheus/large");
	CHECK(ask(&config) == 0);
	CHECK(strstr(got.why, ": its answer is larger than 65536 bytes"));
	config.server = room_url("plain", "/redirect");
	CHECK(ask(&config) == 0);
	CHECK_TEXT(got.why, "the server answers 302");
}

static void begin_and_destroy(void)
{
	CLEANUP(prometheus_destroy) struct prometheus *prometheus = NULL;
	const struct prometheus_config config = {
		.loop = loop,
		.server = room_url("plain", "/prometheus/hang"),
		.query = "7",
		.patience = 100,
		.answered = on_answer,
		.user = loop};
	struct error err;

	if (prometheus_create(&prometheus, &config, &err) == 0)
		prometheus_ask(prometheus, &err);
}

static void nothing_is_heard_of_a_question_that_is_given_up(void)
{
	memset(&got, 0, sizeof(got));
	begin_and_destroy();
	CHECK(run_loop(loop, 300) == -1);
	CHECK(got.answers == 0);
}

static const struct test tests[] = {
	TEST(the_query_arrives_as_it_is_written),
	TEST(an_authority_and_a_token_come_from_files),
	TEST(a_file_that_will_not_do_is_named_and_nothing_is_asked),
	TEST(a_server_that_is_away_or_hangs_or_says_too_much_has_no_value),
	TEST(nothing_is_heard_of_a_question_that_is_given_up),
};

int main(void)
{
	struct error err;
	int r = 1;

	if (room_begin() && loop_create(&loop, &err) == 0)
		r = run_tests(tests, sizeof(tests) / sizeof(tests[0]));
	loop = loop_destroy(loop);
	room_end();
	return r;
}
