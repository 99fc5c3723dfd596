/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/sim/world.h"

/* Ranks that made their first step; the clock shows 20 s. */
static void scale(struct world *world, unsigned size)
{
	world_tell(world, JOB_EV_SCALE, size);
}

static void a_failed_start_at_a_new_size_goes_back(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.bad_size = 4;
	scale(&world, 4);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 27.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 31.0] saved -> stopping, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 32.0] stopped -> starting, 2 of 4 ranks, epoch 2\n"
		"[ 33.0] crashed -> stopping, 2 of 2 ranks, epoch 2\n"
		"[ 34.0] stopped -> starting, 2 of 2 ranks, epoch 3\n"
		"[ 37.0] ranks up -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 38.0] step -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 41.0] executors -> preparing, 2 of 4 ranks, epoch 3 next 4\n"
		"[ 43.0] prepared -> saving, 2 of 4 ranks, epoch 3 next 4\n"
		"[ 47.0] saved -> stopping, 2 of 4 ranks, epoch 3 next 4\n"
		"[ 48.0] stopped -> starting, 2 of 4 ranks, epoch 4\n"
		"[ 49.0] crashed -> stopping, 2 of 2 ranks, epoch 4\n"
		"[ 50.0] stopped -> starting, 2 of 2 ranks, epoch 5\n");
}

static void a_start_that_falls_before_its_first_step_goes_back_too(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.step = SECONDS(9);
	scale(&world, 4);
	world_run(&world, SECONDS(34));
	world_tell(&world, JOB_EV_CRASHED, 0);
	world.model.unstarted = 1;
	world_run(&world, SECONDS(60));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 27.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 31.0] saved -> stopping, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 32.0] stopped -> starting, 2 of 4 ranks, epoch 2\n"
		"[ 33.0] ranks up -> running, 4 of 4 ranks, epoch 2\n"
		"[ 34.0] crashed -> stopping, 4 of 2 ranks, epoch 2\n"
		"[ 35.0] stopped -> starting, 4 of 2 ranks, epoch 3\n"
		"[ 38.0] unstarted -> stopping, 4 of 2 ranks, epoch 3, 1 lost\n"
		"[ 39.0] stopped -> starting, 4 of 2 ranks, epoch 4, 1 lost\n"
		"[ 42.0] ranks up -> running, 2 of 2 ranks, goal 4, epoch 4, 1 "
		"lost\n"
		"[ 42.0] timeout -> running, 2 of 2 ranks, goal 4, epoch 4, 1 "
		"lost\n"
		"[ 51.0] step -> running, 2 of 2 ranks, goal 4, epoch 4, 1 "
		"lost\n"
		"[ 51.0] executors -> preparing, 2 of 4 ranks, epoch 4 next 5, "
		"1 lost\n"
		"[ 53.0] prepared -> saving, 2 of 4 ranks, epoch 4 next 5, 1 "
		"lost\n"
		"[ 57.0] saved -> stopping, 2 of 4 ranks, epoch 4 next 5\n"
		"[ 58.0] stopped -> starting, 2 of 4 ranks, epoch 5\n"
		"[ 59.0] ranks up -> running, 4 of 4 ranks, epoch 5\n");
}

static void an_application_that_ends_itself_at_first_is_not_tried_again(void)
{
	struct world world;

	world_init(&world, 2);
	world.model.bad_size = 2;
	world_run(&world, SECONDS(20));

	CHECK_TEXT(world_transcript(&world),
		   "[  5.0] executors -> starting, 0 of 2 ranks, epoch 1\n"
		   "[  8.0] crashed -> failed, 0 of 2 ranks, epoch 1\n");
}

static void a_first_start_that_was_not_brought_up_is_tried_again(void)
{
	struct world world;

	world_init(&world, 2);
	world.model.unstarted = 1;
	world_run(&world, SECONDS(20));

	CHECK_TEXT(
		world_transcript(&world),
		"[  5.0] executors -> starting, 0 of 2 ranks, epoch 1\n"
		"[  8.0] unstarted -> stopping, 0 of 2 ranks, epoch 1, 1 lost\n"
		"[  9.0] stopped -> starting, 0 of 2 ranks, epoch 2, 1 lost\n"
		"[ 12.0] ranks up -> running, 2 of 2 ranks, epoch 2, 1 lost\n"
		"[ 13.0] step -> running, 2 of 2 ranks, epoch 2, 1 lost\n");
}

static void a_start_that_hangs_is_tried_again_but_not_for_ever(void)
{
	struct world world;

	world_init(&world, 2);
	world.model.up = 0;
	world_run(&world, SECONDS(100));

	CHECK_TEXT(
		world_transcript(&world),
		"[  5.0] executors -> starting, 0 of 2 ranks, epoch 1\n"
		"[ 25.0] timeout -> stopping, 0 of 2 ranks, epoch 1, 1 lost\n"
		"[ 26.0] stopped -> starting, 0 of 2 ranks, epoch 2, 1 lost\n"
		"[ 46.0] timeout -> stopping, 0 of 2 ranks, epoch 2, 2 lost\n"
		"[ 47.0] stopped -> starting, 0 of 2 ranks, epoch 3, 2 lost\n"
		"[ 67.0] timeout -> failed, 0 of 2 ranks, epoch 3, 2 lost\n");
}

static void a_crash_is_counted_until_the_next_checkpoint(void)
{
	struct world world;

	world_begin(&world, 2);
	world_tell(&world, JOB_EV_CRASHED, 0);
	world_run(&world, SECONDS(30));
	scale(&world, 1);
	world_run(&world, SECONDS(35));
	CHECK(world.job.retries_left == 1);
	world_forget(&world);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(world_transcript(&world),
		   "[ 36.0] saved -> stopping, 2 of 1 ranks, epoch 2 next 3\n"
		   "[ 37.0] stopped -> starting, 2 of 1 ranks, epoch 3\n"
		   "[ 38.0] ranks up -> running, 1 of 1 ranks, epoch 3\n"
		   "[ 39.0] step -> running, 1 of 1 ranks, epoch 3\n");
}

static void crashes_without_a_checkpoint_come_to_an_end(void)
{
	struct world world;

	world_begin(&world, 2);
	world_tell(&world, JOB_EV_CRASHED, 0);
	world_run(&world, SECONDS(30));
	world_tell(&world, JOB_EV_CRASHED, 0);
	world_run(&world, SECONDS(40));
	world_tell(&world, JOB_EV_CRASHED, 0);

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] crashed -> stopping, 2 of 2 ranks, epoch 1, 1 lost\n"
		"[ 21.0] stopped -> starting, 2 of 2 ranks, epoch 2, 1 lost\n"
		"[ 24.0] ranks up -> running, 2 of 2 ranks, epoch 2, 1 lost\n"
		"[ 25.0] step -> running, 2 of 2 ranks, epoch 2, 1 lost\n"
		"[ 30.0] crashed -> stopping, 2 of 2 ranks, epoch 2, 2 lost\n"
		"[ 31.0] stopped -> starting, 2 of 2 ranks, epoch 3, 2 lost\n"
		"[ 34.0] ranks up -> running, 2 of 2 ranks, epoch 3, 2 lost\n"
		"[ 35.0] step -> running, 2 of 2 ranks, epoch 3, 2 lost\n"
		"[ 40.0] crashed -> failed, 2 of 2 ranks, epoch 3, 2 lost\n");
}

static void a_running_job_goes_on_with_the_survivors(void)
{
	struct world world;

	world_begin(&world, 4);
	world_lose(&world, 3);
	world_run(&world, SECONDS(25));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] lost -> stopping, 4 of 4 ranks, epoch 1, 1 lost\n"
		"[ 21.0] stopped -> starting, 4 of 3 ranks, epoch 2, 1 lost\n"
		"[ 24.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 25.0] step -> running, 3 of 3 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 25.0] executors -> preparing, 3 of 4 ranks, epoch 2 next 3, "
		"1 lost\n");
}

static void a_loss_while_growing_drops_the_grow(void)
{
	struct world world;

	world_begin(&world, 2);
	scale(&world, 4);
	world_run(&world, SECONDS(22));
	world_lose(&world, 0);
	world_run(&world, SECONDS(27));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 22.0] lost -> stopping, 2 of 2 ranks, epoch 1, 1 lost\n"
		"[ 23.0] stopped -> starting, 2 of 1 ranks, epoch 2, 1 lost\n"
		"[ 26.0] ranks up -> running, 1 of 1 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 27.0] step -> running, 1 of 1 ranks, goal 4, epoch 2, 1 "
		"lost\n"
		"[ 27.0] executors -> preparing, 1 of 4 ranks, epoch 2 next 3, "
		"1 lost\n");
}

static void a_newcomer_lost_while_growing_is_replaced(void)
{
	struct world world;

	world_begin(&world, 2);
	scale(&world, 4);
	world_run(&world, SECONDS(22));
	world_lose(&world, 3);
	world_run(&world, SECONDS(40));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 22.0] it had no part in a start\n"
		"[ 27.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 29.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 33.0] saved -> stopping, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 34.0] stopped -> starting, 2 of 4 ranks, epoch 2\n"
		"[ 35.0] ranks up -> running, 4 of 4 ranks, epoch 2\n"
		"[ 36.0] step -> running, 4 of 4 ranks, epoch 2\n");
}

static void a_loss_while_preparing_goes_on_with_the_survivors(void)
{
	struct world world;

	world_begin(&world, 2);
	scale(&world, 4);
	world_run(&world, SECONDS(26));
	world_lose(&world, 0);
	world_run(&world, SECONDS(40));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 26.0] lost -> stopping, 2 of 2 ranks, epoch 1, 1 lost\n"
		"[ 27.0] stopped -> starting, 2 of 2 ranks, epoch 3, 1 lost\n"
		"[ 30.0] ranks up -> running, 2 of 2 ranks, goal 4, epoch 3, 1 "
		"lost\n"
		"[ 31.0] step -> running, 2 of 2 ranks, goal 4, epoch 3, 1 "
		"lost\n"
		"[ 31.0] executors -> preparing, 2 of 4 ranks, epoch 3 next 4, "
		"1 lost\n"
		"[ 33.0] prepared -> saving, 2 of 4 ranks, epoch 3 next 4, 1 "
		"lost\n"
		"[ 37.0] saved -> stopping, 2 of 4 ranks, epoch 3 next 4\n"
		"[ 38.0] stopped -> starting, 2 of 4 ranks, epoch 4\n"
		"[ 39.0] ranks up -> running, 4 of 4 ranks, epoch 4\n"
		"[ 40.0] step -> running, 4 of 4 ranks, epoch 4\n");
}

static void a_newcomer_lost_while_preparing_disturbs_nobody(void)
{
	struct world world;

	world_begin(&world, 2);
	scale(&world, 4);
	world_run(&world, SECONDS(26));
	world_lose(&world, 3);
	world_run(&world, SECONDS(40));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 26.0] unprepared -> running, 2 of 2 ranks, goal 4, epoch 1\n"
		"[ 27.0] executors -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 31.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 33.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 37.0] saved -> stopping, 2 of 4 ranks, epoch 1 next 3\n"
		"[ 38.0] stopped -> starting, 2 of 4 ranks, epoch 3\n"
		"[ 39.0] ranks up -> running, 4 of 4 ranks, epoch 3\n"
		"[ 40.0] step -> running, 4 of 4 ranks, epoch 3\n");
}

static void a_loss_while_saving_goes_on_from_the_former_checkpoint(void)
{
	struct world world;

	world_begin(&world, 2);
	scale(&world, 4);
	world_run(&world, SECONDS(28));
	world_lose(&world, 0);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 27.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 28.0] lost -> stopping, 2 of 2 ranks, epoch 1, 1 lost\n"
		"[ 29.0] stopped -> starting, 2 of 2 ranks, epoch 3, 1 lost\n"
		"[ 32.0] ranks up -> running, 2 of 2 ranks, goal 4, epoch 3, 1 "
		"lost\n"
		"[ 33.0] step -> running, 2 of 2 ranks, goal 4, epoch 3, 1 "
		"lost\n"
		"[ 33.0] executors -> preparing, 2 of 4 ranks, epoch 3 next 4, "
		"1 lost\n"
		"[ 35.0] prepared -> saving, 2 of 4 ranks, epoch 3 next 4, 1 "
		"lost\n"
		"[ 39.0] saved -> stopping, 2 of 4 ranks, epoch 3 next 4\n"
		"[ 40.0] stopped -> starting, 2 of 4 ranks, epoch 4\n"
		"[ 41.0] ranks up -> running, 4 of 4 ranks, epoch 4\n"
		"[ 42.0] step -> running, 4 of 4 ranks, epoch 4\n");
}

static void a_checkpoint_heard_of_after_the_loss_counts(void)
{
	struct world world;

	world_begin(&world, 2);
	scale(&world, 4);
	world_run(&world, SECONDS(30) + 500);
	world_lose(&world, 0);
	world_run(&world, SECONDS(50));
	CHECK(world.job.has_checkpoint);

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 27.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 30.5] lost -> stopping, 2 of 2 ranks, epoch 1, 1 lost\n"
		"[ 31.0] saved -> stopping, 2 of 2 ranks, epoch 1\n"
		"[ 31.5] stopped -> starting, 2 of 2 ranks, epoch 3\n"
		"[ 34.5] ranks up -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 35.5] step -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 35.5] executors -> preparing, 2 of 4 ranks, epoch 3 next 4\n"
		"[ 37.5] prepared -> saving, 2 of 4 ranks, epoch 3 next 4\n"
		"[ 41.5] saved -> stopping, 2 of 4 ranks, epoch 3 next 4\n"
		"[ 42.5] stopped -> starting, 2 of 4 ranks, epoch 4\n"
		"[ 43.5] ranks up -> running, 4 of 4 ranks, epoch 4\n"
		"[ 44.5] step -> running, 4 of 4 ranks, epoch 4\n");
}

static void a_loss_while_stopping_makes_the_start_afresh(void)
{
	struct world world;

	world_begin(&world, 2);
	scale(&world, 4);
	world_run(&world, SECONDS(31) + 500);
	world_lose(&world, 0);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 27.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 31.0] saved -> stopping, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 31.5] unprepared -> stopping, 2 of 4 ranks, epoch 1\n"
		"[ 32.0] stopped -> starting, 2 of 3 ranks, epoch 3\n"
		"[ 35.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 36.0] step -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 36.0] executors -> growing, 3 of 4 ranks, epoch 3\n"
		"[ 36.5] executors -> preparing, 3 of 4 ranks, epoch 3 next 4\n"
		"[ 38.5] prepared -> saving, 3 of 4 ranks, epoch 3 next 4\n"
		"[ 42.5] saved -> stopping, 3 of 4 ranks, epoch 3 next 4\n"
		"[ 43.5] stopped -> starting, 3 of 4 ranks, epoch 4\n"
		"[ 44.5] ranks up -> running, 4 of 4 ranks, epoch 4\n"
		"[ 45.5] step -> running, 4 of 4 ranks, epoch 4\n");
}

static void a_loss_while_starting_goes_back_to_what_the_survivors_hold(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.stock = 4;
	scale(&world, 4);
	world_run(&world, SECONDS(32) + 500);
	world_lose(&world, 0);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 25.0] executors -> preparing, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 27.0] prepared -> saving, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 31.0] saved -> stopping, 2 of 4 ranks, epoch 1 next 2\n"
		"[ 32.0] stopped -> starting, 2 of 4 ranks, epoch 2\n"
		"[ 32.5] lost -> stopping, 2 of 2 ranks, epoch 2\n"
		"[ 33.5] stopped -> starting, 2 of 2 ranks, epoch 3\n"
		"[ 36.5] ranks up -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 37.5] step -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 40.5] executors -> growing, 2 of 4 ranks, epoch 3\n");
}

static void a_job_waits_when_nobody_is_left(void)
{
	struct world world;

	world_begin(&world, 1);
	world_lose(&world, 0);
	world_run(&world, SECONDS(40));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] lost -> stopping, 1 of 1 ranks, epoch 1, 1 lost\n"
		"[ 21.0] stopped -> waiting, 1 of 1 ranks, epoch 1, 1 lost\n"
		"[ 25.0] executors -> starting, 1 of 1 ranks, epoch 2, 1 lost\n"
		"[ 28.0] ranks up -> running, 1 of 1 ranks, epoch 2, 1 lost\n"
		"[ 29.0] step -> running, 1 of 1 ranks, epoch 2, 1 lost\n");
}

static void a_job_does_not_wait_for_ever(void)
{
	struct world world;

	world_begin(&world, 1);
	world.model.stock = 1;
	world_lose(&world, 0);
	world_run(&world, SECONDS(90));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] lost -> stopping, 1 of 1 ranks, epoch 1, 1 lost\n"
		"[ 21.0] stopped -> waiting, 1 of 1 ranks, epoch 1, 1 lost\n"
		"[ 81.0] timeout -> failed, 1 of 1 ranks, epoch 1, 1 lost\n");
}

static void ranks_that_cannot_be_ended_keep_the_checkpoint(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.stop = 0;
	scale(&world, 1);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] scale -> preparing, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 22.0] prepared -> saving, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 26.0] saved -> stopping, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 36.0] timeout -> failed, 2 of 1 ranks, epoch 1\n");
}

RUN_TESTS(TEST(a_failed_start_at_a_new_size_goes_back),
	  TEST(a_start_that_falls_before_its_first_step_goes_back_too),
	  TEST(an_application_that_ends_itself_at_first_is_not_tried_again),
	  TEST(a_first_start_that_was_not_brought_up_is_tried_again),
	  TEST(a_start_that_hangs_is_tried_again_but_not_for_ever),
	  TEST(a_crash_is_counted_until_the_next_checkpoint),
	  TEST(crashes_without_a_checkpoint_come_to_an_end),
	  TEST(a_running_job_goes_on_with_the_survivors),
	  TEST(a_loss_while_growing_drops_the_grow),
	  TEST(a_newcomer_lost_while_growing_is_replaced),
	  TEST(a_loss_while_preparing_goes_on_with_the_survivors),
	  TEST(a_newcomer_lost_while_preparing_disturbs_nobody),
	  TEST(a_loss_while_saving_goes_on_from_the_former_checkpoint),
	  TEST(a_checkpoint_heard_of_after_the_loss_counts),
	  TEST(a_loss_while_stopping_makes_the_start_afresh),
	  TEST(a_loss_while_starting_goes_back_to_what_the_survivors_hold),
	  TEST(a_job_waits_when_nobody_is_left),
	  TEST(a_job_does_not_wait_for_ever),
	  TEST(ranks_that_cannot_be_ended_keep_the_checkpoint))
