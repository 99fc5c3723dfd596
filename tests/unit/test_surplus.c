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

/* w2 joined so long ago that a loss before it would have been noticed. */
static void let_time_pass(const struct driver *driver)
{
	members_ledger(driver->members)->members[2].joined -=
		driver->jobfile->lost_after;
}

static unsigned count_notices(const struct driver *driver,
			      Bellows__V1__NoticeKind kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < driver->history->n_notices; i++)
		n += driver->history->notices[i].kind == kind;
	return n;
}

static void one_too_many(struct desk *at, void *user)
{
	starts(at, 2);
	come(2);
	let_time_pass(at->c->driver);
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

/* w1 has died, w2 is there in its place, and the loss is not noticed yet. */
static void one_that_joined_just_now(struct desk *at, void *user)
{
	struct driver *driver = at->c->driver;

	starts(at, 2);
	prints("w0", 10, 1, 0);
	come(2);
	CHECK(driver->job.stepped && state_of(2) == MEMBER_READY);
	CHECK(loop_timer_is_set(&driver->surplus));

	let_time_pass(driver);
	driver->surplus.fn(driver->surplus.user);
	CHECK(state_of(1) == MEMBER_READY && state_of(2) == MEMBER_LEAVING);
}

static void an_executor_that_joined_just_now_is_kept_for_a_while(void)
{
	CHECK(desk_run(job, one_that_joined_just_now, NULL));
}

static void leaves(int number, uint32_t grace)
{
	Bellows__V1__Heartbeat heartbeat = BELLOWS__V1__HEARTBEAT__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	heartbeat.leaving = true;
	heartbeat.grace = grace;
	r.what_case = BELLOWS__V1__REPORT__WHAT_HEARTBEAT;
	r.heartbeat = &heartbeat;
	report(number, &r);
}

static void a_spare_one(struct desk *at, void *user)
{
	struct driver *driver = at->c->driver;

	starts(at, 2);
	prints("w0", 10, 1, 0);
	come(2);
	if (user)
		leaves(2, 30000);
	else
		members_part(driver->members, 2, "it was killed");
	CHECK(state_of(2) == (user ? MEMBER_LEAVING : MEMBER_LOST));
	CHECK(driver->history->n_notices == 0);

	members_part(driver->members, 1, "it was killed");
	CHECK(count_notices(driver, BELLOWS__V1__NOTICE_KIND__NOTICE_LOST) ==
	      1);
}

static void the_loss_of_a_spare_executor_is_no_notice(void)
{
	CHECK(desk_run(job, a_spare_one, NULL));
}

static void a_spare_executor_that_leaves_is_no_notice(void)
{
	char it_leaves;

	CHECK(desk_run(job, a_spare_one, &it_leaves));
}

static void one_that_is_waited_for(struct desk *at, void *user)
{
	struct driver *driver = at->c->driver;

	starts(at, 2);
	prints("w0", 10, 1, 0);
	scale(4);
	come(2);
	CHECK(driver->job.state == JOB_GROWING && driver_held(driver) == 4);
	members_part(driver->members, 2, "it was killed");
	CHECK(count_notices(driver, BELLOWS__V1__NOTICE_KIND__NOTICE_LOST) ==
	      1);
}

static void the_loss_of_one_that_is_to_have_ranks_is_a_notice(void)
{
	CHECK(desk_run(job, one_that_is_waited_for, NULL));
}

RUN_TESTS(TEST(executors_are_held_from_the_beginning_and_for_the_size_to_come),
	  TEST(executors_without_ranks_are_released_once_the_start_is_proven),
	  TEST(an_executor_that_joined_just_now_is_kept_for_a_while),
	  TEST(the_loss_of_a_spare_executor_is_no_notice),
	  TEST(a_spare_executor_that_leaves_is_no_notice),
	  TEST(the_loss_of_one_that_is_to_have_ranks_is_a_notice))
