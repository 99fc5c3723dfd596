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

RUN_TESTS(TEST(events_are_taken_in_the_order_in_which_they_were_put),
	  TEST(events_that_are_cleared_are_not_taken))
