/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/stop.h"
#include "tests/check.h"

static enum stop_level level;

/* The level after the event; -1: the event changes nothing. */
static int after(enum stop_level from, enum stop_event event)
{
	level = from;
	return stop_step(&level, event) ? (int)level : -1;
}

static void each_request_takes_the_next_harder_step(void)
{
	CHECK(after(STOP_NOT, STOP_ASKED) == STOP_SAVE);
	CHECK(after(STOP_SAVE, STOP_ASKED) == STOP_CANCEL);
	CHECK(after(STOP_CANCEL, STOP_ASKED) == STOP_END);
	CHECK(after(STOP_END, STOP_ASKED) == STOP_KILL);
	CHECK(after(STOP_KILL, STOP_ASKED) == -1);
}

static void where_no_coordinator_hears_the_programs_are_ended(void)
{
	CHECK(after(STOP_NOT, STOP_ASKED_UNHEARD) == STOP_END);
	CHECK(after(STOP_SAVE, STOP_ASKED_UNHEARD) == STOP_END);
	CHECK(after(STOP_CANCEL, STOP_ASKED_UNHEARD) == STOP_END);
	CHECK(after(STOP_END, STOP_ASKED_UNHEARD) == STOP_KILL);
}

static void a_failure_ends_the_programs_and_kills_none(void)
{
	CHECK(after(STOP_NOT, STOP_FAILED) == STOP_END);
	CHECK(after(STOP_CANCEL, STOP_FAILED) == STOP_END);
	CHECK(after(STOP_END, STOP_FAILED) == -1);
	CHECK(after(STOP_KILL, STOP_FAILED) == -1);
}

static void what_has_no_effect_in_time_is_followed_by_more(void)
{
	CHECK(after(STOP_NOT, STOP_LATE) == STOP_END);
	CHECK(after(STOP_SAVE, STOP_LATE) == STOP_END);
	CHECK(after(STOP_CANCEL, STOP_LATE) == STOP_END);
	CHECK(after(STOP_END, STOP_LATE) == STOP_KILL);
	CHECK(after(STOP_KILL, STOP_LATE) == STOP_LEAVE);
	CHECK(after(STOP_LEAVE, STOP_LATE) == -1);
}

static void no_event_goes_back(void)
{
	for (int from = STOP_NOT; from < STOP_LEVELS; from++)
		for (int event = STOP_ASKED; event <= STOP_LATE; event++)
			CHECK(after((enum stop_level)from,
				    (enum stop_event)event) != from &&
			      level >= (enum stop_level)from);
}

RUN_TESTS(TEST(each_request_takes_the_next_harder_step),
	  TEST(where_no_coordinator_hears_the_programs_are_ended),
	  TEST(a_failure_ends_the_programs_and_kills_none),
	  TEST(what_has_no_effect_in_time_is_followed_by_more),
	  TEST(no_event_goes_back))
