/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/history.h"
#include "tests/check.h"

static struct history history;
static struct job job;
static const struct job_patience patience = {.retries = 3};

static void feed(msec_t now, enum job_event_type type, unsigned size)
{
	const struct job_event event = {.type = type, .now = now, .size = size};
	const struct job before = job;

	if (job_step(&job, &event))
		history_on_step(&history, &before, &job, &event, "why");
}

/* Runs on 2 ranks since 1200, in a job that began at 1000. */
static void run(void)
{
	job_init(&job, 2, &patience, false, 1000);
	history_init(&history, 1000);
	feed(1100, JOB_EV_EXECUTORS, 2);
	feed(1200, JOB_EV_RANKS_UP, 0);
	feed(1300, JOB_EV_STEP, 0);
}

static void grow(void)
{
	run();
	history_on_progress(&history, 10, 100, true, 1300);
	feed(2000, JOB_EV_SCALE, 4);
	feed(2100, JOB_EV_EXECUTORS, 4);
	feed(2200, JOB_EV_PREPARED, 0);
	history_on_progress(&history, 30, 100, false, 2250);
	feed(2300, JOB_EV_SAVED, 0);
	feed(2350, JOB_EV_STOPPED, 4);
	feed(2400, JOB_EV_RANKS_UP, 0);
	history_on_progress(&history, 31, 100, true, 2500);
	feed(2500, JOB_EV_STEP, 0);
}

static void a_rescale_is_told_by_its_phases(void)
{
	const struct rescale *r = &history.rescales[0];

	grow();
	CHECK(history.n_rescales == 1 && history.rescales_done == 1);
	CHECK(r->from == 2 && r->to == 4 && r->epoch == 2);
	CHECK(r->asked == 1000 && r->executors == 1100);
	CHECK(r->prepared == 1200 && r->ordered == 1200);
	CHECK(r->saved == 1300 && r->stopped == 1350);
	CHECK(r->up == 1400 && r->stepped == 1500);
	CHECK(r->last_step == 1250);
	CHECK_TEXT(r->reason, "why");
	CHECK_TEXT(r->result, "done");
}

static void steps_of_the_new_ranks_are_not_the_last_of_the_old(void)
{
	run();
	history_on_progress(&history, 10, 100, true, 1300);
	feed(2000, JOB_EV_SCALE, 1);
	feed(2200, JOB_EV_PREPARED, 0);
	history_on_progress(&history, 30, 100, false, 2250);
	feed(2300, JOB_EV_SAVED, 0);
	feed(2350, JOB_EV_STOPPED, 4);
	feed(2400, JOB_EV_RANKS_UP, 0);
	history_on_progress(&history, 31, 100, true, 2500);
	history_on_progress(&history, 32, 100, false, 2501);
	CHECK(history.rescales[0].last_step == 1250);
}

static void what_ended_is_counted_by_its_kind_and_phases(void)
{
	static const msec_t phases[PHASES] = {
		[PHASE_EXECUTORS] = 100, [PHASE_PREPARE] = 100,
		[PHASE_SAVE] = 100,      [PHASE_STOP] = 50,
		[PHASE_START] = 50,      [PHASE_STEP] = 100,
	};
	const struct tally *tally = &history.tally;

	grow();
	CHECK(tally->grown == 1 && tally->shrunk == 0 && tally->dropped == 0);
	for (int i = 0; i < PHASES; i++)
		CHECK(tally->phases[i] == phases[i]);
	CHECK(tally->paused == 300);
	feed(3000, JOB_EV_SCALE, 6);
	feed(4000, JOB_EV_TIMEOUT, 0);
	CHECK(tally->dropped == 1 && tally->paused == 300);
	feed(5000, JOB_EV_LOST, 0);
	history_on_repeated(&history, 9);
	feed(5100, JOB_EV_STOPPED, 1);
	feed(5200, JOB_EV_RANKS_UP, 0);
	feed(5300, JOB_EV_STEP, 0);
	CHECK(tally->recovered == 1 && tally->shrunk == 0);
	CHECK(tally->repeated == 9 && tally->paused == 600);
	CHECK(tally->phases[PHASE_STOP] == 150);
}

static void notices_are_counted_once(void)
{
	run();
	for (int i = 0; i < 2; i++)
		history_notice(&history, BELLOWS__V1__NOTICE_KIND__NOTICE_LOST,
			       "a", 2000);
	history_notice(&history, BELLOWS__V1__NOTICE_KIND__NOTICE_LOST, "b",
		       2000);
	history_notice(&history, BELLOWS__V1__NOTICE_KIND__NOTICE_DECLINED, "c",
		       2000);
	CHECK(history.tally.lost == 2 && history.tally.declined == 1);
	CHECK(history.tally.drained == 0);
}

static void spans_follow_each_other_without_a_gap(void)
{
	static const struct span expected[] = {
		{0, 200, 0}, {200, 1300, 2}, {1300, 1400, 0}, {1400, 0, 4}};

	grow();
	CHECK(history.n_spans == 4);
	for (size_t i = 0; i < 4; i++) {
		CHECK(history.spans[i].from == expected[i].from);
		CHECK(history.spans[i].to == expected[i].to);
		CHECK(history.spans[i].ranks == expected[i].ranks);
	}
}

static void a_rescale_that_is_dropped_says_why_and_is_not_counted(void)
{
	run();
	feed(2000, JOB_EV_SCALE, 4);
	feed(3000, JOB_EV_TIMEOUT, 0);
	CHECK(history.n_rescales == 1 && history.rescales_done == 0);
	CHECK_TEXT(history.rescales[0].result, "why");
	CHECK(history.rescales[0].from == 2 && history.rescales[0].to == 4);
	CHECK(!history.rescales[0].recovery);
	CHECK(history.n_spans == 2);
}

/* To 4 ranks, of which one ends before its first step. */
static void fail_to_grow(void)
{
	run();
	history_on_progress(&history, 10, 100, true, 1300);
	feed(2000, JOB_EV_SCALE, 4);
	feed(2100, JOB_EV_EXECUTORS, 4);
	feed(2200, JOB_EV_PREPARED, 0);
	feed(2300, JOB_EV_SAVED, 0);
	feed(2350, JOB_EV_STOPPED, 4);
	feed(2400, JOB_EV_RANKS_UP, 0);
	feed(2450, JOB_EV_CRASHED, 0);
}

static void a_size_that_fails_is_told_as_failed_and_not_counted(void)
{
	const struct rescale *r = &history.rescales[0];
	Bellows__V1__Job out = BELLOWS__V1__JOB__INIT;

	fail_to_grow();
	CHECK(r->failed && r->goes_back && job.target == 2);
	CHECK(history_fill(&history, &out) == 0);
	CHECK_TEXT(out.history[0]->result, ""); /* the pause goes on */
	history_unfill(&out);
	feed(2500, JOB_EV_STOPPED, 2);
	feed(2600, JOB_EV_RANKS_UP, 0);
	feed(2700, JOB_EV_STEP, 0);
	CHECK(history.n_rescales == 1 && history.rescales_done == 0);
	CHECK(r->failed && !r->goes_back && r->from == 2 && r->to == 4);
	CHECK_TEXT(r->result, "why");
	CHECK(r->ordered == 1200 && r->stopped == 1350 && r->stepped == 1700);
	CHECK(history.tally.dropped == 1 && history.tally.grown == 0);
	CHECK(history.tally.paused == 500);
	CHECK(history_checkpoint_cost(&history) == 0);
}

static void a_job_that_ends_while_it_goes_back_keeps_what_failed(void)
{
	fail_to_grow();
	feed(2500, JOB_EV_CANCEL, 0);
	CHECK(history.rescales[0].to == 4 && !history.rescales[0].goes_back);
	CHECK_TEXT(history.rescales[0].result, "why");
	CHECK(history.tally.dropped == 1);
}

static void executors_that_are_lost_meanwhile_fail_a_rescale_too(void)
{
	run();
	feed(2000, JOB_EV_SCALE, 4);
	feed(2100, JOB_EV_EXECUTORS, 4);
	feed(2200, JOB_EV_PREPARED, 0);
	feed(2300, JOB_EV_SAVED, 0);
	feed(2350, JOB_EV_STOPPED, 2);
	CHECK(history.rescales[0].failed && history.rescales[0].to == 4);
}

static void a_loss_before_the_checkpoint_drops_a_rescale(void)
{
	run();
	feed(2000, JOB_EV_SCALE, 4);
	feed(2100, JOB_EV_LOST, 0);
	feed(2200, JOB_EV_STOPPED, 2);
	feed(2300, JOB_EV_RANKS_UP, 0);
	feed(2400, JOB_EV_STEP, 0);
	CHECK(history.n_rescales == 2 && history.tally.dropped == 1);
	CHECK(history.rescales[0].to == 4 && !history.rescales[0].failed);
	CHECK(history.rescales[1].recovery && history.rescales[1].to == 2);
	CHECK_TEXT(history.rescales[1].result, "done");
}

static void ranks_that_are_believed_have_shown_no_step(void)
{
	const struct rescale *r = &history.rescales[0];

	run();
	feed(2000, JOB_EV_SCALE, 1);
	feed(2200, JOB_EV_PREPARED, 0);
	feed(2300, JOB_EV_SAVED, 0);
	feed(2350, JOB_EV_STOPPED, 1);
	feed(2400, JOB_EV_RANKS_UP, 0);
	feed(12400, JOB_EV_STEP, 1);
	CHECK_TEXT(r->result, "done");
	CHECK(r->up == 1400 && r->stepped == 0);
	CHECK(history.tally.paused == 200);
	CHECK(history_checkpoint_cost(&history) == 200);
}

static void a_step_of_the_old_ranks_ends_no_rescale(void)
{
	run();
	feed(2000, JOB_EV_SCALE, 4);
	feed(2050, JOB_EV_STEP, 0);
	CHECK_TEXT(history.rescales[0].result, "");
	CHECK(history.rescales[0].stepped == 0);
}

static void a_job_that_ends_at_the_new_size_was_rescaled(void)
{
	run();
	feed(2000, JOB_EV_SCALE, 1);
	feed(2200, JOB_EV_PREPARED, 0);
	feed(2300, JOB_EV_SAVED, 0);
	feed(2350, JOB_EV_STOPPED, 1);
	feed(2400, JOB_EV_RANKS_UP, 0);
	feed(2500, JOB_EV_FINISHED, 0);
	CHECK(history.rescales_done == 1 && history.rescales[0].stepped == 0);
	CHECK_TEXT(history.rescales[0].result, "done");
}

static void a_resume_is_an_instant_of_its_own_and_still_a_pause(void)
{
	const struct rescale *r = &history.rescales[0];

	run();
	job.patience.resume = 1000;
	feed(2000, JOB_EV_SCALE, 1);
	feed(2200, JOB_EV_PREPARED, 0);
	feed(2300, JOB_EV_SAVED, 0);
	history_on_repeated(&history, 7);
	feed(2350, JOB_EV_STOPPED, 1);
	feed(2400, JOB_EV_RANKS_UP, 0);
	feed(2500, JOB_EV_RESUMED, 0);
	feed(2600, JOB_EV_STEP, 0);
	CHECK(r->up == 1400 && r->resumed == 1500 && r->stepped == 1600);
	CHECK(r->repeated == 7);
	CHECK_TEXT(r->result, "done");
	CHECK(history.spans[2].from == 1300 && history.spans[2].to == 1500);
	CHECK(history.spans[2].ranks == 0);
}

static void a_checkpoint_that_is_due_has_a_cost(void)
{
	run();
	CHECK(history_checkpoint_cost(&history) == 0);
	history_on_progress(&history, 10, 100, true, 1300);
	feed(2000, JOB_EV_DUE, 0);
	feed(2200, JOB_EV_PREPARED, 0);
	feed(2300, JOB_EV_SAVED, 0);
	CHECK(history_checkpoint_cost(&history) == 0);
	feed(2350, JOB_EV_STOPPED, 2);
	feed(2400, JOB_EV_RANKS_UP, 0);
	feed(2500, JOB_EV_STEP, 0);
	CHECK(history.n_rescales == 1);
	CHECK(history.rescales[0].from == 2 && history.rescales[0].to == 2);
	CHECK(history.rescales[0].due && !history.rescales[0].recovery);
	CHECK(history.tally.checkpoints == 1 && history.tally.shrunk == 0);
	CHECK(history_checkpoint_cost(&history) == 300);
	feed(3000, JOB_EV_DUE, 0);
	feed(3100, JOB_EV_PREPARED, 0);
	feed(3200, JOB_EV_UNSAVED, 0);
	CHECK(history.n_rescales == 2 && history.rescales_done == 0);
	CHECK(history_checkpoint_cost(&history) == 300);
	feed(4000, JOB_EV_LOST, 0);
	feed(4100, JOB_EV_STOPPED, 2);
	feed(4200, JOB_EV_RANKS_UP, 0);
	feed(4900, JOB_EV_STEP, 0);
	CHECK(history_checkpoint_cost(&history) == 300);
}

static void a_loss_is_a_rescale_too(void)
{
	run();
	feed(2000, JOB_EV_LOST, 0);
	feed(2100, JOB_EV_STOPPED, 1);
	feed(2200, JOB_EV_RANKS_UP, 0);
	feed(2300, JOB_EV_STEP, 0);
	CHECK(history.n_rescales == 1);
	CHECK(history.rescales[0].from == 2 && history.rescales[0].to == 1);
	CHECK(history.rescales[0].saved == 0 && history.rescales[0].recovery);
	CHECK_TEXT(history.rescales[0].result, "done");
}

static void the_time_of_a_step_is_that_of_this_start(void)
{
	run();
	CHECK(history_progress(&history) < 0);
	CHECK(history_step_time(&history) == 0);
	history_on_progress(&history, 50, 100, true, 2000);
	CHECK(history_step_time(&history) == 0);
	history_on_progress(&history, 60, 100, false, 3000);
	CHECK(history_progress(&history) == 0.6);
	CHECK(history_step_time(&history) == 100);
	history_on_progress(&history, 50, 100, true, 9000);
	CHECK(history_step_time(&history) == 0);
}

static void the_oldest_are_forgotten_before_there_are_too_many(void)
{
	msec_t now = 10000;

	run();
	for (unsigned i = 0; i < RESCALES_MAX + 10; i++) {
		feed(now++, JOB_EV_LOST, 0);
		job.retries_left = 3;
		feed(now++, JOB_EV_STOPPED, 2);
		feed(now++, JOB_EV_RANKS_UP, 0);
		feed(now++, JOB_EV_STEP, 0);
	}
	CHECK(history.n_rescales == RESCALES_MAX);
	CHECK(history.rescales_done == RESCALES_MAX + 10);
	CHECK(history.n_spans <= SPANS_MAX);
	CHECK(history.rescales[RESCALES_MAX - 1].epoch == job.epoch);
}

static bool notice_at(msec_t now, const char *text)
{
	return history_notice(
		&history, BELLOWS__V1__NOTICE_KIND__NOTICE_DECLINED, text, now);
}

static void the_same_notice_is_made_again_only_after_a_while(void)
{
	run();
	CHECK(notice_at(2000, "no"));
	CHECK(!notice_at(2000 + NOTICE_AGAIN - 1, "no"));
	CHECK(notice_at(2500, "not this either"));
	CHECK(notice_at(2600, "no"));
	CHECK(notice_at(2600 + NOTICE_AGAIN, "no"));
	CHECK(history_notice(&history, BELLOWS__V1__NOTICE_KIND__NOTICE_LOST,
			     "no", 2700));
	CHECK(history.n_notices == 5 && history.notices[4].number == 5);
	CHECK(history.notices[0].at == 1000);
}

static void notices_keep_their_numbers_when_the_oldest_are_forgotten(void)
{
	char text[2 * REASON_MAX];

	run();
	for (unsigned i = 0; i < NOTICES_MAX + 3; i++) {
		snprintf(text, sizeof(text), "%u", i);
		CHECK(notice_at(2000, text));
	}
	CHECK(history.n_notices == NOTICES_MAX);
	CHECK(history.notices[0].number == 4);
	CHECK(history.notices[NOTICES_MAX - 1].number == NOTICES_MAX + 3);

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	CHECK(notice_at(3000, text));
	CHECK(!notice_at(3000, text));
	CHECK(strlen(history.notices[NOTICES_MAX - 1].text) == REASON_MAX - 1);
}

static void the_wire_has_all_of_it(void)
{
	Bellows__V1__Job out = BELLOWS__V1__JOB__INIT;

	grow();
	CHECK(notice_at(2500, "no"));
	CHECK(history_fill(&history, &out) == 0);
	CHECK(out.n_notices == 1 && out.notices[0]->at == 1500);
	CHECK_TEXT(out.notices[0]->text, "no");
	CHECK(out.n_history == 1 && out.n_spans == 4);
	CHECK(out.history[0]->stepped == 1500);
	CHECK(out.spans[1]->ranks == 2);
	history_unfill(&out);
}

RUN_TESTS(TEST(a_rescale_is_told_by_its_phases),
	  TEST(steps_of_the_new_ranks_are_not_the_last_of_the_old),
	  TEST(what_ended_is_counted_by_its_kind_and_phases),
	  TEST(notices_are_counted_once),
	  TEST(spans_follow_each_other_without_a_gap),
	  TEST(a_rescale_that_is_dropped_says_why_and_is_not_counted),
	  TEST(a_size_that_fails_is_told_as_failed_and_not_counted),
	  TEST(a_job_that_ends_while_it_goes_back_keeps_what_failed),
	  TEST(executors_that_are_lost_meanwhile_fail_a_rescale_too),
	  TEST(a_loss_before_the_checkpoint_drops_a_rescale),
	  TEST(ranks_that_are_believed_have_shown_no_step),
	  TEST(a_step_of_the_old_ranks_ends_no_rescale),
	  TEST(a_job_that_ends_at_the_new_size_was_rescaled),
	  TEST(a_resume_is_an_instant_of_its_own_and_still_a_pause),
	  TEST(a_checkpoint_that_is_due_has_a_cost),
	  TEST(a_loss_is_a_rescale_too),
	  TEST(the_time_of_a_step_is_that_of_this_start),
	  TEST(the_oldest_are_forgotten_before_there_are_too_many),
	  TEST(the_same_notice_is_made_again_only_after_a_while),
	  TEST(notices_keep_their_numbers_when_the_oldest_are_forgotten),
	  TEST(the_wire_has_all_of_it))
