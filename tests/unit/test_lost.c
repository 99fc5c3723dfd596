/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"
#include "core/layout.h"
#include "tests/unit/desk_crew.h"

static const char job[] = "name: heat\napp: parint\n"
			  "command: [parint, --array-size, 64]\n"
			  "ranks: {initial: 3, max: 4}\n"
			  "checkpoint: {dir: ck}\n";

/* Its ranks have saved, and the start of two on w0 and w1 is prepared. */
static void begin(struct desk *at)
{
	starts(at, 3);
	scale(2);
	for (unsigned i = 0; i < 2; i++)
		arrives((int)i, 2, i);
	judges("w0", 10, 1);
}

static void come_back_anew(int number, const char *name)
{
	desk_hang_up(streams[number]);
	streams[number] = NULL;
	join(name, 99, "");
}

/* The last that was waited for, and the next start's too. */
static void last_one(struct desk *at, void *user)
{
	const struct layout *layout;

	begin(at);
	CHECK(at->c->driver->job.state == JOB_STOPPING);
	is_gone(0, 1);
	is_gone(2, 1);
	come_back_anew(1, "w1");
	CHECK(at->c->driver->job.state == JOB_STARTING);
	CHECK(at->c->driver->job.epoch == 3 && at->runs == 3);
	layout = launch_layout(launches_now(at->c->driver->launches));
	CHECK(layout->ranks == 2);
	CHECK(layout_ranks(layout, 0) == 1 && layout_ranks(layout, 2) == 1);
}

static void a_start_that_lost_an_executor_is_not_gone_on_with(void)
{
	CHECK(desk_run(job, last_one, NULL));
}

static void has_disk_trouble(int number, const char *trouble)
{
	Bellows__V1__Disk disk = BELLOWS__V1__DISK__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	disk.trouble = (char *)trouble;
	r.what_case = BELLOWS__V1__REPORT__WHAT_DISK;
	r.disk = &disk;
	report(number, &r);
}

static void asks_for_release(int number)
{
	Bellows__V1__Heartbeat heartbeat = BELLOWS__V1__HEARTBEAT__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	heartbeat.ranks = 1;
	heartbeat.leaving = true;
	heartbeat.grace = MINUTES(1);
	r.what_case = BELLOWS__V1__REPORT__WHAT_HEARTBEAT;
	r.heartbeat = &heartbeat;
	report(number, &r);
}

static void ill_one(struct desk *at, void *user)
{
	const struct job *now = &at->c->driver->job;

	starts(at, 3);
	prints("w0", 10, 1, 0);
	CHECK(now->state == JOB_RUNNING);
	has_disk_trouble(2, "temporary directory: No such file or directory");
	asks_for_release(2);
	CHECK(now->state == JOB_PREPARING && now->target == 2);
	CHECK(launch_has_epoch(launches_next(at->c->driver->launches), 2));
}

static void
the_disk_of_one_that_leaves_is_not_in_the_way_of_the_next_start(void)
{
	CHECK(desk_run(job, ill_one, NULL));
}

RUN_TESTS(TEST(a_start_that_lost_an_executor_is_not_gone_on_with),
	  TEST(the_disk_of_one_that_leaves_is_not_in_the_way_of_the_next_start))
