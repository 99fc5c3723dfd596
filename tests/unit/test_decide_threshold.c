/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "monitor/decide_threshold.h"
#include "tests/unit/http_room.h"
#include "tests/unit/run_loop.h"

/*
 * A job on 2 ranks, and a server that answers a query with its own text
 */

#define JOB                                                                    \
	"name: heat\n"                                                         \
	"app: generic\n"                                                       \
	"command: [md]\n"                                                      \
	"checkpoint: {dir: ckpt}\n"                                            \
	"generic: {files: ['*'], proof: none, ranks: [2, 4]}\n"                \
	"ranks: {initial: 2, min: 1, max: 6}\n"                                \
	"scale: {policy: threshold, above: 10, below: 2, for: 0s, "

static struct loop *loop;
static struct decide_threshold decide;
static struct jobfile *file;
static Bellows__V1__Job job;
static struct threshold_choice choice;
static unsigned looks, enough;
static char reason[256], logged[4096];

static void on_line(const char *line, size_t n)
{
	size_t at = strlen(logged);

	snprintf(logged + at, sizeof(logged) - at, "%.*s", (int)n, line);
}

static unsigned count(const char *word)
{
	unsigned n = 0;

	for (const char *at = logged; (at = strstr(at, word)); at++)
		n++;
	return n;
}

static void on_look(void *user)
{
	choice = decide_threshold_choose(&decide, loop_now(), reason,
					 sizeof(reason));
	if (++looks == enough)
		loop_stop(user, 0);
}

static bool begin(const char *server, const char *query)
{
	char text[1024];
	struct error err;

	decide_threshold_fini(&decide);
	file = jobfile_destroy(file);
	snprintf(text, sizeof(text), JOB "query: '%s', prometheus: '%s'}\n",
		 query, server);
	if (jobfile_parse(&file, "t.yaml", text, strlen(text), "/", &err) < 0 ||
	    decide_threshold_init(&decide, loop, file, on_look, loop, &err) < 0)
		return false;
	decide.every = 1; /* in place of a second, at least */
	logged[0] = '\0';
	log_through(on_line);
	job = (Bellows__V1__Job)BELLOWS__V1__JOB__INIT;
	job.state = BELLOWS__V1__STATE__RUNNING;
	job.size = job.target = job.want = 2;
	return true;
}

static bool look(unsigned n)
{
	looks = 0;
	enough = n;
	decide_threshold_on_job(&decide, &job);
	decide_threshold_choose(&decide, loop_now(), reason, sizeof(reason));
	return run_loop(loop, SECONDS(20)) == 0;
}

static void a_size_is_asked_for_with_the_value_as_the_reason(void)
{
	CHECK(begin(room_url("plain", "/prometheus/plain"), "12.5"));
	CHECK(look(1));
	CHECK(choice.ranks == 4);
	CHECK_TEXT(reason, "threshold: 2 -> 4: the query is 12.5, above 10");
	CHECK(look(3));
	CHECK(count("the query has a value: 12.5") == 1);
	CHECK(count("the query") == 1);
}

static void a_job_that_changes_its_size_is_left_alone(void)
{
	CHECK(begin(room_url("plain", "/prometheus/plain"), "12.5"));
	job.target = 4;
	CHECK(look(2));
	CHECK(choice.ranks == 0 && choice.reason == THRESHOLD_STAYS);
}

static void that_it_stays_at_a_size_is_logged_once(void)
{
	CHECK(begin(room_url("plain", "/prometheus/plain"), "1"));
	CHECK(look(3));
	CHECK(choice.ranks == 0);
	CHECK(count("size=2 stays: the query is 1, below 2, and 2 ranks are "
		    "the fewest") == 1);
	CHECK(count("stays") == 1);
}

static void that_there_is_no_value_is_logged_once(void)
{
	CHECK(begin("http://127.0.0.1:1", "7"));
	CHECK(look(3));
	CHECK(choice.ranks == 0);
	CHECK(count("the query has no value, so the size stays: 127.0.0.1 port "
		    "1: cannot connect: Connection refused") == 1);
	CHECK(count("the query") == 1);
}

static void nothing_is_looked_at_after_the_end(void)
{
	CHECK(begin(room_url("plain", "/prometheus/plain"), "12.5"));
	CHECK(look(1));
	decide_threshold_stop(&decide);
	looks = 0;
	CHECK(run_loop(loop, 100) == -1 && looks == 0);
}

static const struct test tests[] = {
	TEST(a_size_is_asked_for_with_the_value_as_the_reason),
	TEST(a_job_that_changes_its_size_is_left_alone),
	TEST(that_it_stays_at_a_size_is_logged_once),
	TEST(that_there_is_no_value_is_logged_once),
	TEST(nothing_is_looked_at_after_the_end),
};

int main(void)
{
	struct error err;
	int r = 1;

	if (room_begin() && loop_create(&loop, &err) == 0)
		r = run_tests(tests, sizeof(tests) / sizeof(tests[0]));
	decide_threshold_fini(&decide);
	file = jobfile_destroy(file);
	loop = loop_destroy(loop);
	room_end();
	return r;
}
