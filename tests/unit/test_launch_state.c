/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "coordinator/launch/launch_state.h"
#include "tests/check.h"

static const enum launch_event events[] = {
	LAUNCH_EV_PREPARED, LAUNCH_EV_OPEN, LAUNCH_EV_UP,
	LAUNCH_EV_FAILED,   LAUNCH_EV_STOP, LAUNCH_EV_GONE,
};

static unsigned after(unsigned state, enum launch_event event)
{
	return launch_step(&state, event) ? state : LAUNCH_GONE + 1;
}

static void a_start_is_opened_once_it_is_prepared_and_wanted(void)
{
	CHECK(after(LAUNCH_WIRING, LAUNCH_EV_PREPARED) == LAUNCH_PREPARED);
	CHECK(after(LAUNCH_PREPARED, LAUNCH_EV_OPEN) == LAUNCH_OPENED);
	CHECK(after(LAUNCH_WIRING, LAUNCH_EV_OPEN) == LAUNCH_WANTED);
	CHECK(after(LAUNCH_WANTED, LAUNCH_EV_PREPARED) == LAUNCH_OPENED);
}

static void ranks_are_up_only_in_a_start_that_was_opened(void)
{
	for (unsigned state = LAUNCH_WIRING; state <= LAUNCH_GONE; state++)
		CHECK((after(state, LAUNCH_EV_UP) == LAUNCH_UP) ==
		      (state == LAUNCH_OPENED));
}

static void a_start_fails_before_it_is_up_and_not_after(void)
{
	for (unsigned state = LAUNCH_WIRING; state <= LAUNCH_GONE; state++)
		CHECK((after(state, LAUNCH_EV_FAILED) == LAUNCH_FAILED) ==
		      (state < LAUNCH_UP));
}

static void every_start_can_be_stopped_and_then_only_goes(void)
{
	for (unsigned state = LAUNCH_WIRING; state < LAUNCH_STOPPING; state++)
		CHECK(after(state, LAUNCH_EV_STOP) == LAUNCH_STOPPING);
	for (size_t i = 0; i < LENGTH(events); i++) {
		unsigned state = LAUNCH_STOPPING;

		CHECK(launch_step(&state, events[i]) ==
		      (events[i] == LAUNCH_EV_GONE));
		state = LAUNCH_GONE;
		CHECK(!launch_step(&state, events[i]));
	}
}

static void ranks_that_ran_and_left_were_up(void)
{
	unsigned ran = GROUP_AWAITED, never = GROUP_AWAITED;

	CHECK(group_has_ranks(ran) && !group_was_up(ran));
	CHECK(group_step(&ran, GROUP_EV_UP) && group_has_ranks(ran));
	CHECK(group_step(&ran, GROUP_EV_GONE) && !group_has_ranks(ran));
	CHECK(group_was_up(ran));
	CHECK(group_step(&never, GROUP_EV_GONE) && !group_has_ranks(never));
	CHECK(!group_was_up(never));
	CHECK(!group_step(&never, GROUP_EV_UP));
}

static void a_lost_executor_has_no_ranks(void)
{
	unsigned awaited = GROUP_AWAITED, up = GROUP_UP;

	CHECK(group_step(&awaited, GROUP_EV_LOST));
	CHECK(group_step(&up, GROUP_EV_LOST));
	CHECK(!group_has_ranks(awaited) && !group_has_ranks(up));
	CHECK(!group_step(&up, GROUP_EV_UP));
}

static void an_order_is_told_once_and_is_open_until_it_is_confirmed(void)
{
	unsigned order = ORDER_NONE;

	CHECK(!order_step(&order, ORDER_EV_ASKED) && !order_is_open(order));
	CHECK(order_step(&order, ORDER_EV_SAVED) && order_is_open(order));
	CHECK(order_step(&order, ORDER_EV_ASKED) && order == ORDER_TOLD);
	CHECK(order_is_open(order));
	CHECK(order_step(&order, ORDER_EV_CONFIRMED) && !order_is_open(order));
	CHECK(!order_step(&order, ORDER_EV_ASKED));
	CHECK(!order_step(&order, ORDER_EV_PASS));
}

static void an_executor_that_asks_again_is_not_waited_for(void)
{
	unsigned order = ORDER_TOLD, lost = ORDER_NONE;

	CHECK(order_step(&order, ORDER_EV_ASKED) && order == ORDER_PASSED);
	CHECK(!order_is_open(order));
	CHECK(!order_step(&order, ORDER_EV_CONFIRMED));
	CHECK(order_step(&lost, ORDER_EV_PASS) && !order_is_open(lost));
	CHECK(!order_step(&lost, ORDER_EV_SAVED));
}

RUN_TESTS(TEST(a_start_is_opened_once_it_is_prepared_and_wanted),
	  TEST(ranks_are_up_only_in_a_start_that_was_opened),
	  TEST(a_start_fails_before_it_is_up_and_not_after),
	  TEST(every_start_can_be_stopped_and_then_only_goes),
	  TEST(ranks_that_ran_and_left_were_up),
	  TEST(a_lost_executor_has_no_ranks),
	  TEST(an_order_is_told_once_and_is_open_until_it_is_confirmed),
	  TEST(an_executor_that_asks_again_is_not_waited_for))
