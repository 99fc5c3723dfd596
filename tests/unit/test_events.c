/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/events.h"
#include "tests/check.h"

#include <stdio.h>

static struct list events;

static void put(unsigned epoch)
{
	struct event event = {
		.kind = EVENT_JOB,
		.job = {.type = JOB_EV_CRASHED, .epoch = epoch},
	};

	snprintf(event.reason, sizeof(event.reason), "start %u", epoch);
	CHECK(events_put(&events, &event) == 0);
}

/* The epoch of the oldest one, 0: there is none. */
static unsigned take(void)
{
	struct event event;
	unsigned said = 0;

	if (!events_take(&events, &event))
		return 0;
	return sscanf(event.reason, "start %u", &said) == 1 &&
			       said == event.job.epoch
		       ? said
		       : 0;
}

static void events_are_taken_in_the_order_in_which_they_were_put(void)
{
	list_init(&events);
	CHECK(take() == 0);
	put(1);
	put(2);
	CHECK(take() == 1);
	put(3);
	CHECK(take() == 2);
	CHECK(take() == 3);
	CHECK(take() == 0);
}

static void events_that_are_cleared_are_not_taken(void)
{
	list_init(&events);
	put(1);
	put(2);
	events_clear(&events);
	CHECK(take() == 0);
	put(3);
	CHECK(take() == 3);
}

static void put_kind(enum event_kind kind, enum job_event_type type,
		     unsigned epoch)
{
	const struct event event = {
		.kind = kind,
		.job = {.type = type, .epoch = epoch},
	};

	CHECK(events_put(&events, &event) == 0);
}

static unsigned count(void)
{
	struct event event;
	unsigned n = 0;

	while (events_take(&events, &event))
		n++;
	return n;
}

static void what_the_newest_event_says_is_not_put_again(void)
{
	list_init(&events);
	for (int i = 0; i < 3; i++)
		put_kind(EVENT_JOB, JOB_EV_STEP, 1);
	CHECK(count() == 1);
	for (int i = 0; i < 3; i++)
		put_kind(EVENT_EXECUTORS, JOB_EV_EXECUTORS, 0);
	CHECK(count() == 1);
	put_kind(EVENT_JOB, JOB_EV_STEP, 1);
	put_kind(EVENT_JOB, JOB_EV_STEP, 2);
	put_kind(EVENT_EXECUTORS, JOB_EV_EXECUTORS, 0);
	put_kind(EVENT_JOB, JOB_EV_STEP, 2);
	CHECK(count() == 4);
	for (int i = 0; i < 3; i++)
		put_kind(EVENT_JOB, JOB_EV_LOST, 1);
	CHECK(count() == 3);
}

RUN_TESTS(TEST(events_are_taken_in_the_order_in_which_they_were_put),
	  TEST(events_that_are_cleared_are_not_taken),
	  TEST(what_the_newest_event_says_is_not_put_again))
