/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/sim/world.h"

/*
 * After a loss or a drain a job goes on with the executors that are left, and
 * grows back to what it is to have
 */

/* Ranks that made their first step; the clock shows 20 s. */
static void after_a_loss_it_goes_on_with_the_survivors_and_grows_back(void)
{
	struct world world;

	world_begin(&world, 4);
	world.model.stock = 4;
	world_lose(&world, 1);
	world_run(&world, SECONDS(29));
	world_restock(&world, 1);
	world_run(&world, SECONDS(60));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] lost -> stopping, 4 of 4 ranks, epoch 1, 1 lost\n"
		"[ 21.0] stopped -> starting, 4 of 3 ranks, epoch 2, 1 lost\n"
		"[ 24.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 25.0] step -> running, 3 of 3 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 25.0] executors -> growing, 3 of 4 ranks, epoch 2, 1 lost\n"
		"[ 34.0] executors -> preparing, 3 of 4 ranks, epoch 2 next 3, "
		"1 lost\n"
		"[ 36.0] prepared -> saving, 3 of 4 ranks, epoch 2 next 3, 1 "
		"lost\n"
		"[ 40.0] saved -> stopping, 3 of 4 ranks, epoch 2 next 3\n"
		"[ 41.0] stopped -> starting, 3 of 4 ranks, epoch 3\n"
		"[ 42.0] ranks up -> running, 4 of 4 ranks, epoch 3\n"
		"[ 43.0] step -> running, 4 of 4 ranks, epoch 3\n");
}

static void a_replacement_that_is_ready_before_the_new_start_is_part_of_it(void)
{
	struct world world;

	world_begin(&world, 4);
	world.model.stop = SECONDS(6);
	world_lose(&world, 1);
	world_run(&world, SECONDS(60));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] lost -> stopping, 4 of 4 ranks, epoch 1, 1 lost\n"
		"[ 26.0] stopped -> starting, 4 of 4 ranks, epoch 2, 1 lost\n"
		"[ 29.0] ranks up -> running, 4 of 4 ranks, epoch 2, 1 lost\n"
		"[ 30.0] step -> running, 4 of 4 ranks, epoch 2, 1 lost\n");
}

static void one_that_is_ready_in_a_moment_is_waited_for(void)
{
	struct world world;

	world_begin(&world, 4);
	world.model.stop = SECONDS(4);
	world.model.joining = true;
	world_lose(&world, 1);
	world_run(&world, SECONDS(60));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] lost -> stopping, 4 of 4 ranks, epoch 1, 1 lost\n"
		"[ 24.0] replaced soon -> replacing, 4 of 4 ranks, epoch 1, 1 "
		"lost\n"
		"[ 25.0] executors -> starting, 4 of 4 ranks, epoch 2, 1 lost\n"
		"[ 28.0] ranks up -> running, 4 of 4 ranks, epoch 2, 1 lost\n"
		"[ 29.0] step -> running, 4 of 4 ranks, epoch 2, 1 lost\n");
}

static void one_that_takes_longer_is_not_waited_for(void)
{
	struct world world;

	world_begin(&world, 4);
	world.model.joining = true;
	world_lose(&world, 1);
	world_run(&world, SECONDS(60));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] lost -> stopping, 4 of 4 ranks, epoch 1, 1 lost\n"
		"[ 21.0] replaced soon -> replacing, 4 of 4 ranks, epoch 1, 1 "
		"lost\n"
		"[ 23.0] timeout -> starting, 4 of 3 ranks, epoch 2, 1 lost\n"
		"[ 26.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 27.0] step -> running, 3 of 3 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 27.0] executors -> preparing, 3 of 4 ranks, epoch 2 next 3, "
		"1 lost\n"
		"[ 29.0] prepared -> saving, 3 of 4 ranks, epoch 2 next 3, 1 "
		"lost\n"
		"[ 33.0] saved -> stopping, 3 of 4 ranks, epoch 2 next 3\n"
		"[ 34.0] stopped -> starting, 3 of 4 ranks, epoch 3\n"
		"[ 35.0] ranks up -> running, 4 of 4 ranks, epoch 3\n"
		"[ 36.0] step -> running, 4 of 4 ranks, epoch 3\n");
}

static void one_that_is_ready_during_the_new_start_is_taken_after_its_step(void)
{
	struct world world;

	world_begin(&world, 4);
	world.model.stock = 4;
	world_lose(&world, 1);
	world_run(&world, SECONDS(21));
	world.model.join = SECONDS(1);
	world_restock(&world, 1);
	world_run(&world, SECONDS(60));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] lost -> stopping, 4 of 4 ranks, epoch 1, 1 lost\n"
		"[ 21.0] stopped -> starting, 4 of 3 ranks, epoch 2, 1 lost\n"
		"[ 24.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 25.0] step -> running, 3 of 3 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 25.0] executors -> preparing, 3 of 4 ranks, epoch 2 next 3, "
		"1 lost\n"
		"[ 27.0] prepared -> saving, 3 of 4 ranks, epoch 2 next 3, 1 "
		"lost\n"
		"[ 31.0] saved -> stopping, 3 of 4 ranks, epoch 2 next 3\n"
		"[ 32.0] stopped -> starting, 3 of 4 ranks, epoch 3\n"
		"[ 33.0] ranks up -> running, 4 of 4 ranks, epoch 3\n"
		"[ 34.0] step -> running, 4 of 4 ranks, epoch 3\n");
}

static void one_that_never_comes_is_asked_for_with_growing_distance(void)
{
	struct world world;

	world_begin(&world, 4);
	world.model.stock = 4;
	world_lose(&world, 1);
	world_run(&world, SECONDS(300));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] lost -> stopping, 4 of 4 ranks, epoch 1, 1 lost\n"
		"[ 21.0] stopped -> starting, 4 of 3 ranks, epoch 2, 1 lost\n"
		"[ 24.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 25.0] step -> running, 3 of 3 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 25.0] executors -> growing, 3 of 4 ranks, epoch 2, 1 lost\n"
		"[ 85.0] timeout -> running, 3 of 3 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 86.0] executors -> growing, 3 of 4 ranks, epoch 2, 1 lost\n"
		"[146.0] timeout -> running, 3 of 3 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[148.0] executors -> growing, 3 of 4 ranks, epoch 2, 1 lost\n"
		"[208.0] timeout -> running, 3 of 3 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[212.0] executors -> growing, 3 of 4 ranks, epoch 2, 1 lost\n"
		"[272.0] timeout -> running, 3 of 3 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[280.0] executors -> growing, 3 of 4 ranks, epoch 2, 1 "
		"lost\n");
}

static void of_two_that_are_lost_one_that_comes_is_made_use_of(void)
{
	struct world world;

	world_begin(&world, 4);
	world.model.stock = 4;
	world_lose(&world, 1);
	world_lose(&world, 1);
	world_run(&world, SECONDS(30));
	world_restock(&world, 1);
	world_run(&world, SECONDS(120));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] lost -> stopping, 4 of 4 ranks, epoch 1, 1 lost\n"
		"[ 20.0] it had no part in a start\n"
		"[ 21.0] stopped -> starting, 4 of 2 ranks, epoch 2, 1 lost\n"
		"[ 24.0] ranks up -> running, 2 of 2 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 25.0] step -> running, 2 of 2 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 25.0] executors -> growing, 2 of 4 ranks, epoch 2, 1 lost\n"
		"[ 85.0] timeout -> preparing, 2 of 3 ranks, epoch 2 next 3, 1 "
		"lost\n"
		"[ 87.0] prepared -> saving, 2 of 3 ranks, epoch 2 next 3, 1 "
		"lost\n"
		"[ 91.0] saved -> stopping, 2 of 3 ranks, epoch 2 next 3\n"
		"[ 92.0] stopped -> starting, 2 of 3 ranks, epoch 3\n"
		"[ 93.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 94.0] step -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 94.0] executors -> growing, 3 of 4 ranks, epoch 3\n");
}

/* ---- a drain ---- */

static void after_a_drain_it_grows_back(void)
{
	struct world world;

	world_begin(&world, 4);
	world.model.stock = 4;
	world_leave(&world, 1, SECONDS(20));
	world_run(&world, SECONDS(40));
	world_restock(&world, 1);
	world_run(&world, SECONDS(70));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] leave -> preparing, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 22.0] prepared -> saving, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 26.0] saved -> stopping, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 27.0] stopped -> starting, 4 of 3 ranks, epoch 2\n"
		"[ 28.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 2\n"
		"[ 29.0] step -> running, 3 of 3 ranks, goal 4, epoch 2\n"
		"[ 29.0] executors -> growing, 3 of 4 ranks, epoch 2\n"
		"[ 45.0] executors -> preparing, 3 of 4 ranks, epoch 2 next 3\n"
		"[ 47.0] prepared -> saving, 3 of 4 ranks, epoch 2 next 3\n"
		"[ 51.0] saved -> stopping, 3 of 4 ranks, epoch 2 next 3\n"
		"[ 52.0] stopped -> starting, 3 of 4 ranks, epoch 3\n"
		"[ 53.0] ranks up -> running, 4 of 4 ranks, epoch 3\n"
		"[ 54.0] step -> running, 4 of 4 ranks, epoch 3\n");
}

RUN_TESTS(TEST(after_a_loss_it_goes_on_with_the_survivors_and_grows_back),
	  TEST(a_replacement_that_is_ready_before_the_new_start_is_part_of_it),
	  TEST(one_that_is_ready_in_a_moment_is_waited_for),
	  TEST(one_that_takes_longer_is_not_waited_for),
	  TEST(one_that_is_ready_during_the_new_start_is_taken_after_its_step),
	  TEST(one_that_never_comes_is_asked_for_with_growing_distance),
	  TEST(of_two_that_are_lost_one_that_comes_is_made_use_of),
	  TEST(after_a_drain_it_grows_back))
