/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/session_state.h"
#include "executor/start_state.h"
#include "tests/check.h"

/* ---- the ranks of a start ---- */

static void ranks_that_leave_by_themselves_are_gone_once_it_is_stopped(void)
{
	unsigned start = START_GATHERING;

	CHECK(start_step(&start, START_EV_OPEN));
	CHECK(start_step(&start, START_EV_UP));
	CHECK(start_step(&start, START_EV_EMPTY) && start == START_LEFT);
	CHECK(start_step(&start, START_EV_STOP) && start == START_GONE);
}

static void a_start_is_opened_once(void)
{
	for (unsigned state = START_GATHERING; state <= START_GONE; state++) {
		unsigned start = state;

		CHECK(start_step(&start, START_EV_OPEN) ==
		      (state == START_GATHERING));
	}
}

static void a_start_that_is_stopped_only_becomes_empty(void)
{
	for (unsigned state = START_GATHERING; state < START_STOPPING;
	     state++) {
		unsigned start = state;

		CHECK(start_step(&start, START_EV_STOP));
		CHECK(start == START_STOPPING);
		CHECK(!start_step(&start, START_EV_UP));
		CHECK(start_step(&start, START_EV_EMPTY));
		CHECK(start == START_GONE);
	}
}

/* ---- the coordinator ---- */

static void a_stream_that_breaks_is_made_again(void)
{
	unsigned session = SESSION_AWAY;

	CHECK(session_step(&session, SESSION_EV_ATTACH));
	CHECK(session_step(&session, SESSION_EV_DETACH));
	CHECK(session == SESSION_AWAY);
}

static void only_a_coordinator_can_be_asked_for_the_release(void)
{
	unsigned away = SESSION_AWAY, attached = SESSION_ATTACHED;

	CHECK(!session_step(&away, SESSION_EV_DRAIN));
	CHECK(session_step(&attached, SESSION_EV_DRAIN));
	CHECK(!session_step(&attached, SESSION_EV_DRAIN));
}

static void a_notice_to_leave_outlives_its_stream(void)
{
	unsigned session = SESSION_DRAINING;

	CHECK(session_step(&session, SESSION_EV_DETACH));
	CHECK(session == SESSION_SEEKING);
	CHECK(!session_step(&session, SESSION_EV_DRAIN));
	CHECK(!session_step(&session, SESSION_EV_DETACH));
	CHECK(session_step(&session, SESSION_EV_ATTACH));
	CHECK(session == SESSION_DRAINING);
}

static void an_executor_that_leaves_does_nothing_else(void)
{
	for (unsigned state = SESSION_AWAY; state < SESSION_LEAVING; state++) {
		unsigned session = state;

		CHECK(session_step(&session, SESSION_EV_LEAVE));
		for (unsigned ev = SESSION_EV_ATTACH; ev <= SESSION_EV_LEAVE;
		     ev++)
			CHECK(!session_step(&session, ev));
	}
}

RUN_TESTS(TEST(ranks_that_leave_by_themselves_are_gone_once_it_is_stopped),
	  TEST(a_start_is_opened_once),
	  TEST(a_start_that_is_stopped_only_becomes_empty),
	  TEST(a_stream_that_breaks_is_made_again),
	  TEST(only_a_coordinator_can_be_asked_for_the_release),
	  TEST(a_notice_to_leave_outlives_its_stream),
	  TEST(an_executor_that_leaves_does_nothing_else))
