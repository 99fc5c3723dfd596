/* SPDX-License-Identifier: Apache-2.0 */
#include "core/scaler.h"
#include "tests/check.h"

#include <stdarg.h>

/*
 * A test is a transcript: facts go in, and the trace says what was asked.
 * "ask 4 (#1.0)" is the first attempt to have 4 ranks for step 1, "-" is
 * nothing, "@N" the instant at which the scaler wants to be asked again.
 */

static struct scaler scaler;
static char trace[512];

static void say(const char *fmt, ...)
{
	size_t n = strlen(trace);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(trace + n, sizeof(trace) - n, fmt, ap);
	va_end(ap);
}

static void begin(const struct scaler_step *steps, size_t n)
{
	trace[0] = '\0';
	scaler_init(&scaler, steps, n);
}

static void decide(const struct scaler_facts *facts)
{
	struct scaler_want want = scaler_decide(&scaler, facts);

	if (want.ranks > 0)
		say("ask %u (#%zu.%u)", want.ranks, want.step, want.attempt);
	else
		say("-");
	if (want.again > 0)
		say(" @%lld", (long long)want.again);
	say("; ");
}

/* Computing since instant 1000; times in milliseconds, progress in percent. */
static void at(msec_t now, double percent, unsigned want)
{
	struct scaler_facts facts = {
		.now = now,
		.computing = now - 1000,
		.progress = percent < 0 ? -1 : percent / 100,
		.want = want,
	};

	decide(&facts);
}

static const struct scaler_step by_progress[] = {
	{.progress = 0.3, .ranks = 4},
	{.progress = 0.6, .ranks = 2},
	{.progress = 0.8, .ranks = 3},
};

static const struct scaler_step by_time[] = {
	{.progress = -1, .after = 2000, .ranks = 4},
	{.progress = -1, .after = 5000, .ranks = 2},
};

static void without_steps_nothing_is_ever_asked(void)
{
	begin(NULL, 0);
	at(1000, 0, 2);
	at(9000, 99, 2);
	CHECK_TEXT(trace, "-; -; ");
}

static void a_step_is_asked_once_when_its_progress_is_reached(void)
{
	begin(by_progress, 3);
	at(1000, -1, 2);
	at(2000, 29, 2);
	at(3000, 30, 2);
	scaler_answered(&scaler, SCALER_ACCEPTED, 3100);
	at(3200, 31, 4);
	at(9000, 40, 2); /* somebody else has stated another one */
	CHECK_TEXT(trace, "-; -; ask 4 (#0.0); -; -; ");
}

static void a_step_by_time_says_when_to_decide_again(void)
{
	struct scaler_facts waiting = {
		.now = 500, .computing = -1, .progress = -1, .want = 2};

	begin(by_time, 2);
	decide(&waiting);
	at(1000, -1, 2);
	at(2999, -1, 2);
	at(3000, -1, 2);
	scaler_answered(&scaler, SCALER_ACCEPTED, 3100);
	at(5000, -1, 4);
	at(6000, -1, 4);
	CHECK_TEXT(trace, "-; - @3000; - @3000; ask 4 (#0.0) @6000; - @6000; "
			  "ask 2 (#1.0); ");
}

static void the_next_step_by_time_need_not_be_the_next_of_the_list(void)
{
	static const struct scaler_step unordered[] = {
		{.progress = -1, .after = 5000, .ranks = 2},
		{.progress = -1, .after = 2000, .ranks = 4},
	};

	begin(unordered, 2);
	at(1000, -1, 3);
	at(3000, -1, 3);
	CHECK_TEXT(trace, "- @3000; ask 4 (#1.0) @6000; ");
}

static void a_step_after_no_time_is_asked_when_the_job_begins_to_compute(void)
{
	static const struct scaler_step at_once = {.progress = -1, .ranks = 4};

	begin(&at_once, 1);
	at(999, -1, 2);
	at(1000, -1, 2);
	CHECK_TEXT(trace, "-; ask 4 (#0.0); ");
}

static void a_step_at_no_progress_is_asked_once_progress_is_known(void)
{
	static const struct scaler_step at_start = {.progress = 0, .ranks = 4};

	begin(&at_start, 1);
	at(2000, -1, 2);
	at(3000, 0, 2);
	CHECK_TEXT(trace, "-; ask 4 (#0.0); ");
}

static void as_many_steps_as_are_allowed_are_all_looked_at(void)
{
	struct scaler_step steps[SCALER_STEPS_MAX];

	for (int i = 0; i < SCALER_STEPS_MAX; i++)
		steps[i] = (struct scaler_step){
			.progress = -1, .after = SECONDS(i + 1), .ranks = 3};
	begin(steps, SCALER_STEPS_MAX);
	at(1000 + SECONDS(SCALER_STEPS_MAX), -1, 2);
	CHECK_TEXT(trace, "ask 3 (#255.0); ");
}

static void of_several_steps_only_the_newest_counts(void)
{
	begin(by_progress, 3);
	at(1000, 85, 1);
	scaler_answered(&scaler, SCALER_ACCEPTED, 1100);
	at(9000, 90, 3);
	CHECK_TEXT(trace, "ask 3 (#2.0); -; ");
}

static void a_step_reached_during_the_question_is_asked_after_it(void)
{
	begin(by_progress, 3);
	at(1000, 31, 2);
	at(1100, 61, 2);
	scaler_answered(&scaler, SCALER_ACCEPTED, 1200);
	at(1300, 62, 4);
	CHECK_TEXT(trace, "ask 4 (#0.0); -; ask 2 (#1.0); ");
}

static void after_a_restart_a_step_whose_size_is_stated_is_not_asked(void)
{
	begin(by_progress, 3);
	at(1000, 70, 2);
	at(2000, 71, 5);
	CHECK_TEXT(trace, "-; -; ");
}

static void after_a_restart_the_newest_step_is_asked_if_the_want_differs(void)
{
	begin(by_progress, 3);
	at(1000, 70, 4);
	CHECK_TEXT(trace, "ask 2 (#1.0); ");
}

static void
after_a_restart_the_newest_step_need_not_be_the_last_of_the_list(void)
{
	static const struct scaler_step unordered[] = {
		{.progress = 0.6, .ranks = 2},
		{.progress = 0, .ranks = 4},
		{.progress = 0.8, .ranks = 3},
	};

	begin(unordered, 3);
	at(1000, 70, 4);
	CHECK_TEXT(trace, "ask 2 (#0.0); ");
}

static void after_a_restart_the_last_counts_of_steps_by_time_and_progress(void)
{
	static const struct scaler_step mixed[] = {
		{.progress = -1, .after = 2000, .ranks = 4},
		{.progress = 0, .ranks = 3},
		{.progress = -1, .after = 1000, .ranks = 5},
	};

	for (size_t n = 2; n <= 3; n++) {
		begin(mixed, n);
		at(9000, 50, 2);
		CHECK_TEXT(trace, n == 2 ? "ask 3 (#1.0); " : "ask 5 (#2.0); ");
	}
}

static void after_a_restart_the_last_counts_of_steps_at_the_same_point(void)
{
	static const struct scaler_step progress[] = {
		{.progress = 0.3, .ranks = 4}, {.progress = 0.3, .ranks = 3}};
	static const struct scaler_step time[] = {
		{.progress = -1, .after = 2000, .ranks = 4},
		{.progress = -1, .after = 2000, .ranks = 3}};

	begin(progress, 2);
	at(9000, 50, 2);
	CHECK_TEXT(trace, "ask 3 (#1.0); ");
	begin(time, 2);
	at(9000, 50, 2);
	CHECK_TEXT(trace, "ask 3 (#1.0); ");
}

static void after_a_restart_a_step_by_time_is_due_at_once(void)
{
	begin(by_time, 2);
	at(9000, -1, 4);
	CHECK_TEXT(trace, "ask 2 (#1.0); ");
}

static void a_step_that_is_declined_is_over(void)
{
	begin(by_progress, 3);
	at(1000, 31, 2);
	scaler_answered(&scaler, SCALER_DECLINED, 1100);
	at(1200, 32, 2);
	at(9000, 34, 3);
	at(9900, 60, 3);
	CHECK_TEXT(trace, "ask 4 (#0.0); -; -; ask 2 (#1.0); ");
}

static void a_postponed_step_is_forgotten_when_the_next_is_due(void)
{
	begin(by_progress, 3);
	at(1000, 31, 2);
	scaler_answered(&scaler, SCALER_POSTPONED, 1100);
	at(1200, 61, 4);
	CHECK_TEXT(trace, "ask 4 (#0.0); ask 2 (#1.0); ");
}

static void a_question_without_answer_is_repeated_as_the_same_attempt(void)
{
	begin(by_progress, 3);
	at(1000, 31, 2);
	scaler_answered(&scaler, SCALER_UNANSWERED, 1100);
	at(1200, 32, 2);
	at(1600, 33, 2);
	scaler_answered(&scaler, SCALER_UNANSWERED, 1700);
	at(2200, 33, 4);
	CHECK_TEXT(trace, "ask 4 (#0.0); - @1600; ask 4 (#0.0); -; ");
}

static void pauses_grow_from_half_a_second_to_eight(void)
{
	static const msec_t pauses[] = {500, 1000, 2000, 4000, 8000, 8000};
	msec_t now = 1000;

	begin(by_progress, 3);
	for (size_t i = 0; i < sizeof(pauses) / sizeof(pauses[0]); i++) {
		struct scaler_facts facts = {
			.now = now, .progress = 0.3, .want = 2};
		struct scaler_want want = scaler_decide(&scaler, &facts);

		CHECK(want.ranks == 4 && want.attempt == i);
		scaler_answered(&scaler, SCALER_POSTPONED, now);
		facts.now = now + pauses[i] - 1;
		want = scaler_decide(&scaler, &facts);
		CHECK(want.ranks == 0 && want.again == now + pauses[i]);
		now += pauses[i];
	}
}

static void a_step_stays_reached_when_progress_falls_back(void)
{
	begin(by_progress, 3);
	at(1000, 31, 2);
	scaler_answered(&scaler, SCALER_ACCEPTED, 1100);
	at(2000, 10, 2);
	at(3000, 32, 2);
	CHECK_TEXT(trace, "ask 4 (#0.0); -; -; ");
}

RUN_TESTS(
	TEST(without_steps_nothing_is_ever_asked),
	TEST(a_step_is_asked_once_when_its_progress_is_reached),
	TEST(a_step_by_time_says_when_to_decide_again),
	TEST(the_next_step_by_time_need_not_be_the_next_of_the_list),
	TEST(a_step_after_no_time_is_asked_when_the_job_begins_to_compute),
	TEST(a_step_at_no_progress_is_asked_once_progress_is_known),
	TEST(as_many_steps_as_are_allowed_are_all_looked_at),
	TEST(of_several_steps_only_the_newest_counts),
	TEST(a_step_reached_during_the_question_is_asked_after_it),
	TEST(after_a_restart_a_step_whose_size_is_stated_is_not_asked),
	TEST(after_a_restart_the_newest_step_is_asked_if_the_want_differs),
	TEST(after_a_restart_the_newest_step_need_not_be_the_last_of_the_list),
	TEST(after_a_restart_the_last_counts_of_steps_by_time_and_progress),
	TEST(after_a_restart_the_last_counts_of_steps_at_the_same_point),
	TEST(after_a_restart_a_step_by_time_is_due_at_once),
	TEST(a_step_that_is_declined_is_over),
	TEST(a_postponed_step_is_forgotten_when_the_next_is_due),
	TEST(a_question_without_answer_is_repeated_as_the_same_attempt),
	TEST(pauses_grow_from_half_a_second_to_eight),
	TEST(a_step_stays_reached_when_progress_falls_back))
