/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/unit/job_at.h"

enum { STATES = JOB_SUSPENDED + 1, EVENTS = JOB_EV_SUSPEND + 1 };

/* All transitions, written down a second time. */
static const char table[] = "waiting:\n"
			    "  executors -> starting\n"
			    "  unfit -> failed\n"
			    "  scale -> waiting\n"
			    "  grant -> waiting\n"
			    "  restarted -> waiting\n"
			    "  timeout -> starting\n"
			    "  hand over -> waiting\n"
			    "  cancel -> cancelled\n"
			    "  suspend -> suspended\n"
			    "starting:\n"
			    "  scale -> starting\n"
			    "  grant -> starting\n"
			    "  kept -> starting\n"
			    "  ranks up -> running\n"
			    "  resumed -> starting\n"
			    "  step -> starting\n"
			    "  finished -> done\n"
			    "  crashed -> failed\n"
			    "  unstarted -> stopping\n"
			    "  lost -> stopping\n"
			    "  leave -> stopping\n"
			    "  restarted -> waiting\n"
			    "  timeout -> stopping\n"
			    "  unreadable -> failed\n"
			    "  no checkpoint -> failed\n"
			    "  hand over -> stopping\n"
			    "  cancel -> cancelled\n"
			    "  suspend -> stopping\n"
			    "resuming:\n"
			    "  scale -> resuming\n"
			    "  grant -> resuming\n"
			    "  resumed -> running\n"
			    "  afresh -> stopping\n"
			    "  step -> running\n"
			    "  finished -> done\n"
			    "  crashed -> stopping\n"
			    "  unstarted -> stopping\n"
			    "  lost -> stopping\n"
			    "  stalled -> stopping\n"
			    "  leave -> stopping\n"
			    "  restarted -> waiting\n"
			    "  timeout -> stopping\n"
			    "  unreadable -> stopping\n"
			    "  no checkpoint -> stopping\n"
			    "  hand over -> stopping\n"
			    "  cancel -> cancelled\n"
			    "  suspend -> stopping\n"
			    "running:\n"
			    "  scale -> growing\n"
			    "  grant -> running\n"
			    "  saved -> stopping\n"
			    "  kept -> running\n"
			    "  step -> running\n"
			    "  finished -> done\n"
			    "  crashed -> stopping\n"
			    "  unstarted -> stopping\n"
			    "  lost -> stopping\n"
			    "  stalled -> stopping\n"
			    "  leave -> preparing\n"
			    "  restarted -> waiting\n"
			    "  timeout -> running\n"
			    "  unreadable -> stopping\n"
			    "  no checkpoint -> stopping\n"
			    "  due -> preparing\n"
			    "  hand over -> saving\n"
			    "  cancel -> cancelled\n"
			    "  suspend -> saving\n"
			    "growing:\n"
			    "  executors -> preparing\n"
			    "  scale -> growing\n"
			    "  grant -> growing\n"
			    "  saved -> stopping\n"
			    "  kept -> growing\n"
			    "  step -> growing\n"
			    "  finished -> done\n"
			    "  crashed -> stopping\n"
			    "  unstarted -> stopping\n"
			    "  lost -> stopping\n"
			    "  stalled -> stopping\n"
			    "  leave -> preparing\n"
			    "  restarted -> waiting\n"
			    "  timeout -> preparing\n"
			    "  unreadable -> stopping\n"
			    "  no checkpoint -> stopping\n"
			    "  due -> preparing\n"
			    "  hand over -> saving\n"
			    "  cancel -> cancelled\n"
			    "  suspend -> saving\n"
			    "preparing:\n"
			    "  scale -> preparing\n"
			    "  grant -> preparing\n"
			    "  prepared -> saving\n"
			    "  unprepared -> running\n"
			    "  saved -> stopping\n"
			    "  kept -> preparing\n"
			    "  step -> preparing\n"
			    "  finished -> done\n"
			    "  crashed -> stopping\n"
			    "  unstarted -> stopping\n"
			    "  lost -> stopping\n"
			    "  stalled -> stopping\n"
			    "  leave -> preparing\n"
			    "  restarted -> waiting\n"
			    "  timeout -> running\n"
			    "  unreadable -> stopping\n"
			    "  no checkpoint -> stopping\n"
			    "  hand over -> saving\n"
			    "  cancel -> cancelled\n"
			    "  suspend -> saving\n"
			    "saving:\n"
			    "  scale -> saving\n"
			    "  grant -> saving\n"
			    "  unprepared -> saving\n"
			    "  saved -> stopping\n"
			    "  unsaved -> running\n"
			    "  kept -> saving\n"
			    "  step -> saving\n"
			    "  finished -> done\n"
			    "  crashed -> stopping\n"
			    "  unstarted -> stopping\n"
			    "  lost -> stopping\n"
			    "  leave -> saving\n"
			    "  restarted -> waiting\n"
			    "  timeout -> running\n"
			    "  unreadable -> stopping\n"
			    "  no checkpoint -> stopping\n"
			    "  hand over -> saving\n"
			    "  cancel -> cancelled\n"
			    "  suspend -> saving\n"
			    "stopping:\n"
			    "  scale -> stopping\n"
			    "  grant -> stopping\n"
			    "  unprepared -> stopping\n"
			    "  saved -> stopping\n"
			    "  kept -> stopping\n"
			    "  stopped -> starting\n"
			    "  replaced soon -> replacing\n"
			    "  leave -> stopping\n"
			    "  restarted -> waiting\n"
			    "  timeout -> failed\n"
			    "  hand over -> stopping\n"
			    "  cancel -> cancelled\n"
			    "  suspend -> stopping\n"
			    "replacing:\n"
			    "  executors -> starting\n"
			    "  scale -> replacing\n"
			    "  grant -> replacing\n"
			    "  restarted -> waiting\n"
			    "  timeout -> starting\n"
			    "  hand over -> waiting\n"
			    "  cancel -> cancelled\n"
			    "  suspend -> suspended\n";

static void the_table_reads_as_expected(void)
{
	static char text[4096];
	FILE *f = fmemopen(text, sizeof(text), "w");

	for (int state = JOB_WAITING; state <= JOB_REPLACING; state++) {
		fprintf(f, "%s:\n", job_state_name((enum job_state)state));
		for (int type = 0; type < EVENTS; type++) {
			struct job job = at((enum job_state)state);

			if (feed(&job, (enum job_event_type)type, 4))
				fprintf(f, "  %s -> %s\n",
					job_event_name(
						(enum job_event_type)type),
					job_state_name(job.state));
		}
	}
	fclose(f);
	CHECK_TEXT(text, table);
}

static void every_state_and_event_has_a_name_of_its_own(void)
{
	for (int a = 0; a < STATES; a++)
		for (int b = 0; b < a; b++)
			CHECK(strcmp(job_state_name((enum job_state)a),
				     job_state_name((enum job_state)b)) != 0);
	for (int a = 0; a < EVENTS; a++)
		for (int b = 0; b < a; b++)
			CHECK(strcmp(job_event_name((enum job_event_type)a),
				     job_event_name((enum job_event_type)b)) !=
			      0);
}

static void what_is_to_be_true_follows_from_the_state(void)
{
	static const struct {
		enum job_state state;
		enum job_effect effect;
		msec_t patience;
		unsigned held;
		bool computes;
	} rows[] = {
		{JOB_WAITING, JOB_DO_WAIT, 100, 2, false},
		{JOB_STARTING, JOB_DO_START, 300, 2, false},
		{JOB_RUNNING, JOB_DO_COMPUTE, 0, 2, true},
		{JOB_GROWING, JOB_DO_GATHER, 200, 4, true},
		{JOB_PREPARING, JOB_DO_PREPARE, 300, 4, true},
		{JOB_SAVING, JOB_DO_SAVE, 400, 4, true},
		{JOB_STOPPING, JOB_DO_STOP, 500, 4, false},
		{JOB_REPLACING, JOB_DO_WAIT, 550, 4, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job job = at(rows[i].state);

		CHECK(job.state == rows[i].state);
		CHECK(job_effect(&job) == rows[i].effect);
		CHECK(job.deadline ==
		      (rows[i].patience ? 1000 + rows[i].patience : 0));
		CHECK(job_ranks_held(&job) == rows[i].held);
		CHECK(job_computes(&job) == rows[i].computes);
		CHECK(!job_is_over(&job));
	}
}

static void every_state_that_waits_has_a_way_out_when_its_patience_is_over(void)
{
	for (int i = 0; i < 8 * 3 * 5 * 2; i++) {
		const unsigned sizes[] = {0, 1, 2, 3, 8}, proven[] = {0, 2, 4};

		for (int state = JOB_WAITING; state <= JOB_REPLACING; state++) {
			struct job job = at((enum job_state)state);

			if (job.deadline == 0)
				continue;
			if (i & 1 && state >= JOB_SAVING)
				job.target = 0;
			job.stepped = i >> 1 & 1;
			job.worked = i >> 2 & 1;
			job.proven = proven[i / 8 % 3];
			job.retries_left = i / 120 % 2;
			CHECK(feed(&job, JOB_EV_TIMEOUT, sizes[i / 24 % 5]));
			CHECK(job.state != (enum job_state)state);
		}
	}
}

static void patience_of_none_lasts_for_ever(void)
{
	const struct job_patience none = {.retries = 1};
	struct job job;

	job_init(&job, 2, &none, false, 1000);
	CHECK(job.deadline == 0);
	CHECK(feed(&job, JOB_EV_EXECUTORS, 2));
	CHECK(job.deadline == 0);
}

static void patience_of_a_millisecond_lasts_for_one(void)
{
	const struct job_patience least = {.executors = 1};
	struct job job;

	job_init(&job, 2, &least, false, 1000);
	CHECK(job.deadline == 1001);
}

/* Of a job whose only executor leaves by that instant; it is 1000 now. */
static msec_t deadline_to_save(msec_t patience_to_save, msec_t by)
{
	struct job job = at(JOB_RUNNING);

	job.patience.save = patience_to_save;
	leave(&job, 0, by);
	return job.state == JOB_SAVING ? job.deadline : -1;
}

static void a_leaving_executor_can_shorten_the_patience_but_not_extend_it(void)
{
	CHECK(deadline_to_save(400, 1300) == 1300);
	CHECK(deadline_to_save(400, 1500) == 1400);
	CHECK(deadline_to_save(0, 1500) == 1500);
	CHECK(deadline_to_save(400, 1000) == 1000);
	CHECK(deadline_to_save(400, 900) == 1000);
}

static void what_was_prepared_or_ordered_in_vain_is_dropped(void)
{
	for (int state = JOB_WAITING; state <= JOB_REPLACING; state++) {
		struct job before = at((enum job_state)state), job = before;

		feed(&job, JOB_EV_TIMEOUT, 0);
		CHECK(job_has_dropped(&job, &before) ==
		      (state == JOB_PREPARING || state == JOB_SAVING));
	}
}

static void everything_alive_can_be_cancelled(void)
{
	for (int state = JOB_WAITING; state <= JOB_REPLACING; state++) {
		struct job job = at((enum job_state)state);

		CHECK(feed(&job, JOB_EV_CANCEL, 0));
		CHECK(job.state == JOB_CANCELLED);
		CHECK(job_ranks_held(&job) == 0);
	}
}

static void everything_alive_can_be_suspended(void)
{
	for (int state = JOB_WAITING; state <= JOB_REPLACING; state++) {
		struct job job = at((enum job_state)state);
		bool computed = job_computes(&job);

		CHECK(feed(&job, JOB_EV_SUSPEND, 0));
		CHECK(job.target == 0 && job.next == 0);
		CHECK((job.state == JOB_SAVING) == computed);
		if (computed)
			CHECK(feed(&job, JOB_EV_SAVED, 0));
		if (job.state != JOB_SUSPENDED)
			CHECK(feed(&job, JOB_EV_STOPPED, 4));
		CHECK(job.state == JOB_SUSPENDED);
	}
}

/* Whatever comes before the coordinator ends, nothing more is begun. */
static void everything_alive_can_be_handed_over(void)
{
	for (int state = JOB_WAITING; state <= JOB_REPLACING; state++) {
		struct job job = at((enum job_state)state);
		bool computed = job_computes(&job);

		CHECK(feed(&job, JOB_EV_HAND_OVER, 0));
		CHECK((job.state == JOB_SAVING) == computed);
		if (computed)
			CHECK(feed(&job, JOB_EV_SAVED, 0));
		if (job.state == JOB_STOPPING)
			CHECK(feed(&job, JOB_EV_STOPPED, 4));
		CHECK(job_effect(&job) == JOB_DO_HAND_OVER);
		CHECK(job.target > 0 && !job_is_over(&job));
		CHECK(!feed(&job, JOB_EV_EXECUTORS, 4));
		CHECK(!feed(&job, JOB_EV_TIMEOUT, 4));
		CHECK(job.state == JOB_WAITING && job.deadline == 0);
		CHECK(feed(&job, JOB_EV_RESTARTED, 1));
		CHECK(job_effect(&job) == JOB_DO_WAIT);
		CHECK(feed(&job, JOB_EV_EXECUTORS, 4));
		CHECK(job.state == JOB_STARTING);
	}
}

static void over_is_over(void)
{
	for (int state = JOB_DONE; state < STATES; state++)
		for (int type = 0; type < EVENTS; type++)
			for (unsigned size = 0; size < 6; size++) {
				struct job job = at(JOB_SAVING), before;

				job.state = (enum job_state)state;
				before = job;
				CHECK(job_is_over(&job));
				CHECK(!feed(&job, (enum job_event_type)type,
					    size));
				CHECK(same(&job, &before));
				CHECK(job_ranks_held(&job) == 0);
			}
}

static void reports_of_a_stale_epoch_change_nothing(void)
{
	for (int state = JOB_WAITING; state <= JOB_REPLACING; state++)
		for (int type = 0; type < EVENTS; type++) {
			struct job job = at((enum job_state)state);
			bool of_next = type == JOB_EV_PREPARED ||
				       type == JOB_EV_UNPREPARED;

			job.epoch += 7;
			job.next += job.next ? 7 : 0;
			for (unsigned epoch = 1; epoch < 20; epoch++) {
				struct job before = job;

				if (epoch == (of_next ? job.next : job.epoch))
					continue;
				CHECK(!report(&job, (enum job_event_type)type,
					      epoch));
				CHECK(same(&job, &before));
			}
		}
}

static void what_needs_no_new_state_keeps_the_deadline(void)
{
	static const struct {
		enum job_state state;
		enum job_event_type type;
	} rows[] = {
		{JOB_STARTING, JOB_EV_STEP},       {JOB_GROWING, JOB_EV_STEP},
		{JOB_PREPARING, JOB_EV_STEP},      {JOB_SAVING, JOB_EV_STEP},
		{JOB_SAVING, JOB_EV_UNPREPARED},   {JOB_STOPPING, JOB_EV_SAVED},
		{JOB_STOPPING, JOB_EV_UNPREPARED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job job = at(rows[i].state);

		job.deadline = 77;
		CHECK(feed(&job, rows[i].type, 0));
		CHECK(job.state == rows[i].state);
		CHECK(job.deadline == 77);
	}
}

static void nobody_takes_more_than_he_wants(void)
{
	struct job growing = at(JOB_GROWING), waiting = at(JOB_WAITING);

	CHECK(feed(&growing, JOB_EV_TIMEOUT, 8));
	CHECK(growing.state == JOB_PREPARING && growing.target == 4);
	CHECK(feed(&waiting, JOB_EV_EXECUTORS, 8));
	CHECK(waiting.target == 2);
}

RUN_TESTS(TEST(the_table_reads_as_expected),
	  TEST(every_state_and_event_has_a_name_of_its_own),
	  TEST(what_is_to_be_true_follows_from_the_state),
	  TEST(every_state_that_waits_has_a_way_out_when_its_patience_is_over),
	  TEST(patience_of_none_lasts_for_ever),
	  TEST(patience_of_a_millisecond_lasts_for_one),
	  TEST(a_leaving_executor_can_shorten_the_patience_but_not_extend_it),
	  TEST(what_was_prepared_or_ordered_in_vain_is_dropped),
	  TEST(everything_alive_can_be_cancelled),
	  TEST(everything_alive_can_be_suspended),
	  TEST(everything_alive_can_be_handed_over), TEST(over_is_over),
	  TEST(reports_of_a_stale_epoch_change_nothing),
	  TEST(what_needs_no_new_state_keeps_the_deadline),
	  TEST(nobody_takes_more_than_he_wants))
