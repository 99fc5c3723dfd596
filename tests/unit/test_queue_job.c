/* SPDX-License-Identifier: Apache-2.0 */
#include "core/queue_job.h"

#include "base/list.h"
#include "tests/check.h"

enum { SAVED = 75 };

/* ---- the state follows from wishes and facts ---- */

static void a_state_follows_from_wishes_and_facts(void)
{
	static const struct {
		struct queue_job job;
		enum queue_state state;
	} rows[] = {
		{{.grant = 0}, QUEUE_WAITING},
		{{.began = true}, QUEUE_PARKED},
		{{.held = true}, QUEUE_HELD},
		{{.held = true, .began = true}, QUEUE_HELD},
		{{.grant = 2}, QUEUE_STARTING},
		{{.grant = 2, .runs = true}, QUEUE_STARTING},
		{{.grant = 2, .runs = true, .answers = true}, QUEUE_RUNNING},
		{{.grant = 0, .runs = true, .answers = true}, QUEUE_STOPPING},
		{{.grant = 2, .runs = true, .cancelled = true}, QUEUE_STOPPING},
		{{.over = true, .end = QUEUE_DONE, .runs = true}, QUEUE_DONE},
	};

	for (size_t i = 0; i < LENGTH(rows); i++)
		CHECK_TEXT(queue_job_state_name(queue_job_state(&rows[i].job)),
			   queue_job_state_name(rows[i].state));
}

/* ---- what is done next ---- */

static void what_is_done_follows_from_the_difference(void)
{
	static const struct {
		struct queue_job job;
		enum queue_act act;
	} rows[] = {
		{{.grant = 0}, QUEUE_NOTHING},
		{{.grant = 3}, QUEUE_START},
		{{.grant = 3, .held = true}, QUEUE_NOTHING},
		{{.grant = 3, .runs = true, .told = 2}, QUEUE_NOTHING},
		{{.grant = 3, .runs = true, .answers = true, .told = 2},
		 QUEUE_GRANT},
		{{.grant = 0, .runs = true, .answers = true, .told = 2},
		 QUEUE_GRANT},
		{{.grant = 3, .runs = true, .answers = true, .told = 3},
		 QUEUE_NOTHING},
		{{.cancelled = true}, QUEUE_DROP},
		{{.cancelled = true, .runs = true}, QUEUE_NOTHING},
		{{.cancelled = true, .runs = true, .answers = true},
		 QUEUE_CANCEL},
		{{.over = true, .cancelled = true}, QUEUE_NOTHING},
	};

	for (size_t i = 0; i < LENGTH(rows); i++)
		CHECK(queue_job_act(&rows[i].job) == rows[i].act);
}

static void a_policy_decides_about_jobs_that_nobody_holds_or_cancels(void)
{
	struct queue_job waits = {.began = true}, has = {.grant = 2};

	CHECK(queue_job_waits(&waits) && !queue_job_has_slots(&waits));
	CHECK(!queue_job_waits(&has) && queue_job_has_slots(&has));
	waits.held = true;
	has.cancelled = true;
	CHECK(!queue_job_waits(&waits) && !queue_job_has_slots(&has));
	waits = (struct queue_job){.runs = true};
	CHECK(!queue_job_waits(&waits)); /* it leaves its slots first */
}

/* ---- how a run ends ---- */

static struct queue_job after(struct queue_job job, int code)
{
	struct queue_exit how = {.code = code, .saved = SAVED};

	how.lost = code < 0;
	queue_job_started(&job);
	job.stepped = true;
	queue_job_ended(&job, &how);
	return job;
}

static void the_end_of_a_run_says_what_becomes_of_the_job(void)
{
	static const struct {
		struct queue_job job;
		int code; /* negative: its programs were killed */
		enum queue_state state;
	} rows[] = {
		{{.grant = 2}, 0, QUEUE_DONE},
		{{.grant = 2}, 3, QUEUE_FAILED},
		{{.grant = 2}, SAVED, QUEUE_PARKED},
		{{.grant = 2}, -1, QUEUE_PARKED},
		{{.held = true}, SAVED, QUEUE_HELD},
		{{.cancelled = true, .grant = 2}, 130, QUEUE_CANCELLED},
		{{.cancelled = true, .grant = 2}, -1, QUEUE_CANCELLED},
		{{.cancelled = true, .grant = 2}, 0, QUEUE_DONE},
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct queue_job job = after(rows[i].job, rows[i].code);

		CHECK_TEXT(queue_job_state_name(queue_job_state(&job)),
			   queue_job_state_name(rows[i].state));
		CHECK(job.grant == 0 && !job.runs);
	}
}

static void runs_without_a_step_come_to_an_end(void)
{
	const struct queue_exit lost = {.lost = true, .saved = SAVED};
	struct queue_job job = {.grant = 1};

	for (int i = 0; i < QUEUE_FUTILE_MAX; i++) {
		CHECK(!job.over);
		job.grant = 1;
		queue_job_started(&job);
		queue_job_ended(&job, &lost);
	}
	CHECK(job.over && job.end == QUEUE_FAILED);
}

static void runs_that_were_parked_before_they_stepped_do_not_count(void)
{
	const struct queue_exit saved = {.code = SAVED, .saved = SAVED};
	struct queue_job job = {.grant = 1};

	for (int i = 0; i < 3 * QUEUE_FUTILE_MAX; i++) {
		job.grant = 1;
		queue_job_started(&job);
		job.grant = 0;
		queue_job_ended(&job, &saved);
		CHECK(!job.over);
	}
}

static void a_step_makes_the_runs_before_it_count_no_more(void)
{
	const struct queue_exit lost = {.lost = true, .saved = SAVED};
	struct queue_job job = {.grant = 1};

	for (int i = 0; i < 3 * QUEUE_FUTILE_MAX; i++) {
		job.grant = 1;
		queue_job_started(&job);
		job.stepped = i % 2 == 1;
		queue_job_ended(&job, &lost);
		CHECK(!job.over);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_state_follows_from_wishes_and_facts),
		TEST(what_is_done_follows_from_the_difference),
		TEST(a_policy_decides_about_jobs_that_nobody_holds_or_cancels),
		TEST(the_end_of_a_run_says_what_becomes_of_the_job),
		TEST(runs_without_a_step_come_to_an_end),
		TEST(runs_that_were_parked_before_they_stepped_do_not_count),
		TEST(a_step_makes_the_runs_before_it_count_no_more),
	};

	return run_tests(tests, LENGTH(tests));
}
