/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"
#include "tests/unit/desk_crew.h"

#define JOB                                                                    \
	"name: heat\napp: generic\ncommand: [md]\n"                            \
	"ranks: {initial: 2, max: 4}\ncheckpoint: {dir: ck}\n"                 \
	"generic: {files: ['*'], progress: '^step ([0-9]+)'}\n"

static struct driver *driver;

/* Those 30 s pass; false: they are not waited for. */
static bool pass(void)
{
	struct loop_timer *timer = &driver->match.timer;

	if (!loop_timer_is_set(timer))
		return false;
	loop_timer_clear(timer);
	timer->fn(driver);
	driver_settle(driver);
	return true;
}

static void says(unsigned rank, const char *text)
{
	char name[] = "w0";

	name[1] = (char)('0' + rank);
	prints_text(name, 10 + rank, driver->job.epoch, rank, text);
}

/* The first notice; "": there is none. */
static const char *told(void)
{
	const struct history *history = driver->history;

	return history->n_notices ? history->notices[0].text : "";
}

static void begin(struct desk *at)
{
	driver = at->c->driver;
	starts(at, 2);
	CHECK(driver->job.state == JOB_RUNNING);
}

static void matches_nothing(struct desk *at, void *user)
{
	begin(at);
	says(0, " step 1\n step 2\n");
	says(1, "step 3\n");
	CHECK_TEXT(told(), "");
	CHECK(pass());
	CHECK_TEXT(told(), "no line has matched generic.progress, '^step "
			   "([0-9]+)', after 30 s: it was searched for in 2 "
			   "lines of rank 0");
	CHECK(!pass() && driver->history->n_notices == 1);
}

static void a_pattern_that_matches_nothing_is_told_once(void)
{
	CHECK(desk_run(JOB, matches_nothing, NULL));
}

static void prints_nothing(struct desk *at, void *user)
{
	begin(at);
	driver_hold_back(driver, true);
	CHECK(pass());
	CHECK_TEXT(told(), "");
	driver_hold_back(driver, false);
	CHECK(pass());
	CHECK(strstr(told(), "after 30 s: rank 0 has printed no whole line; "));
}

static void what_is_not_read_is_not_judged_and_no_line_is_said_so(void)
{
	CHECK(desk_run(JOB, prints_nothing, NULL));
}

static void matches(struct desk *at, void *user)
{
	begin(at);
	says(0, "step 1\n");
	CHECK(pass());
	CHECK_TEXT(told(), "");
	CHECK(!pass());
}

static void a_pattern_that_matches_is_not_told(void)
{
	CHECK(desk_run(JOB, matches, NULL));
}

RUN_TESTS(TEST(a_pattern_that_matches_nothing_is_told_once),
	  TEST(what_is_not_read_is_not_judged_and_no_line_is_said_so),
	  TEST(a_pattern_that_matches_is_not_told))
