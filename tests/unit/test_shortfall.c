/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/shortfall.h"
#include "tests/check.h"
#include "tests/unit/job_at.h"

static char text[256];

static const char *of(const struct job *job, unsigned ready,
		      const char *trouble, const char *dropped)
{
	const struct shortfall_facts facts = {
		.job = job,
		.trouble = trouble,
		.dropped = dropped,
		.ready = ready,
		.wanted = 4,
		.now = 1000,
	};

	shortfall_describe(&facts, text, sizeof(text));
	return text;
}

static void a_job_of_the_size_that_is_wanted_has_none(void)
{
	struct job job = at(JOB_RUNNING);

	CHECK_TEXT(of(&job, 2, "", ""), "");
}

static void a_rescale_that_is_carried_out_needs_no_reason(void)
{
	static const enum job_state states[] = {JOB_PREPARING, JOB_SAVING,
						JOB_STOPPING, JOB_RESUMING};

	for (int i = 0; i < 4; i++) {
		struct job job = at(states[i]);

		CHECK_TEXT(of(&job, 4, "", ""), "");
	}
}

static void the_grant_is_named(void)
{
	struct job job = at(JOB_RUNNING);

	CHECK(feed(&job, JOB_EV_GRANT, 2));
	CHECK(feed(&job, JOB_EV_SCALE, 4));
	CHECK_TEXT(of(&job, 2, "", ""), "the grant is 2 ranks");
	CHECK(feed(&job, JOB_EV_GRANT, 1));
	CHECK_TEXT(of(&job, 2, "", ""), "the grant is 1 rank");
}

static void executors_that_are_missing_are_counted(void)
{
	struct job job = at(JOB_GROWING);

	CHECK_TEXT(of(&job, 3, "", ""), "3 of 4 executors are ready");
	CHECK_TEXT(of(&job, 3, "w3 cannot be scheduled: no cpu", ""),
		   "w3 cannot be scheduled: no cpu");
}

static void a_rescale_that_was_dropped_says_why_and_when_again(void)
{
	struct job job = at(JOB_PREPARING);

	CHECK(feed(&job, JOB_EV_UNPREPARED, 0));
	CHECK_TEXT(of(&job, 4, "", "no room"),
		   "no room; it is tried again in 1 s");
	CHECK_TEXT(of(&job, 4, "", ""),
		   "the last rescale failed; it is tried again in 1 s");
}

static void a_size_that_the_application_refuses_is_named(void)
{
	struct job job = at(JOB_PREPARING);

	CHECK(feed(&job, JOB_EV_UNPREPARED, 4));
	CHECK_TEXT(of(&job, 4, "", "no room"),
		   "the application does not start at 4 ranks; that is tried "
		   "again when a size is stated");
}

static void a_job_that_is_over_or_is_being_suspended_has_none(void)
{
	struct job job = at(JOB_GROWING), done = at(JOB_GROWING);

	CHECK(feed(&job, JOB_EV_SUSPEND, 0));
	CHECK_TEXT(of(&job, 2, "no quota", ""), "");
	CHECK(feed(&done, JOB_EV_FINISHED, 0));
	CHECK_TEXT(of(&done, 2, "no quota", ""), "");
}

RUN_TESTS(TEST(a_job_of_the_size_that_is_wanted_has_none),
	  TEST(a_rescale_that_is_carried_out_needs_no_reason),
	  TEST(the_grant_is_named),
	  TEST(executors_that_are_missing_are_counted),
	  TEST(a_rescale_that_was_dropped_says_why_and_when_again),
	  TEST(a_size_that_the_application_refuses_is_named),
	  TEST(a_job_that_is_over_or_is_being_suspended_has_none))
