/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"
#include "tests/unit/desk_crew.h"

/*
 * A coordinator that takes a job over waits until the leases of the former one
 * are over: the fence
 */

#define PATIENCE MINUTES(1)

static const char job[] = "name: heat\napp: parint\n"
			  "command: [parint, --array-size, 64]\n"
			  "ranks: {initial: 2, max: 4}\n"
			  "start_deadline: 1min\n"
			  "checkpoint: {dir: ck}\n";

static struct driver *begin(struct desk *at, msec_t until)
{
	desk = at;
	memset(streams, 0, sizeof(streams));
	at->c->driver->fence.until = until;
	return at->c->driver;
}

static bool ends_at(const struct driver *driver, msec_t instant)
{
	return loop_timer_is_set(&driver->deadline) &&
	       driver->deadline.at >= instant &&
	       driver->deadline.at < instant + SECONDS(10);
}

static void fenced(struct desk *at, void *user)
{
	msec_t until = loop_now() + MINUTES(5);
	struct driver *driver = begin(at, until);

	come(0);
	come(1);
	CHECK(driver->job.state == JOB_STARTING && at->runs == 0);
	CHECK(driver->fence.timer.at == until);
	CHECK(ends_at(driver, until + PATIENCE));

	driver->fence.until = loop_now();
	driver->fence.timer.fn(driver);
	CHECK(at->runs == 1);
	CHECK(ends_at(driver, until + PATIENCE));
}

static void a_start_that_waits_for_the_fence_has_all_its_time_after_it(void)
{
	CHECK(desk_run(job, fenced, NULL));
}

static void over(struct desk *at, void *user)
{
	struct driver *driver = begin(at, loop_now() - 1);
	msec_t before = loop_now();

	come(0);
	come(1);
	CHECK(driver->job.state == JOB_STARTING && at->runs == 1);
	CHECK(ends_at(driver, before + PATIENCE));
}

static void a_start_after_the_fence_has_its_time_from_its_own_beginning(void)
{
	CHECK(desk_run(job, over, NULL));
}

static void waits(struct desk *at, void *user)
{
	struct driver *driver = begin(at, loop_now() + MINUTES(5));
	msec_t deadline = driver->job.deadline;

	come(0);
	CHECK(driver->job.state == JOB_WAITING);
	driver_arm_deadline(driver);
	CHECK(ends_at(driver, deadline));
}

static void executors_are_not_waited_for_any_longer_because_of_it(void)
{
	CHECK(desk_run(job, waits, NULL));
}

RUN_TESTS(TEST(a_start_that_waits_for_the_fence_has_all_its_time_after_it),
	  TEST(a_start_after_the_fence_has_its_time_from_its_own_beginning),
	  TEST(executors_are_not_waited_for_any_longer_because_of_it))
