/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"
#include "tests/unit/desk_crew.h"

/*
 * A coordinator that cannot see any more whether the checkpoint directory is
 * its own
 */

static const char job[] = "name: heat\napp: parint\n"
			  "command: [parint, --array-size, 64]\n"
			  "ranks: {initial: 2, max: 4}\n"
			  "checkpoint: {dir: ck}\n";

/* Whether the executor is answered. */
static bool is_answered(int number)
{
	unsigned before = desk_answer(streams[number])->n;
	Bellows__V1__Heartbeat heartbeat = BELLOWS__V1__HEARTBEAT__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	r.what_case = BELLOWS__V1__REPORT__WHAT_HEARTBEAT;
	r.heartbeat = &heartbeat;
	report(number, &r);
	return desk_answer(streams[number])->n > before;
}

static void beat(struct desk *at, void *user)
{
	struct driver *driver = at->c->driver;

	starts(at, 2);
	CHECK(is_answered(0) && is_answered(1));
	driver_own_until(driver, loop_now());
	CHECK(!is_answered(0) && !is_answered(1));
	driver_own_until(driver, loop_now() + SECONDS(100));
	CHECK(is_answered(0) && is_answered(1));
}

static void no_heartbeat_is_answered_meanwhile(void)
{
	CHECK(desk_run(job, beat, NULL));
}

static void stay_away(struct desk *at, void *user)
{
	struct driver *driver = at->c->driver;

	desk = at;
	memset(streams, 0, sizeof(streams));
	driver_own_until(driver, loop_now());
	come(0);
	come(1);
	CHECK(driver_job(driver)->state == JOB_STARTING);
	CHECK(!launches_now(driver_launches(driver)));
	CHECK(!loop_timer_is_set(&driver->fence.timer));
	driver_own_until(driver, loop_now() + SECONDS(100));
	CHECK(loop_timer_is_set(&driver->fence.timer));
	driver->fence.timer.fn(driver->fence.timer.user);
	CHECK(launches_now(driver_launches(driver)));
}

static void nothing_is_started_meanwhile(void)
{
	CHECK(desk_run(job, stay_away, NULL));
}

static void fence(struct desk *at, void *user)
{
	struct driver *driver = at->c->driver;
	bool starts_at_once = !user;

	desk = at;
	memset(streams, 0, sizeof(streams));
	if (!starts_at_once)
		CHECK(driver_fence(driver) == SECONDS(2));
	CHECK(driver_has_no_rank(driver) == starts_at_once);
	come(0);
	CHECK(!driver_has_no_rank(driver));
	come(1);
	CHECK(!launches_now(driver_launches(driver)) == !starts_at_once);
}

static void nothing_is_started_before_the_leases_of_another_are_over(void)
{
	CHECK(desk_run(job, fence, NULL));
	CHECK(desk_run(job, fence, (void *)job));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(no_heartbeat_is_answered_meanwhile),
		TEST(nothing_is_started_meanwhile),
		TEST(nothing_is_started_before_the_leases_of_another_are_over),
	};

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
