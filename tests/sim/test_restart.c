/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/sim/world.h"

/* Two ranks that made their first step; the clock shows 20 s. */
/* A grow to 4 that is killed then; it is saved at 31 s. */
static const char *killed_at(struct world *world, msec_t instant)
{
	world_begin(world, 2);
	world_tell(world, JOB_EV_SCALE, 4);
	world_run(world, instant);
	world_forget(world);
	world_restart(world);
	world_run(world, SECONDS(60));
	return world_transcript(world);
}

static void a_job_that_runs_goes_on_at_its_size(void)
{
	struct world world;

	world_begin(&world, 2);
	world_restart(&world);
	world_run(&world, SECONDS(60));
	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] restarted -> waiting, 2 of 2 ranks, epoch 1\n"
		   "[ 20.0] executors -> starting, 2 of 2 ranks, epoch 2\n"
		   "[ 23.0] ranks up -> running, 2 of 2 ranks, epoch 2\n"
		   "[ 24.0] step -> running, 2 of 2 ranks, epoch 2\n");
}

static void a_grow_that_was_not_saved_is_dropped(void)
{
	struct world world;

	CHECK_TEXT(
		killed_at(&world, SECONDS(30)),
		"[ 30.0] restarted -> waiting, 2 of 2 ranks, epoch 1\n"
		"[ 30.0] executors -> starting, 2 of 2 ranks, epoch 3\n"
		"[ 33.0] ranks up -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 34.0] step -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 34.0] executors -> preparing, 2 of 4 ranks, epoch 3 next 4\n"
		"[ 36.0] prepared -> saving, 2 of 4 ranks, epoch 3 next 4\n"
		"[ 40.0] saved -> stopping, 2 of 4 ranks, epoch 3 next 4\n"
		"[ 41.0] stopped -> starting, 2 of 4 ranks, epoch 4\n"
		"[ 42.0] ranks up -> running, 4 of 4 ranks, epoch 4\n"
		"[ 43.0] step -> running, 4 of 4 ranks, epoch 4\n");
}

static void a_grow_that_was_saved_goes_on(void)
{
	struct world world;

	CHECK_TEXT(killed_at(&world, 31500),
		   "[ 31.5] restarted -> waiting, 2 of 4 ranks, epoch 1\n"
		   "[ 31.5] executors -> starting, 2 of 4 ranks, epoch 3\n"
		   "[ 34.5] ranks up -> running, 4 of 4 ranks, epoch 3\n"
		   "[ 35.5] step -> running, 4 of 4 ranks, epoch 3\n");
}

static void a_start_that_was_under_way_is_made_anew(void)
{
	struct world world;

	CHECK_TEXT(killed_at(&world, 32500),
		   "[ 32.5] restarted -> waiting, 2 of 4 ranks, epoch 2\n"
		   "[ 32.5] executors -> starting, 2 of 4 ranks, epoch 3\n"
		   "[ 35.5] ranks up -> running, 4 of 4 ranks, epoch 3\n"
		   "[ 36.5] step -> running, 4 of 4 ranks, epoch 3\n");
}

static void killing_the_coordinator_counts_as_no_loss(void)
{
	struct world world;

	world_begin(&world, 2);
	for (int i = 1; i < 10; i++) {
		world_restart(&world);
		world_run(&world, SECONDS(20 + 10 * i));
	}
	CHECK(world.job.state == JOB_RUNNING);
	CHECK(world.job.retries_left == world.job.patience.retries);
	CHECK(!world.overlapped);
}

static void an_executor_that_does_not_return_is_waited_for_then_left_out(void)
{
	struct world world;

	world_begin(&world, 2);
	world.executors = world.model.stock = 1;
	world_restart(&world);
	world_run(&world, SECONDS(90));
	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] restarted -> waiting, 2 of 2 ranks, epoch 1\n"
		"[ 80.0] timeout -> starting, 2 of 1 ranks, epoch 2\n"
		"[ 83.0] ranks up -> running, 1 of 1 ranks, goal 2, epoch 2\n"
		"[ 84.0] step -> running, 1 of 1 ranks, goal 2, epoch 2\n"
		"[ 84.0] executors -> growing, 1 of 2 ranks, epoch 2\n");
}

RUN_TESTS(TEST(a_job_that_runs_goes_on_at_its_size),
	  TEST(a_grow_that_was_not_saved_is_dropped),
	  TEST(a_grow_that_was_saved_goes_on),
	  TEST(a_start_that_was_under_way_is_made_anew),
	  TEST(killing_the_coordinator_counts_as_no_loss),
	  TEST(an_executor_that_does_not_return_is_waited_for_then_left_out))
