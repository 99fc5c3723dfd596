/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/sim/world.h"

/*
 * Numbers that are stated stay stated: a job moves to the smaller one of its
 * want and its grant whenever it can
 */

/* Ranks that made their first step; the clock shows 20 s. */
static void a_grant_below_its_size_shrinks_it(void)
{
	struct world world;

	world_begin(&world, 4);
	world_tell(&world, JOB_EV_GRANT, 2);
	world_run(&world, SECONDS(40));
	CHECK(world.job.want == 4 && world.job.grant == 2);

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] grant -> preparing, 4 of 2 ranks, epoch 1 next 2\n"
		   "[ 22.0] prepared -> saving, 4 of 2 ranks, epoch 1 next 2\n"
		   "[ 26.0] saved -> stopping, 4 of 2 ranks, epoch 1 next 2\n"
		   "[ 27.0] stopped -> starting, 4 of 2 ranks, epoch 2\n"
		   "[ 28.0] ranks up -> running, 2 of 2 ranks, epoch 2\n"
		   "[ 29.0] step -> running, 2 of 2 ranks, epoch 2\n");
}

static void a_want_above_the_grant_waits_for_it(void)
{
	struct world world;

	world_begin(&world, 2);
	world_tell(&world, JOB_EV_GRANT, 2);
	world_tell(&world, JOB_EV_SCALE, 4);
	world_run(&world, SECONDS(30));
	world_tell(&world, JOB_EV_GRANT, 3);
	world_run(&world, SECONDS(60));
	CHECK(world.job.want == 4);

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] grant -> running, 2 of 2 ranks, epoch 1\n"
		"[ 20.0] scale -> running, 2 of 2 ranks, epoch 1\n"
		"[ 30.0] grant -> growing, 2 of 3 ranks, epoch 1\n"
		"[ 35.0] executors -> preparing, 2 of 3 ranks, epoch 1 next 2\n"
		"[ 37.0] prepared -> saving, 2 of 3 ranks, epoch 1 next 2\n"
		"[ 41.0] saved -> stopping, 2 of 3 ranks, epoch 1 next 2\n"
		"[ 42.0] stopped -> starting, 2 of 3 ranks, epoch 2\n"
		"[ 43.0] ranks up -> running, 3 of 3 ranks, epoch 2\n"
		"[ 44.0] step -> running, 3 of 3 ranks, epoch 2\n");
}

static void a_number_that_is_stated_during_a_rescale_is_next(void)
{
	struct world world;

	world_begin(&world, 2);
	world_tell(&world, JOB_EV_SCALE, 3);
	world_run(&world, SECONDS(26));
	world_tell(&world, JOB_EV_SCALE, 4);
	world_run(&world, SECONDS(70));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 3 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 3 ranks, epoch 1 next 2\n"
		"[ 26.0] scale -> preparing, 2 of 3 ranks, epoch 1 next 2\n"
		"[ 27.0] prepared -> saving, 2 of 3 ranks, epoch 1 next 2\n"
		"[ 31.0] saved -> stopping, 2 of 3 ranks, epoch 1 next 2\n"
		"[ 32.0] stopped -> starting, 2 of 3 ranks, epoch 2\n"
		"[ 33.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 2\n"
		"[ 34.0] step -> running, 3 of 3 ranks, goal 4, epoch 2\n"
		"[ 34.0] executors -> preparing, 3 of 4 ranks, epoch 2 next 3\n"
		"[ 36.0] prepared -> saving, 3 of 4 ranks, epoch 2 next 3\n"
		"[ 40.0] saved -> stopping, 3 of 4 ranks, epoch 2 next 3\n"
		"[ 41.0] stopped -> starting, 3 of 4 ranks, epoch 3\n"
		"[ 42.0] ranks up -> running, 4 of 4 ranks, epoch 3\n"
		"[ 43.0] step -> running, 4 of 4 ranks, epoch 3\n");
}

static void a_grow_is_called_off_by_the_number_that_it_has(void)
{
	struct world world;

	world_begin(&world, 2);
	world_tell(&world, JOB_EV_SCALE, 4);
	world_run(&world, SECONDS(22));
	world_tell(&world, JOB_EV_SCALE, 2);
	world_run(&world, SECONDS(60));

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		   "[ 22.0] scale -> running, 2 of 2 ranks, epoch 1\n");
}

static void a_number_that_is_stated_while_it_waits_is_waited_for(void)
{
	struct world world;

	world_init(&world, 4);
	world_run(&world, SECONDS(2));
	world_tell(&world, JOB_EV_SCALE, 3);
	world_run(&world, SECONDS(20));

	CHECK_TEXT(world_transcript(&world),
		   "[  2.0] scale -> waiting, 0 of 3 ranks\n"
		   "[  5.0] executors -> starting, 0 of 3 ranks, epoch 1\n"
		   "[  8.0] ranks up -> running, 3 of 3 ranks, epoch 1\n"
		   "[  9.0] step -> running, 3 of 3 ranks, epoch 1\n");
}

static void a_size_that_fails_is_tried_three_times_and_again_when_stated(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.bad_size = 4;
	world.model.save = SECONDS(1);
	world.model.gate = world.model.open = SECONDS(1);
	world_tell(&world, JOB_EV_SCALE, 4);
	world_run(&world, SECONDS(400));
	world_tell(&world, JOB_EV_SCALE, 4);
	world_run(&world, SECONDS(404));
	world_tell(&world, JOB_EV_CANCEL, 0);

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 26.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 27.0] saved -> stopping, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 28.0] stopped -> starting, 2 of 4 ranks, epoch 2\n"
		"[ 29.0] crashed -> stopping, 2 of 2 ranks, epoch 2\n"
		"[ 30.0] stopped -> starting, 2 of 2 ranks, epoch 3\n"
		"[ 33.0] ranks up -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 34.0] step -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 37.0] executors -> preparing, 2 of 4 ranks, epoch 3 next 4\n"
		"[ 38.0] prepared -> saving, 2 of 4 ranks, epoch 3 next 4\n"
		"[ 39.0] saved -> stopping, 2 of 4 ranks, epoch 3 next 4\n"
		"[ 40.0] stopped -> starting, 2 of 4 ranks, epoch 4\n"
		"[ 41.0] crashed -> stopping, 2 of 2 ranks, epoch 4\n"
		"[ 42.0] stopped -> starting, 2 of 2 ranks, epoch 5\n"
		"[ 45.0] ranks up -> running, 2 of 2 ranks, goal 4, epoch 5\n"
		"[ 46.0] step -> running, 2 of 2 ranks, goal 4, epoch 5\n"
		"[169.0] executors -> preparing, 2 of 4 ranks, epoch 5 next 6\n"
		"[170.0] prepared -> saving, 2 of 4 ranks, epoch 5 next 6\n"
		"[171.0] saved -> stopping, 2 of 4 ranks, epoch 5 next 6\n"
		"[172.0] stopped -> starting, 2 of 4 ranks, epoch 6\n"
		"[173.0] crashed -> stopping, 2 of 2 ranks, epoch 6\n"
		"[174.0] stopped -> starting, 2 of 2 ranks, epoch 7\n"
		"[177.0] ranks up -> running, 2 of 2 ranks, epoch 7\n"
		"[178.0] step -> running, 2 of 2 ranks, epoch 7\n"
		"[400.0] scale -> growing, 2 of 4 ranks, epoch 7\n"
		"[404.0] cancel -> cancelled, 2 of 4 ranks, epoch 7\n");
}

static void a_rescale_that_is_dropped_is_tried_again_later_and_later(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.gate_fails = true;
	world_tell(&world, JOB_EV_SCALE, 3);
	world_run(&world, SECONDS(40));
	world.model.gate_fails = false;
	world_run(&world, SECONDS(80));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 3 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 3 ranks, epoch 1 next 2\n"
		"[ 27.0] unprepared -> running, 2 of 2 ranks, goal 3, epoch 1\n"
		"[ 28.0] executors -> preparing, 2 of 3 ranks, epoch 1 next 3\n"
		"[ 30.0] unprepared -> running, 2 of 2 ranks, goal 3, epoch 1\n"
		"[ 32.0] executors -> preparing, 2 of 3 ranks, epoch 1 next 4\n"
		"[ 34.0] unprepared -> running, 2 of 2 ranks, goal 3, epoch 1\n"
		"[ 38.0] executors -> preparing, 2 of 3 ranks, epoch 1 next 5\n"
		"[ 40.0] unprepared -> running, 2 of 2 ranks, goal 3, epoch 1\n"
		"[ 48.0] executors -> preparing, 2 of 3 ranks, epoch 1 next 6\n"
		"[ 50.0] prepared -> saving, 2 of 3 ranks, epoch 1 next 6\n"
		"[ 54.0] saved -> stopping, 2 of 3 ranks, epoch 1 next 6\n"
		"[ 55.0] stopped -> starting, 2 of 3 ranks, epoch 6\n"
		"[ 56.0] ranks up -> running, 3 of 3 ranks, epoch 6\n"
		"[ 57.0] step -> running, 3 of 3 ranks, epoch 6\n");
}

static void a_checkpoint_that_is_dropped_postpones_no_rescale(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.cannot_save = true;
	world_tell(&world, JOB_EV_DUE, 0);
	world_run(&world, SECONDS(30));
	world.model.cannot_save = false;
	world_tell(&world, JOB_EV_SCALE, 1);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] due -> preparing, 2 of 2 ranks, epoch 1 next 2\n"
		   "[ 22.0] prepared -> saving, 2 of 2 ranks, epoch 1 next 2\n"
		   "[ 26.0] unsaved -> running, 2 of 2 ranks, epoch 1\n"
		   "[ 30.0] scale -> preparing, 2 of 1 ranks, epoch 1 next 3\n"
		   "[ 32.0] prepared -> saving, 2 of 1 ranks, epoch 1 next 3\n"
		   "[ 36.0] saved -> stopping, 2 of 1 ranks, epoch 1 next 3\n"
		   "[ 37.0] stopped -> starting, 2 of 1 ranks, epoch 3\n"
		   "[ 38.0] ranks up -> running, 1 of 1 ranks, epoch 3\n"
		   "[ 39.0] step -> running, 1 of 1 ranks, epoch 3\n");
}

/* ---- its own restart ---- */

static void want_and_grant_survive_a_restart_of_the_coordinator(void)
{
	struct world world;

	world_begin(&world, 2);
	world_tell(&world, JOB_EV_GRANT, 3);
	world_tell(&world, JOB_EV_SCALE, 4);
	world_run(&world, SECONDS(28));
	world_restart(&world);
	world_run(&world, SECONDS(60));
	CHECK(world.job.want == 4 && world.job.grant == 3);

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] grant -> running, 2 of 2 ranks, epoch 1\n"
		"[ 20.0] scale -> growing, 2 of 3 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 3 ranks, epoch 1 next 2\n"
		"[ 27.0] prepared -> saving, 2 of 3 ranks, epoch 1 next 2\n"
		"[ 28.0] restarted -> waiting, 2 of 2 ranks, epoch 1\n"
		"[ 28.0] executors -> starting, 2 of 2 ranks, epoch 3\n"
		"[ 31.0] ranks up -> running, 2 of 2 ranks, goal 3, epoch 3\n"
		"[ 32.0] step -> running, 2 of 2 ranks, goal 3, epoch 3\n"
		"[ 32.0] executors -> preparing, 2 of 3 ranks, epoch 3 next 4\n"
		"[ 34.0] prepared -> saving, 2 of 3 ranks, epoch 3 next 4\n"
		"[ 38.0] saved -> stopping, 2 of 3 ranks, epoch 3 next 4\n"
		"[ 39.0] stopped -> starting, 2 of 3 ranks, epoch 4\n"
		"[ 40.0] ranks up -> running, 3 of 3 ranks, epoch 4\n"
		"[ 41.0] step -> running, 3 of 3 ranks, epoch 4\n");
}

static void a_loss_goes_to_no_more_than_the_grant(void)
{
	struct world world;

	world_begin(&world, 4);
	world.model.gate = SECONDS(9);
	world_tell(&world, JOB_EV_GRANT, 2);
	world_run(&world, SECONDS(22));
	world_lose(&world, 3);
	world_run(&world, SECONDS(40));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] grant -> preparing, 4 of 2 ranks, epoch 1 next 2\n"
		"[ 22.0] lost -> stopping, 4 of 2 ranks, epoch 1, 1 lost\n"
		"[ 23.0] stopped -> starting, 4 of 2 ranks, epoch 3, 1 lost\n"
		"[ 26.0] ranks up -> running, 2 of 2 ranks, epoch 3, 1 lost\n"
		"[ 27.0] step -> running, 2 of 2 ranks, epoch 3, 1 lost\n");
}

RUN_TESTS(TEST(a_grant_below_its_size_shrinks_it),
	  TEST(a_want_above_the_grant_waits_for_it),
	  TEST(a_number_that_is_stated_during_a_rescale_is_next),
	  TEST(a_grow_is_called_off_by_the_number_that_it_has),
	  TEST(a_number_that_is_stated_while_it_waits_is_waited_for),
	  TEST(a_size_that_fails_is_tried_three_times_and_again_when_stated),
	  TEST(a_rescale_that_is_dropped_is_tried_again_later_and_later),
	  TEST(a_checkpoint_that_is_dropped_postpones_no_rescale),
	  TEST(want_and_grant_survive_a_restart_of_the_coordinator),
	  TEST(a_loss_goes_to_no_more_than_the_grant))
