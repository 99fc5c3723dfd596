/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"
#include "tests/unit/desk_crew.h"

static const char job[] = "name: heat\napp: parint\n"
			  "command: [parint, --array-size, 64]\n"
			  "ranks: {initial: 2, max: 4}\n"
			  "checkpoint: {dir: ck}\n";

static enum member_state state_of(int member)
{
	return members_ledger(desk->c->driver->members)->members[member].state;
}

static void one_too_many(struct desk *at, void *user)
{
	starts(at, 2);
	come(2);
	CHECK(at->c->driver->job.state == JOB_RUNNING &&
	      !at->c->driver->job.stepped);
	CHECK(state_of(2) == MEMBER_READY);

	prints("w0", 10, 1, 0);
	CHECK(at->c->driver->job.state == JOB_RUNNING &&
	      at->c->driver->job.stepped);
	CHECK(state_of(0) == MEMBER_READY && state_of(1) == MEMBER_READY);
	CHECK(state_of(2) == MEMBER_LEAVING);
}

static void executors_without_ranks_are_released_once_the_start_is_proven(void)
{
	CHECK(desk_run(job, one_too_many, NULL));
}

static void as_many_as_it_is_to_have(struct desk *at, void *user)
{
	CHECK(driver_held(at->c->driver) == 2);
	starts(at, 2);
	prints("w0", 10, 1, 0);
	scale(4);
	CHECK(at->c->driver->job.state == JOB_GROWING);
	CHECK(driver_held(at->c->driver) == 4);
}

static void executors_are_held_from_the_beginning_and_for_the_size_to_come(void)
{
	CHECK(desk_run(job, as_many_as_it_is_to_have, NULL));
}

RUN_TESTS(TEST(executors_are_held_from_the_beginning_and_for_the_size_to_come),
	  TEST(executors_without_ranks_are_released_once_the_start_is_proven))
