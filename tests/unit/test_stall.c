/* SPDX-License-Identifier: Apache-2.0 */
#include "core/stall.h"
#include "tests/check.h"

#define PATIENCE SECONDS(80)

static struct stall stall;
static msec_t now;

/* Start 1 is up. */
static void begin(void)
{
	now = 1000;
	stall = (struct stall){.patience = PATIENCE, .looked = now};
	stall_on_ranks(&stall, 1, true, now);
}

/* Time passes, with a look whenever one is due; how often the job is found to
 * stand still. */
static unsigned pass(msec_t time)
{
	msec_t until = now + time;
	unsigned found = 0;

	while (stall_next_look(&stall) != 0 &&
	       stall.looked + stall_next_look(&stall) <= until) {
		now = stall.looked + stall_next_look(&stall);
		found += stall_look(&stall, false, now);
	}
	now = until;
	return found;
}

static void what_makes_no_step_is_found_once(void)
{
	begin();
	CHECK(!stall_on_step(&stall, now));
	CHECK(pass(PATIENCE - 1) == 0);
	CHECK(pass(1) == 1);
	CHECK(stall_length(&stall, now) == PATIENCE);
	CHECK(pass(10 * PATIENCE) == 0);
	CHECK(stall_length(&stall, now) == 11 * PATIENCE);
}

static void a_step_ends_it_and_begins_the_time_again(void)
{
	begin();
	pass(PATIENCE);
	CHECK(stall_on_step(&stall, now) && !stall.told);
	CHECK(!stall_on_step(&stall, now));
	CHECK(pass(PATIENCE - 1) == 0);
	CHECK(!stall_on_step(&stall, now));
	CHECK(pass(PATIENCE - 1) == 0 && pass(1) == 1);
}

static void output_counts_until_a_step_is_seen(void)
{
	begin();
	CHECK(pass(PATIENCE - 1) == 0);
	CHECK(!stall_on_output(&stall, now));
	CHECK(pass(PATIENCE) == 1);
	CHECK(stall_on_output(&stall, now));
	stall_on_step(&stall, now);
	pass(PATIENCE / 2);
	CHECK(!stall_on_output(&stall, now));
	CHECK(pass(PATIENCE / 2) == 1);
	CHECK(!stall_on_output(&stall, now) && stall.told);
}

static void a_pause_stops_the_clock(void)
{
	begin();
	CHECK(pass(PATIENCE / 2) == 0);
	stall_on_ranks(&stall, 1, false, now);
	CHECK(stall_next_look(&stall) == 0);
	now += 10 * PATIENCE;
	stall_on_ranks(&stall, 1, true, now);
	CHECK(stall_length(&stall, now) == PATIENCE / 2);
	CHECK(pass(PATIENCE / 2 - 1) == 0);
	CHECK(pass(1) == 1);
}

static void each_start_has_its_own_time(void)
{
	begin();
	pass(PATIENCE);
	stall_on_ranks(&stall, 2, false, now);
	now += PATIENCE;
	stall_on_ranks(&stall, 2, true, now);
	CHECK(stall.told && stall_length(&stall, now) == PATIENCE);
	CHECK(pass(PATIENCE - 1) == 0);
	CHECK(pass(1) == 1);
	CHECK(stall_length(&stall, now) == 2 * PATIENCE);
	CHECK(stall_on_step(&stall, now) && !stall.told);
	CHECK(stall_length(&stall, now) == 0);
}

static void time_that_is_excused_does_not_count(void)
{
	begin();
	for (int i = 0; i < 100; i++) {
		now += stall_next_look(&stall);
		CHECK(!stall_look(&stall, true, now));
	}
	CHECK(stall_length(&stall, now) == 0);
	CHECK(pass(PATIENCE) == 1);
}

static void time_in_which_nobody_looked_does_not_count(void)
{
	begin();
	pass(PATIENCE / 2);
	now += 10 * PATIENCE;
	CHECK(!stall_look(&stall, false, now));
	CHECK(stall_length(&stall, now) == PATIENCE / 2);
	CHECK(pass(PATIENCE / 2) == 1);
}

static void without_a_patience_nothing_is_looked_for(void)
{
	begin();
	stall.patience = 0;
	CHECK(stall_next_look(&stall) == 0);
	now += MINUTES(60 * 24);
	CHECK(!stall_look(&stall, false, now));
}

RUN_TESTS(TEST(what_makes_no_step_is_found_once),
	  TEST(a_step_ends_it_and_begins_the_time_again),
	  TEST(output_counts_until_a_step_is_seen),
	  TEST(a_pause_stops_the_clock), TEST(each_start_has_its_own_time),
	  TEST(time_that_is_excused_does_not_count),
	  TEST(time_in_which_nobody_looked_does_not_count),
	  TEST(without_a_patience_nothing_is_looked_for))
