/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "core/scaler_threshold.h"
#include "tests/check.h"

#include <math.h>
#include <stdarg.h>

/*
 * A test is a transcript: looks at a figure go in, one every 15 s, and the
 * trace says what was asked: "ask 4" is a question for 4 ranks, "-" is nothing,
 * "=" that the size is to stay for a reason, "@N" the second at which the
 * scaler wants to be asked again.  More ranks are asked for above 10 and fewer
 * below 2, after 30 s; the job accepts 1, 2, 4 and 8.
 */

static struct threshold threshold;
static struct threshold_facts facts;
static struct threshold_choice choice;
static unsigned sizes[4];
static char trace[512], said[128];

static void say(const char *fmt, ...)
{
	size_t n = strlen(trace);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(trace + n, sizeof(trace) - n, fmt, ap);
	va_end(ap);
}

static void begin(unsigned size, unsigned by)
{
	const struct threshold_rules rules = {
		.above = 10,
		.below = 2,
		.lasts = SECONDS(30),
		.late = SECONDS(26),
		.step = by,
		.sizes = sizes,
		.n_sizes = LENGTH(sizes),
	};

	for (size_t i = 0; i < LENGTH(sizes); i++)
		sizes[i] = 1u << i;
	threshold_init(&threshold, &rules);
	facts = (struct threshold_facts){
		.now = SECONDS(1000), .size = size, .want = size};
	trace[0] = '\0';
}

static void decide(void)
{
	choice = threshold_decide(&threshold, &facts);
	threshold_say(&choice, said, sizeof(said));
	if (choice.ranks > 0)
		say("ask %u", choice.ranks);
	else
		say(choice.reason == THRESHOLD_END ||
				    choice.reason == THRESHOLD_WANTED
			    ? "="
			    : "-");
	if (choice.again > 0)
		say(" @%lld", (long long)choice.again / 1000);
	say("; ");
}

static void pass(unsigned seconds)
{
	facts.now += SECONDS(seconds);
}

/* A look finds this value, or none. */
static void look(double value)
{
	facts.looked = isnan(value) ? 0 : facts.now;
	facts.value = value;
	decide();
}

static void looks(unsigned n, double value)
{
	for (unsigned i = 0; i < n; i++) {
		pass(15);
		look(value);
	}
}

/* The job has that size from now on. */
static void has(unsigned size)
{
	pass(1);
	facts.size = facts.want = size;
	decide();
}

static void answer(enum scaler_answer with)
{
	threshold_answered(&threshold, with, facts.now);
}

static void a_value_above_for_long_enough_asks_for_more(void)
{
	begin(2, 1);
	looks(3, 12.5);
	CHECK_TEXT(trace, "-; -; ask 4; ");
	CHECK_TEXT(said, "2 -> 4: the query is 12.5, above 10 for 30 s");
}

static void a_value_below_for_long_enough_asks_for_fewer(void)
{
	begin(4, 1);
	looks(3, -1);
	CHECK_TEXT(trace, "-; -; ask 2; ");
	CHECK_TEXT(said, "4 -> 2: the query is -1, below 2 for 30 s");
}

static void a_value_between_the_bounds_or_on_one_asks_for_nothing(void)
{
	begin(2, 1);
	looks(4, 5);
	looks(4, 10);
	looks(4, 2);
	CHECK_TEXT(trace, "-; -; -; -; -; -; -; -; -; -; -; -; ");
	CHECK(choice.reason == THRESHOLD_STAYS);
}

static void the_time_begins_anew_when_the_value_comes_back(void)
{
	begin(2, 1);
	looks(2, 11);
	looks(1, 10);
	looks(2, 11);
	looks(1, 11);
	CHECK_TEXT(trace, "-; -; -; -; -; ask 4; ");
}

static void the_time_begins_anew_when_the_value_changes_its_side(void)
{
	begin(2, 1);
	looks(2, 11);
	looks(3, 1);
	answer(SCALER_ACCEPTED);
	looks(3, 11);
	CHECK_TEXT(trace, "-; -; -; -; ask 1; -; -; ask 4; ");
}

static void a_look_without_a_value_begins_the_time_anew(void)
{
	begin(2, 1);
	looks(2, 11);
	looks(1, NAN);
	looks(2, 11);
	CHECK_TEXT(trace, "-; -; -; -; -; ");
	looks(1, 11);
	CHECK(choice.ranks == 4);
}

/* The facts have the time of the last look, not of this one. */
static void only_looks_make_the_time_pass(void)
{
	begin(2, 1);
	looks(2, 11);
	pass(20);
	decide();
	CHECK_TEXT(trace, "-; -; -; ");
}

static void a_value_that_is_stale_counts_as_none(void)
{
	begin(2, 1);
	looks(2, 11);
	pass(27);
	decide();
	CHECK(threshold.side == THRESHOLD_QUIET);
	looks(2, 11);
	CHECK_TEXT(trace, "-; -; -; -; -; ");
}

/* As when this program, or the machine, was stopped. */
static void what_lies_between_two_looks_far_apart_is_not_known(void)
{
	begin(2, 1);
	looks(1, 11);
	pass(27);
	look(11);
	looks(1, 11);
	CHECK_TEXT(trace, "-; -; -; ");
	looks(1, 11);
	CHECK(choice.ranks == 4);
}

static void after_a_rescale_the_time_begins_anew(void)
{
	begin(2, 1);
	looks(3, 11);
	answer(SCALER_ACCEPTED);
	facts.size = 0;
	facts.want = 4;
	looks(4, 11);
	has(4);
	pass(14);
	look(11);
	looks(1, 11);
	CHECK_TEXT(trace, "-; -; ask 4; -; -; -; -; -; -; -; ");
	looks(1, 11);
	CHECK(choice.ranks == 8);
	CHECK_TEXT(said, "4 -> 8: the query is 11, above 10 for 30 s");
}

static void a_rescale_that_is_over_between_two_messages_counts_too(void)
{
	begin(2, 1);
	looks(2, 11);
	has(4);
	looks(2, 11);
	CHECK_TEXT(trace, "-; -; -; -; -; ");
}

static void the_next_size_is_a_step_away_at_least(void)
{
	static const struct {
		unsigned from, by;
		double value;
		unsigned to;
	} of[] = {
		{1, 1, 11, 2}, {1, 2, 11, 4}, {1, 3, 11, 4}, {1, 4, 11, 8},
		{1, 9, 11, 8}, {4, 1, 11, 8}, {8, 1, 1, 4},  {8, 4, 1, 4},
		{8, 5, 1, 2},  {8, 9, 1, 1},  {2, 1, 1, 1},  {3, 1, 11, 4},
		{3, 1, 1, 2},
	};

	for (size_t i = 0; i < LENGTH(of); i++) {
		begin(of[i].from, of[i].by);
		looks(3, of[i].value);
		CHECK(choice.ranks == of[i].to);
	}
}

static void at_the_end_of_its_sizes_it_stays_and_says_so(void)
{
	begin(8, 1);
	looks(3, 11);
	CHECK_TEXT(said, "the query is 11, above 10 for 30 s, and 8 ranks are "
			 "the most");
	begin(1, 1);
	looks(3, 1);
	CHECK_TEXT(trace, "-; -; =; ");
	CHECK_TEXT(said, "the query is 1, below 2 for 30 s, and 1 rank are the "
			 "fewest");
}

/* The grant does not let it have them, or there are no executors. */
static void what_is_wanted_already_is_not_asked_for(void)
{
	begin(2, 1);
	facts.want = 4;
	looks(3, 11);
	CHECK_TEXT(trace, "-; -; =; ");
	CHECK_TEXT(said, "the query is 11, above 10 for 30 s, and 4 ranks are "
			 "wanted already");
	looks(3, 1);
	CHECK_TEXT(trace, "-; -; =; -; -; ask 1; ");
}

static void nothing_is_asked_while_an_answer_is_waited_for(void)
{
	begin(2, 1);
	looks(5, 11);
	CHECK_TEXT(trace, "-; -; ask 4; -; -; ");
	CHECK(choice.reason == THRESHOLD_WAITS);
}

static void what_is_accepted_or_declined_is_over_and_the_time_begins_anew(void)
{
	static const enum scaler_answer over[] = {SCALER_ACCEPTED,
						  SCALER_DECLINED};

	for (size_t i = 0; i < LENGTH(over); i++) {
		begin(2, 1);
		looks(3, 11);
		answer(over[i]);
		looks(3, 11);
		CHECK_TEXT(trace, "-; -; ask 4; -; -; ask 4; ");
	}
}

static void what_is_postponed_or_unanswered_is_asked_again_after_a_pause(void)
{
	static const enum scaler_answer again[] = {SCALER_POSTPONED,
						   SCALER_UNANSWERED};

	for (size_t i = 0; i < LENGTH(again); i++) {
		begin(2, 1);
		looks(3, 11);
		answer(again[i]);
		facts.now += SCALER_PAUSE - 1;
		decide();
		CHECK(choice.again == facts.now + 1);
		facts.now++;
		decide();
		answer(again[i]);
		decide();
		CHECK(choice.again == facts.now + 2 * SCALER_PAUSE);
		CHECK_TEXT(trace, "-; -; ask 4; - @1045; ask 4; - @1046; ");
		/* it is no longer above by then */
		pass(2);
		look(5);
		CHECK(choice.ranks == 0 && choice.again == 0);
	}
}

static void a_size_that_is_refused_is_passed_over(void)
{
	begin(2, 1);
	looks(3, 11);
	threshold_refuse(&threshold, choice.ranks);
	answer(SCALER_DECLINED);
	looks(3, 11);
	CHECK_TEXT(trace, "-; -; ask 4; -; -; ask 8; ");
	CHECK(threshold.rules.n_sizes == 3 && sizes[2] == 8);
}

/* It is decided a moment after the look. */
static void without_a_time_the_first_look_asks(void)
{
	begin(2, 1);
	threshold.rules.lasts = 0;
	decide();
	pass(15);
	facts.looked = facts.now++;
	facts.value = 11;
	decide();
	answer(SCALER_ACCEPTED);
	has(4);
	CHECK_TEXT(trace, "-; ask 4; -; ");
	looks(1, 11);
	CHECK_TEXT(said, "4 -> 8: the query is 11, above 10");
}

RUN_TESTS(TEST(a_value_above_for_long_enough_asks_for_more),
	  TEST(a_value_below_for_long_enough_asks_for_fewer),
	  TEST(a_value_between_the_bounds_or_on_one_asks_for_nothing),
	  TEST(the_time_begins_anew_when_the_value_comes_back),
	  TEST(the_time_begins_anew_when_the_value_changes_its_side),
	  TEST(a_look_without_a_value_begins_the_time_anew),
	  TEST(only_looks_make_the_time_pass),
	  TEST(a_value_that_is_stale_counts_as_none),
	  TEST(what_lies_between_two_looks_far_apart_is_not_known),
	  TEST(after_a_rescale_the_time_begins_anew),
	  TEST(a_rescale_that_is_over_between_two_messages_counts_too),
	  TEST(the_next_size_is_a_step_away_at_least),
	  TEST(at_the_end_of_its_sizes_it_stays_and_says_so),
	  TEST(what_is_wanted_already_is_not_asked_for),
	  TEST(nothing_is_asked_while_an_answer_is_waited_for),
	  TEST(what_is_accepted_or_declined_is_over_and_the_time_begins_anew),
	  TEST(what_is_postponed_or_unanswered_is_asked_again_after_a_pause),
	  TEST(a_size_that_is_refused_is_passed_over),
	  TEST(without_a_time_the_first_look_asks))
