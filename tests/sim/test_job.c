/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/sim/world.h"

/* Two ranks that made their first step; the clock shows 20 s. */
static void scale(struct world *world, unsigned size)
{
	world_tell(world, JOB_EV_SCALE, size);
}

static void a_job_starts_when_its_executors_are_there(void)
{
	struct world world;

	world_init(&world, 2);
	world.model.stagger = SECONDS(3);
	world_run(&world, SECONDS(20));
	world_tell(&world, JOB_EV_FINISHED, 0);

	CHECK_TEXT(world_transcript(&world),
		   "[  8.0] executors -> starting, 0 of 2 ranks, epoch 1\n"
		   "[ 11.0] ranks up -> running, 2 of 2 ranks, epoch 1\n"
		   "[ 12.0] step -> running, 2 of 2 ranks, epoch 1\n"
		   "[ 20.0] finished -> done, 2 of 2 ranks, epoch 1\n");
}

static void a_job_starts_with_those_that_came_in_time(void)
{
	struct world world;

	world_init(&world, 4);
	world.model.stagger = SECONDS(25);
	world_run(&world, SECONDS(70));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 60.0] timeout -> starting, 0 of 3 ranks, epoch 1\n"
		"[ 63.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 1\n"
		"[ 64.0] step -> running, 3 of 3 ranks, goal 4, epoch 1\n"
		"[ 64.0] executors -> growing, 3 of 4 ranks, epoch 1\n");
}

static void a_job_that_nobody_runs_fails(void)
{
	struct world world;

	world_init(&world, 4);
	world.model.stock = 0;
	world_run(&world, SECONDS(70));

	CHECK_TEXT(world_transcript(&world),
		   "[ 60.0] timeout -> failed, 0 of 4 ranks\n");
}

static void a_grow_computes_until_all_it_needs_is_there(void)
{
	struct world world;

	world_begin(&world, 2);
	scale(&world, 4);
	world_run(&world, SECONDS(40));
	world_tell(&world, JOB_EV_FINISHED, 0);

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 27.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 31.0] saved -> stopping, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 32.0] stopped -> starting, 2 of 4 ranks, epoch 2\n"
		"[ 33.0] ranks up -> running, 4 of 4 ranks, epoch 2\n"
		"[ 34.0] step -> running, 4 of 4 ranks, epoch 2\n"
		"[ 40.0] finished -> done, 4 of 4 ranks, epoch 2\n");
}

static void a_shrink_needs_no_new_executors(void)
{
	struct world world;

	world_init(&world, 4);
	world_run(&world, SECONDS(20));
	world_forget(&world);
	scale(&world, 2);
	world_run(&world, SECONDS(26) + 500);
	CHECK(world.executors == 4);
	world_run(&world, SECONDS(40));
	CHECK(world.executors == 2);

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] scale -> preparing, 4 of 2 ranks, epoch 1 next 2\n"
		   "[ 22.0] prepared -> saving, 4 of 2 ranks, epoch 1 next 2\n"
		   "[ 26.0] saved -> stopping, 4 of 2 ranks, epoch 1 next 2\n"
		   "[ 27.0] stopped -> starting, 4 of 2 ranks, epoch 2\n"
		   "[ 28.0] ranks up -> running, 2 of 2 ranks, epoch 2\n"
		   "[ 29.0] step -> running, 2 of 2 ranks, epoch 2\n");
}

static void a_grow_goes_on_with_those_that_came_in_time(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.stagger = SECONDS(100);
	scale(&world, 4);
	world_run(&world, SECONDS(89));
	CHECK(world.executors == 4); /* the last one is still of use */

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 80.0] timeout -> preparing, 2 of 3 ranks, epoch 1 next 2\n"
		"[ 82.0] prepared -> saving, 2 of 3 ranks, epoch 1 next 2\n"
		"[ 86.0] saved -> stopping, 2 of 3 ranks, epoch 1 next 2\n"
		"[ 87.0] stopped -> starting, 2 of 3 ranks, epoch 2\n"
		"[ 88.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 2\n"
		"[ 89.0] step -> running, 3 of 3 ranks, goal 4, epoch 2\n"
		"[ 89.0] executors -> growing, 3 of 4 ranks, epoch 2\n");
}

static void a_grow_that_would_be_of_no_use_is_dropped(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.stagger = SECONDS(100);
	world.model.granule = 2;
	scale(&world, 4);
	world_run(&world, SECONDS(100));
	CHECK(world.executors == 4);

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		   "[ 80.0] timeout -> running, 2 of 2 ranks, goal 4, epoch 1\n"
		   "[ 81.0] executors -> growing, 2 of 4 ranks, epoch 1\n");
}

static void a_grow_that_nobody_comes_for_is_dropped_and_tried_again(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.stock = 2;
	scale(&world, 4);
	world_run(&world, SECONDS(100));

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		   "[ 80.0] timeout -> running, 2 of 2 ranks, goal 4, epoch 1\n"
		   "[ 81.0] executors -> growing, 2 of 4 ranks, epoch 1\n");
}

static void the_last_number_that_is_stated_counts(void)
{
	struct world world;

	world_begin(&world, 2);
	scale(&world, 2);
	scale(&world, 0);
	scale(&world, 4);
	scale(&world, 3);
	world_run(&world, SECONDS(26));
	scale(&world, 3);

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> running, 2 of 2 ranks, epoch 1\n"
		"[ 20.0] scale, nothing changes\n"
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 20.0] scale -> growing, 2 of 3 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 3 ranks, epoch 1 next 2\n"
		"[ 26.0] scale -> preparing, 2 of 3 ranks, epoch 1 next 2\n");
}

static void a_preparation_that_fails_disturbs_nobody(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.gate_fails = true;
	scale(&world, 4);
	world_run(&world, SECONDS(40));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 27.0] unprepared -> running, 2 of 2 ranks, goal 4, epoch 1\n"
		"[ 28.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 30.0] unprepared -> running, 2 of 2 ranks, goal 4, epoch 1\n"
		"[ 32.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 4\n"
		"[ 34.0] unprepared -> running, 2 of 2 ranks, goal 4, epoch 1\n"
		"[ 38.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 5\n"
		"[ 40.0] unprepared -> running, 2 of 2 ranks, goal 4, epoch "
		"1\n");
}

static void a_preparation_that_takes_too_long_is_dropped(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.gate = 0;
	scale(&world, 4);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 45.0] timeout -> running, 2 of 2 ranks, goal 4, epoch 1\n"
		"[ 46.0] executors -> preparing, 2 of 4 ranks, epoch 1 next "
		"3\n");
}

static void a_preparation_lost_after_the_order_to_save_is_made_afresh(void)
{
	struct world world;

	world_begin(&world, 2);
	scale(&world, 4);
	world_run(&world, SECONDS(28));
	world_report(&world, JOB_EV_UNPREPARED, 2);
	world_run(&world, SECONDS(40));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 27.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 28.0] unprepared -> saving, 2 of 4 ranks, epoch 1\n"
		"[ 31.0] saved -> stopping, 2 of 4 ranks, epoch 1\n"
		"[ 32.0] stopped -> starting, 2 of 4 ranks, epoch 3\n"
		"[ 35.0] ranks up -> running, 4 of 4 ranks, epoch 3\n"
		"[ 36.0] step -> running, 4 of 4 ranks, epoch 3\n");
}

static void a_checkpoint_that_never_comes_drops_the_rescale(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.save = 0;
	scale(&world, 4);
	world_run(&world, SECONDS(100));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 27.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 57.0] timeout -> running, 2 of 2 ranks, goal 4, epoch 1\n"
		"[ 58.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 60.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 90.0] timeout -> running, 2 of 2 ranks, goal 4, epoch 1\n"
		"[ 92.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 4\n"
		"[ 94.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 4\n");
}

static void an_application_that_cannot_save_computes_on(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.cannot_save = true;
	scale(&world, 4);
	world_run(&world, SECONDS(40));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 27.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 31.0] unsaved -> running, 2 of 2 ranks, goal 4, epoch 1\n"
		"[ 32.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 34.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 38.0] unsaved -> running, 2 of 2 ranks, goal 4, epoch 1\n"
		"[ 40.0] executors -> preparing, 2 of 4 ranks, epoch 1 next "
		"4\n");
}

static void a_checkpoint_that_comes_late_is_started_from(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.save = SECONDS(33);
	scale(&world, 4);
	world_run(&world, SECONDS(80));
	CHECK(world.job.has_checkpoint);

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 27.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 57.0] timeout -> running, 2 of 2 ranks, goal 4, epoch 1\n"
		"[ 58.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 60.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 60.0] saved -> stopping, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 61.0] stopped -> starting, 2 of 4 ranks, epoch 3\n"
		"[ 62.0] ranks up -> running, 4 of 4 ranks, epoch 3\n"
		"[ 63.0] step -> running, 4 of 4 ranks, epoch 3\n");
}

static void a_late_checkpoint_does_not_wait_for_a_new_grow(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.save = SECONDS(33);
	scale(&world, 4);
	world_run(&world, SECONDS(58));
	scale(&world, 3);
	world_run(&world, SECONDS(80));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 27.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 57.0] timeout -> running, 2 of 2 ranks, goal 4, epoch 1\n"
		"[ 58.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 58.0] scale -> preparing, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 60.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 60.0] saved -> stopping, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 61.0] stopped -> starting, 2 of 4 ranks, epoch 3\n"
		"[ 62.0] ranks up -> running, 4 of 4 ranks, goal 3, epoch 3\n"
		"[ 63.0] step -> running, 4 of 4 ranks, goal 3, epoch 3\n"
		"[ 63.0] executors -> preparing, 4 of 3 ranks, epoch 3 next 4\n"
		"[ 65.0] prepared -> saving, 4 of 3 ranks, epoch 3 next 4\n");
}

static void a_late_checkpoint_serves_the_start_in_preparation(void)
{
	struct world world;

	world_init(&world, 4);
	world_run(&world, SECONDS(20));
	world_forget(&world);
	world.model.save = SECONDS(33);
	scale(&world, 3);
	world_run(&world, SECONDS(54));
	scale(&world, 2);
	world_run(&world, SECONDS(80));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> preparing, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 22.0] prepared -> saving, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 52.0] timeout -> running, 4 of 4 ranks, goal 3, epoch 1\n"
		"[ 53.0] executors -> preparing, 4 of 3 ranks, epoch 1 next 3\n"
		"[ 54.0] scale -> preparing, 4 of 3 ranks, epoch 1 next 3\n"
		"[ 55.0] prepared -> saving, 4 of 3 ranks, epoch 1 next 3\n"
		"[ 55.0] saved -> stopping, 4 of 3 ranks, epoch 1 next 3\n"
		"[ 56.0] stopped -> starting, 4 of 3 ranks, epoch 3\n"
		"[ 57.0] ranks up -> running, 3 of 3 ranks, goal 2, epoch 3\n"
		"[ 58.0] step -> running, 3 of 3 ranks, goal 2, epoch 3\n"
		"[ 58.0] executors -> preparing, 3 of 2 ranks, epoch 3 next 4\n"
		"[ 60.0] prepared -> saving, 3 of 2 ranks, epoch 3 next 4\n");
}

RUN_TESTS(TEST(a_job_starts_when_its_executors_are_there),
	  TEST(a_job_starts_with_those_that_came_in_time),
	  TEST(a_job_that_nobody_runs_fails),
	  TEST(a_grow_computes_until_all_it_needs_is_there),
	  TEST(a_shrink_needs_no_new_executors),
	  TEST(a_grow_goes_on_with_those_that_came_in_time),
	  TEST(a_grow_that_would_be_of_no_use_is_dropped),
	  TEST(a_grow_that_nobody_comes_for_is_dropped_and_tried_again),
	  TEST(the_last_number_that_is_stated_counts),
	  TEST(a_preparation_that_fails_disturbs_nobody),
	  TEST(a_preparation_that_takes_too_long_is_dropped),
	  TEST(a_preparation_lost_after_the_order_to_save_is_made_afresh),
	  TEST(a_checkpoint_that_never_comes_drops_the_rescale),
	  TEST(an_application_that_cannot_save_computes_on),
	  TEST(a_checkpoint_that_comes_late_is_started_from),
	  TEST(a_late_checkpoint_does_not_wait_for_a_new_grow),
	  TEST(a_late_checkpoint_serves_the_start_in_preparation))
