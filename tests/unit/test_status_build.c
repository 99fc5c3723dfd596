/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/status_bed.h"

static void run(void)
{
	begin();
	message();
	tell(1100, JOB_EV_EXECUTORS, 2, "all executors are ready");
	tell(1200, JOB_EV_RANKS_UP, 0, "all ranks run where they belong");
	tell(1300, JOB_EV_STEP, 0, "");
}

/* The phases of 2 -> 4 one by one, each followed by what each() does. */
static void grow(void (*each)(void))
{
	static const struct {
		enum job_event_type type;
		unsigned size;
		const char *why;
	} phases[] = {
		{JOB_EV_SCALE, 4, "asked to"},
		{JOB_EV_EXECUTORS, 4, "all executors are ready"},
		{JOB_EV_PREPARED, 0, "the next start is prepared"},
		{JOB_EV_SAVED, 0, "checkpoint of step 7, 800 bytes"},
		{JOB_EV_STOPPED, 4, "no rank is left"},
		{JOB_EV_RANKS_UP, 0, "all ranks run where they belong"},
		{JOB_EV_STEP, 0, ""},
	};

	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		step(2000 + 100 * (msec_t)i, phases[i].type, phases[i].size,
		     phases[i].why);
		each();
	}
}

#define GROWN                                                                  \
	"ScaleRequested: 2 -> 4 ranks: asked to\n"                             \
	"Growing: executors for 4 ranks are waited for, 2 ranks compute on\n"  \
	"CheckpointWritten: checkpoint of step 7, 800 bytes, written in "      \
	"0.1 s\n"                                                              \
	"Relaunched: start 2: 4 ranks run\n"                                   \
	"Resized: 2 -> 4 ranks, paused 0.4 s\n"

static void twice(void)
{
	message();
	message();
}

static void nothing(void)
{
}

/* Another monitor, which knows nothing. */
static void anew(void)
{
	message();
	memset(&told, 0, sizeof(told));
	message();
}

static void a_job_that_grows_and_ends_is_told_from_begin_to_end(void)
{
	run();
	grow(message);
	tell(9000, JOB_EV_FINISHED, 0, "the application ended with 0");
	CHECK_TEXT(said, "Started: 2 ranks run\n" GROWN
			 "Completed: after 8.0 s: the application ended with "
			 "0\n");
}

static void what_is_repeated_is_told_once(void)
{
	run();
	said[0] = '\0';
	grow(twice);
	CHECK_TEXT(said, GROWN);
}

static void another_monitor_goes_on_where_the_first_one_ended(void)
{
	run();
	said[0] = '\0';
	grow(anew);
	CHECK_TEXT(said, GROWN);
}

static void what_was_missed_for_a_while_is_told_in_its_order(void)
{
	run();
	said[0] = '\0';
	grow(nothing);
	message();
	CHECK_TEXT(said, "ScaleRequested: 2 -> 4 ranks: asked to\n"
			 "Growing: executors for 4 ranks are waited for, 2 "
			 "ranks compute on\n"
			 "CheckpointWritten: checkpoint, written in 0.1 s\n"
			 "Relaunched: start 2: 4 ranks run\n"
			 "Resized: 2 -> 4 ranks, paused 0.4 s\n");
}

static void the_first_message_tells_nothing_of_the_past(void)
{
	begin();
	step(1100, JOB_EV_EXECUTORS, 2, "");
	step(1200, JOB_EV_RANKS_UP, 0, "");
	step(1300, JOB_EV_STEP, 0, "");
	grow(nothing);
	history_notice(&history, BELLOWS__V1__NOTICE_KIND__NOTICE_LOST, "gone",
		       now);
	message();
	message();
	CHECK_TEXT(said, "");
}

static void the_end_is_published_by_a_monitor_that_saw_nothing_else(void)
{
	run();
	said[0] = '\0';
	step(9000, JOB_EV_FINISHED, 0, "the application ended with 0");
	memset(&told, 0, sizeof(told));
	message();
	message();
	CHECK_TEXT(said, "Completed: after 8.0 s: the application ended with "
			 "0\n");
}

static void a_shrink_waits_for_nobody(void)
{
	run();
	said[0] = '\0';
	tell(2000, JOB_EV_SCALE, 1, "asked to");
	tell(2100, JOB_EV_PREPARED, 0, "the next start is prepared");
	CHECK_TEXT(said, "ScaleRequested: 2 -> 1 ranks: asked to\n");
}

static void a_rescale_that_is_dropped_says_why(void)
{
	run();
	said[0] = '\0';
	tell(2000, JOB_EV_SCALE, 4, "asked to");
	tell(3000, JOB_EV_TIMEOUT, 0, "the deadline for growing passed");
	message();
	CHECK_TEXT(said,
		   "ScaleRequested: 2 -> 4 ranks: asked to\n"
		   "Growing: executors for 4 ranks are waited for, 2 ranks "
		   "compute on\n"
		   "! ScaleDropped: 2 -> 4 ranks: the deadline for growing "
		   "passed\n");
}

static void a_rescale_that_fails_is_told_as_failed(void)
{
	run();
	tell(2000, JOB_EV_SCALE, 4, "asked to");
	tell(2100, JOB_EV_EXECUTORS, 4, "ready");
	tell(2200, JOB_EV_PREPARED, 0, "prepared");
	tell(2300, JOB_EV_SAVED, 0, "checkpoint of step 7");
	tell(2400, JOB_EV_STOPPED, 4, "no rank is left");
	tell(2500, JOB_EV_RANKS_UP, 0, "up");
	tell(2600, JOB_EV_CRASHED, 0, "the application ended with 64");
	tell(2700, JOB_EV_STOPPED, 2, "no rank is left");
	tell(2800, JOB_EV_RANKS_UP, 0, "up");
	said[0] = '\0';
	tell(2900, JOB_EV_STEP, 0, "a step");
	message();
	CHECK(strstr(said, "! ScaleFailed: 2 -> 4 ranks: the application ended "
			   "with 64; back on 2, paused 0.7 s\n"));
	CHECK(!conditions[2].holds);
	CHECK_TEXT(conditions[2].reason, "Failed");
}

static void a_request_that_is_declined_is_told_with_its_numbers(void)
{
	const Bellows__V1__NoticeKind declined =
		BELLOWS__V1__NOTICE_KIND__NOTICE_DECLINED;
	const char *text = "2 -> 9 ranks: 9 is more than ranks.max, which is 6";

	run();
	said[0] = '\0';
	history_notice(&history, declined, text, now);
	message();
	history_notice(&history, declined, text, now);
	message();
	CHECK_TEXT(said, "! ScaleDeclined: 2 -> 9 ranks: 9 is more than "
			 "ranks.max, which is 6\n");
	now += NOTICE_AGAIN;
	said[0] = '\0';
	history_notice(&history, declined, text, now);
	anew();
	CHECK_TEXT(said, "! ScaleDeclined: 2 -> 9 ranks: 9 is more than "
			 "ranks.max, which is 6\n");
}

static void a_lost_worker_and_what_becomes_of_the_job_are_told(void)
{
	const char *text = "worker-1 was lost: silent for 5 s";

	run();
	said[0] = '\0';
	history_notice(&history, BELLOWS__V1__NOTICE_KIND__NOTICE_LOST, text,
		       2000);
	tell(2000, JOB_EV_LOST, 0, text);
	tell(2100, JOB_EV_STOPPED, 1, "no rank is left");
	tell(2200, JOB_EV_RANKS_UP, 0, "all ranks run where they belong");
	tell(2300, JOB_EV_STEP, 0, "");
	CHECK_TEXT(said,
		   "! WorkerLost: worker-1 was lost: silent for 5 s\n"
		   "! Recovering: 2 -> 2 ranks: worker-1 was lost: silent for "
		   "5 s\n"
		   "Relaunched: start 2: 1 ranks run\n"
		   "Recovered: 2 -> 1 ranks, after 0.3 s\n");
}

static void a_worker_that_leaves_is_told_before_the_job_moves_off_it(void)
{
	run();
	said[0] = '\0';
	history_notice(&history, BELLOWS__V1__NOTICE_KIND__NOTICE_DRAINING,
		       "worker-1 is to leave within 25 s", 2000);
	tell(2000, JOB_EV_LEAVE, 1, "worker-1 leaves");
	CHECK_TEXT(said, "WorkerLeaving: worker-1 is to leave within 25 s\n"
			 "! Recovering: 2 -> 1 ranks: worker-1 leaves\n");
}

static void how_many_are_missing_is_not_told_again(void)
{
	run();
	said[0] = '\0';
	for (int n = 12; n > 8; n--) {
		snprintf(trouble, sizeof(trouble),
			 "heat-%d and %d more cannot be scheduled", 15 - n, n);
		message();
	}
	snprintf(trouble, sizeof(trouble), "heat-7 cannot be scheduled");
	message();
	snprintf(trouble, sizeof(trouble), "heat-7 cannot be scheduled: 1");
	message();
	CHECK_TEXT(said, "! ExecutorsMissing: heat-3 and 12 more cannot be "
			 "scheduled\n"
			 "! ExecutorsMissing: heat-7 cannot be scheduled\n"
			 "! ExecutorsMissing: heat-7 cannot be scheduled: 1\n");
}

static void why_executors_do_not_come_is_told_as_often_as_it_changes(void)
{
	run();
	said[0] = '\0';
	snprintf(trouble, sizeof(trouble), "no node has room");
	message();
	message();
	trouble[0] = '\0';
	message();
	snprintf(trouble, sizeof(trouble), "a quota is used up");
	message();
	CHECK_TEXT(said, "! ExecutorsMissing: no node has room\n"
			 "! ExecutorsMissing: a quota is used up\n");
	said[0] = '\0';
	memset(trouble, 'x', sizeof(trouble) - 1);
	message();
	message();
	CHECK(strlen(said) < STATUS_NOTE_MAX + 30);
}

static void a_failure_has_its_exit_status(void)
{
	run();
	said[0] = '\0';
	job.retries_left = 0;
	tell(2000, JOB_EV_CRASHED, 0, "the application ended with 3");
	tell(2100, JOB_EV_STOPPED, 2, "the application ended with 3");
	CHECK(strstr(said, "! Failed: after 1.") != NULL);
	CHECK(strstr(said, "exit status 3: the application ended with 3\n") !=
	      NULL);
}

static void a_coordinator_that_goes_on_from_its_journal_is_told(void)
{
	run();
	grow(message);
	said[0] = '\0';
	incarnation++;
	message();
	message();
	CHECK_TEXT(said, "! CoordinatorRestarted: the coordinator was started "
			 "again\n");
}

static void a_coordinator_that_began_again_is_told_and_its_past_forgotten(void)
{
	run();
	grow(message);
	said[0] = '\0';
	now = 20000;
	job_init(&job, 2, &patience, true, now);
	history_init(&history, now);
	message();
	tell(20100, JOB_EV_EXECUTORS, 2, "all executors are ready");
	tell(20200, JOB_EV_RANKS_UP, 0, "all ranks run where they belong");
	CHECK_TEXT(said, "! CoordinatorRestarted: the coordinator was started "
			 "again\n"
			 "Started: 2 ranks run\n");
}

static void of_many_rescales_that_were_missed_the_newest_are_told(void)
{
	size_t lines = 0;

	run();
	said[0] = '\0';
	for (unsigned i = 0; i < 50; i++) {
		step(2000 + 20 * (msec_t)i, JOB_EV_SCALE, 4, "asked to");
		step(2010 + 20 * (msec_t)i, JOB_EV_TIMEOUT, 0, "too late");
	}
	message();
	for (const char *at = said; *at; at++)
		lines += *at == '\n';
	CHECK(lines == 3 * STATUS_RESCALES);
}

static void more_notices_than_fit_do_no_harm(void)
{
	Bellows__V1__Notice notices[40], *all[40];
	struct status_event out[STATUS_MAX];
	Bellows__V1__Job many = BELLOWS__V1__JOB__INIT;

	many.incarnation = incarnation;
	begin();
	message();
	for (size_t i = 0; i < 40; i++) {
		bellows__v1__notice__init(&notices[i]);
		notices[i].number = i + 1;
		notices[i].kind = BELLOWS__V1__NOTICE_KIND__NOTICE_LOST;
		all[i] = &notices[i];
	}
	many.n_notices = 40;
	many.notices = all;
	CHECK(status_build_events(&told, &many, out) == 16);
	CHECK(status_build_events(&told, &many, out) == 0);
}

/* ---- conditions ---- */

/* test_status_build_disk.c looks at the last one, Stalled. */
enum { OF_SIZE = STATUS_CONDITIONS - 1 };

static void look(void)
{
	struct condition out[STATUS_CONDITIONS];
	Bellows__V1__Job all;

	fill(&all);
	status_build_conditions(&all, out);
	history_unfill(&all);
	for (size_t i = 0; i < OF_SIZE; i++) {
		size_t used = strlen(said);

		snprintf(said + used, sizeof(said) - used, "%s%c%s %s;%s",
			 strrchr(out[i].type, '/') + 1,
			 out[i].holds ? '+' : '-', out[i].reason,
			 out[i].message, i + 1 < OF_SIZE ? " " : "\n");
	}
}

static void conditions_follow_the_job(void)
{
	begin();
	snprintf(reason, sizeof(reason), "0 of 2 executors are here");
	look();
	run();
	said[0] = '\0';
	look();
	grow(look);
	step(9000, JOB_EV_FINISHED, 0, "the application ended with 0");
	look();
	CHECK_TEXT(
		said,
		"Running+Running 2 ranks run; Scaling-Steady no change of the "
		"size is under way; Resized-NotAsked no other size was asked "
		"for;\n"
		"Running+Growing 2 ranks run; Scaling+Growing 2 -> 4 ranks: "
		"asked to; Resized-UnderWay 2 -> 4 ranks;\n"
		"Running+Preparing 2 ranks run; Scaling+Preparing 2 -> 4 "
		"ranks: asked to; Resized-UnderWay 2 -> 4 ranks;\n"
		"Running+Saving 2 ranks run; Scaling+Saving 2 -> 4 ranks: "
		"asked to; Resized-UnderWay 2 -> 4 ranks;\n"
		"Running-Stopping checkpoint of step 7, 800 bytes; "
		"Scaling+Stopping 2 -> 4 ranks: asked to; Resized-UnderWay 2 "
		"-> 4 ranks;\n"
		"Running-Starting no rank is left; Scaling+Starting 2 -> 4 "
		"ranks: asked to; Resized-UnderWay 2 -> 4 ranks;\n"
		"Running+Running 4 ranks run; Scaling+Running 2 -> 4 ranks: "
		"asked to; Resized-UnderWay 2 -> 4 ranks;\n"
		"Running+Running 4 ranks run; Scaling-Steady no change of the "
		"size is under way; Resized+Done 2 -> 4 ranks, paused 0.4 "
		"s;\n"
		"Running-Completed the application ended with 0; "
		"Scaling-Steady no change of the size is under way; "
		"Resized+Done 2 -> 4 ranks, paused 0.4 s;\n");
}

static void a_loss_is_no_resize_that_was_asked_for(void)
{
	run();
	step(2000, JOB_EV_LOST, 0, "worker-1 was lost");
	said[0] = '\0';
	look();
	CHECK_TEXT(said, "Running-Stopping worker-1 was lost; "
			 "Scaling+Stopping 2 -> 2 ranks: worker-1 was lost; "
			 "Resized-NotAsked no other size was asked for;\n");
}

RUN_TESTS(TEST(a_job_that_grows_and_ends_is_told_from_begin_to_end),
	  TEST(what_is_repeated_is_told_once),
	  TEST(another_monitor_goes_on_where_the_first_one_ended),
	  TEST(what_was_missed_for_a_while_is_told_in_its_order),
	  TEST(the_first_message_tells_nothing_of_the_past),
	  TEST(the_end_is_published_by_a_monitor_that_saw_nothing_else),
	  TEST(a_shrink_waits_for_nobody),
	  TEST(a_rescale_that_is_dropped_says_why),
	  TEST(a_rescale_that_fails_is_told_as_failed),
	  TEST(a_request_that_is_declined_is_told_with_its_numbers),
	  TEST(a_lost_worker_and_what_becomes_of_the_job_are_told),
	  TEST(a_worker_that_leaves_is_told_before_the_job_moves_off_it),
	  TEST(how_many_are_missing_is_not_told_again),
	  TEST(why_executors_do_not_come_is_told_as_often_as_it_changes),
	  TEST(a_failure_has_its_exit_status),
	  TEST(a_coordinator_that_goes_on_from_its_journal_is_told),
	  TEST(a_coordinator_that_began_again_is_told_and_its_past_forgotten),
	  TEST(of_many_rescales_that_were_missed_the_newest_are_told),
	  TEST(more_notices_than_fit_do_no_harm),
	  TEST(conditions_follow_the_job),
	  TEST(a_loss_is_no_resize_that_was_asked_for))
