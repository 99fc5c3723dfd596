/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/sim/world.h"

/* Ranks that made their first step; the clock shows 20 s.  There are no other
 * executors. */
static void begin(struct world *world, unsigned size)
{
	world_init(world, size);
	world->model.stock = size;
	world_run(world, SECONDS(20));
	world_forget(world);
}

static void a_leaving_executor_is_left_out_after_a_save(void)
{
	struct world world;

	begin(&world, 4);
	world_leave(&world, 1, SECONDS(20));
	world_run(&world, SECONDS(60));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] leave -> preparing, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 22.0] prepared -> saving, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 26.0] saved -> stopping, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 27.0] stopped -> starting, 4 of 3 ranks, epoch 2\n"
		"[ 28.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 2\n"
		"[ 29.0] step -> running, 3 of 3 ranks, goal 4, epoch 2\n"
		"[ 29.0] executors -> growing, 3 of 4 ranks, epoch 2\n");
}

static void two_that_leave_are_one_shrink(void)
{
	static const msec_t later[] = {0, SECONDS(1), SECONDS(4)};
	static const char *const expected[] = {
		"[ 20.0] leave -> preparing, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 20.0] leave -> preparing, 4 of 2 ranks, epoch 1 next 3\n"
		"[ 22.0] prepared -> saving, 4 of 2 ranks, epoch 1 next 3\n"
		"[ 26.0] saved -> stopping, 4 of 2 ranks, epoch 1 next 3\n"
		"[ 27.0] stopped -> starting, 4 of 2 ranks, epoch 3\n"
		"[ 28.0] ranks up -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 29.0] step -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 29.0] executors -> growing, 2 of 4 ranks, epoch 3\n",
		"[ 20.0] leave -> preparing, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 21.0] leave -> preparing, 4 of 2 ranks, epoch 1 next 3\n"
		"[ 23.0] prepared -> saving, 4 of 2 ranks, epoch 1 next 3\n"
		"[ 27.0] saved -> stopping, 4 of 2 ranks, epoch 1 next 3\n"
		"[ 28.0] stopped -> starting, 4 of 2 ranks, epoch 3\n"
		"[ 29.0] ranks up -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 30.0] step -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 30.0] executors -> growing, 2 of 4 ranks, epoch 3\n",
		"[ 20.0] leave -> preparing, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 22.0] prepared -> saving, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 24.0] leave -> saving, 4 of 2 ranks, epoch 1\n"
		"[ 26.0] saved -> stopping, 4 of 2 ranks, epoch 1\n"
		"[ 27.0] stopped -> starting, 4 of 2 ranks, epoch 3\n"
		"[ 30.0] ranks up -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 31.0] step -> running, 2 of 2 ranks, goal 4, epoch 3\n"
		"[ 31.0] executors -> growing, 2 of 4 ranks, epoch 3\n"};

	for (int i = 0; i < 3; i++) {
		struct world world;

		begin(&world, 4);
		world_leave(&world, 1, SECONDS(20));
		world_run(&world, SECONDS(20) + later[i]);
		world_leave(&world, 1, SECONDS(20));
		world_run(&world, SECONDS(60));

		CHECK_TEXT(world_transcript(&world), expected[i]);
	}
}

static void when_all_leave_others_are_waited_for(void)
{
	struct world world;

	begin(&world, 2);
	world.model.join = SECONDS(9);
	world.model.stock = 8;
	world_leave(&world, 2, SECONDS(20));
	world_run(&world, SECONDS(60));

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] leave -> saving, 2 of 2 ranks, epoch 1\n"
		   "[ 24.0] saved -> stopping, 2 of 2 ranks, epoch 1\n"
		   "[ 25.0] stopped -> waiting, 2 of 2 ranks, epoch 1\n"
		   "[ 29.0] executors -> starting, 2 of 2 ranks, epoch 2\n"
		   "[ 32.0] ranks up -> running, 2 of 2 ranks, epoch 2\n"
		   "[ 33.0] step -> running, 2 of 2 ranks, epoch 2\n");
}

static void if_those_it_moves_to_leave_too_the_size_is_kept(void)
{
	struct world world;

	begin(&world, 2);
	world.model.join = SECONDS(9);
	world.model.stock = 8;
	world_leave(&world, 1, SECONDS(20));
	world_run(&world, SECONDS(26) + 500);
	world_leave(&world, 1, SECONDS(20));
	world_run(&world, SECONDS(60));

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] leave -> preparing, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 22.0] prepared -> saving, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 26.0] saved -> stopping, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 26.5] leave -> stopping, 2 of 2 ranks, epoch 1\n"
		   "[ 27.0] stopped -> waiting, 2 of 2 ranks, epoch 1\n"
		   "[ 35.5] executors -> starting, 2 of 2 ranks, epoch 3\n"
		   "[ 38.5] ranks up -> running, 2 of 2 ranks, epoch 3\n"
		   "[ 39.5] step -> running, 2 of 2 ranks, epoch 3\n");
}

static void others_are_not_waited_for_for_ever(void)
{
	struct world world;

	begin(&world, 2);
	world.model.stock = 2;
	world_leave(&world, 2, SECONDS(20));
	world_run(&world, SECONDS(120));

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] leave -> saving, 2 of 2 ranks, epoch 1\n"
		   "[ 24.0] saved -> stopping, 2 of 2 ranks, epoch 1\n"
		   "[ 25.0] stopped -> waiting, 2 of 2 ranks, epoch 1\n"
		   "[ 85.0] timeout -> failed, 2 of 2 ranks, epoch 1\n");
}

static void a_checkpoint_that_does_not_fit_is_left_out(void)
{
	struct world world;

	begin(&world, 4);
	world.model.save = SECONDS(40);
	world_leave(&world, 1, SECONDS(10));
	world_run(&world, SECONDS(60));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] leave -> preparing, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 22.0] prepared -> saving, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 30.0] timeout -> stopping, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 31.0] stopped -> starting, 4 of 3 ranks, epoch 2\n"
		"[ 32.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 2\n"
		"[ 33.0] step -> running, 3 of 3 ranks, goal 4, epoch 2\n"
		"[ 33.0] executors -> growing, 3 of 4 ranks, epoch 2\n");
}

static void a_preparation_that_does_not_fit_is_left_out(void)
{
	struct world world;

	begin(&world, 4);
	world.model.gate = 0;
	world_leave(&world, 1, SECONDS(12));
	world_run(&world, SECONDS(60));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] leave -> preparing, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 23.0] timeout -> saving, 4 of 3 ranks, epoch 1\n"
		"[ 27.0] saved -> stopping, 4 of 3 ranks, epoch 1\n"
		"[ 28.0] stopped -> starting, 4 of 3 ranks, epoch 3\n"
		"[ 31.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 32.0] step -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 32.0] executors -> growing, 3 of 4 ranks, epoch 3\n");
}

static void an_executor_is_left_out_even_if_no_start_can_be_prepared(void)
{
	struct world world;

	begin(&world, 4);
	world.model.gate_fails = true;
	world_leave(&world, 1, SECONDS(20));
	world_run(&world, SECONDS(60));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] leave -> preparing, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 22.0] unprepared -> saving, 4 of 3 ranks, epoch 1\n"
		"[ 26.0] saved -> stopping, 4 of 3 ranks, epoch 1\n"
		"[ 27.0] stopped -> starting, 4 of 3 ranks, epoch 3\n"
		"[ 30.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 31.0] step -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 31.0] executors -> growing, 3 of 4 ranks, epoch 3\n");
}

static void an_application_that_cannot_save_goes_on_from_what_is_there(void)
{
	struct world world;

	begin(&world, 4);
	world.model.cannot_save = true;
	world_leave(&world, 1, SECONDS(20));
	world_run(&world, SECONDS(60));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] leave -> preparing, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 22.0] prepared -> saving, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 26.0] unsaved -> stopping, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 27.0] stopped -> starting, 4 of 3 ranks, epoch 2\n"
		"[ 28.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 2\n"
		"[ 29.0] step -> running, 3 of 3 ranks, goal 4, epoch 2\n"
		"[ 29.0] executors -> growing, 3 of 4 ranks, epoch 2\n");
}

static void no_time_at_all_is_no_trap(void)
{
	struct world world;

	begin(&world, 4);
	world_leave(&world, 1, 0);
	world_run(&world, SECONDS(60));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] leave -> preparing, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 20.0] timeout -> saving, 4 of 3 ranks, epoch 1\n"
		"[ 20.0] timeout -> stopping, 4 of 3 ranks, epoch 1\n"
		"[ 21.0] stopped -> starting, 4 of 3 ranks, epoch 3\n"
		"[ 24.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 25.0] step -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 25.0] executors -> growing, 3 of 4 ranks, epoch 3\n");
}

/* A job of 2 ranks that grows to 4, until that instant. */
static void grow(struct world *world, msec_t until)
{
	begin(world, 2);
	world->model.stock = 4;
	world_tell(world, JOB_EV_SCALE, 4);
	world_run(world, until);
	world_forget(world);
}

static void a_grow_becomes_what_is_left_of_it(void)
{
	/* growing, preparing, saving, stopping, starting */
	static const msec_t at[] = {SECONDS(22), SECONDS(26), SECONDS(28),
				    SECONDS(31) + 500, SECONDS(32) + 500};
	static const char *const expected[] = {
		"[ 22.0] leave -> preparing, 2 of 1 ranks, epoch 1 next 2\n"
		"[ 24.0] prepared -> saving, 2 of 1 ranks, epoch 1 next 2\n"
		"[ 28.0] saved -> stopping, 2 of 1 ranks, epoch 1 next 2\n"
		"[ 29.0] stopped -> starting, 2 of 1 ranks, epoch 2\n"
		"[ 30.0] ranks up -> running, 1 of 1 ranks, goal 4, epoch 2\n"
		"[ 31.0] step -> running, 1 of 1 ranks, goal 4, epoch 2\n"
		"[ 31.0] executors -> growing, 1 of 4 ranks, epoch 2\n",
		"[ 26.0] leave -> preparing, 2 of 3 ranks, epoch 1 next 3\n"
		"[ 28.0] prepared -> saving, 2 of 3 ranks, epoch 1 next 3\n"
		"[ 32.0] saved -> stopping, 2 of 3 ranks, epoch 1 next 3\n"
		"[ 33.0] stopped -> starting, 2 of 3 ranks, epoch 3\n"
		"[ 34.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 35.0] step -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 35.0] executors -> growing, 3 of 4 ranks, epoch 3\n",
		"[ 28.0] leave -> saving, 2 of 3 ranks, epoch 1\n"
		"[ 31.0] saved -> stopping, 2 of 3 ranks, epoch 1\n"
		"[ 32.0] stopped -> starting, 2 of 3 ranks, epoch 3\n"
		"[ 35.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 36.0] step -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 36.0] executors -> growing, 3 of 4 ranks, epoch 3\n",
		"[ 31.5] leave -> stopping, 2 of 3 ranks, epoch 1\n"
		"[ 32.0] stopped -> starting, 2 of 3 ranks, epoch 3\n"
		"[ 35.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 36.0] step -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 36.0] executors -> growing, 3 of 4 ranks, epoch 3\n",
		"[ 32.5] leave -> stopping, 2 of 3 ranks, epoch 2\n"
		"[ 33.5] stopped -> starting, 2 of 3 ranks, epoch 3\n"
		"[ 36.5] ranks up -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 37.5] step -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 37.5] executors -> growing, 3 of 4 ranks, epoch 3\n"};

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		struct world world;

		grow(&world, at[i]);
		world_leave(&world, 1, SECONDS(20));
		world_run(&world, SECONDS(70));
		CHECK_TEXT(world_transcript(&world), expected[i]);
	}
}

static void the_whole_job_may_be_told_to_end_in_any_order(void)
{
	static const msec_t between[] = {0, SECONDS(1), SECONDS(3),
					 SECONDS(4) + 500, SECONDS(6)};

	/* the last one only in one order: the job has ended in the other */
	for (size_t i = 1; i < 2 * sizeof(between) / sizeof(between[0]); i++) {
		struct world world;

		begin(&world, 2);
		world.model.stock = 2;
		if (i % 2)
			world_leave(&world, 2, SECONDS(20));
		else
			world_tell(&world, JOB_EV_SUSPEND, 0);
		world_run(&world,
			  SECONDS(20) + between[i % 2 ? i / 2 : i / 2 - 1]);
		if (i % 2)
			world_tell(&world, JOB_EV_SUSPEND, 0);
		else
			world_leave(&world, 2, SECONDS(20));
		world_run(&world, SECONDS(70));
		CHECK(world.job.state == JOB_SUSPENDED);
		CHECK(world.job.has_checkpoint);
		CHECK(world.job.retries_left == world.job.patience.retries);
		world_transcript(&world);
	}
}

static void told_to_end_without_time_to_save_it_still_ends(void)
{
	struct world world;

	begin(&world, 2);
	world.model.save = SECONDS(40);
	world_leave(&world, 2, SECONDS(10));
	world_tell(&world, JOB_EV_SUSPEND, 0);
	world_run(&world, SECONDS(70));

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] leave -> saving, 2 of 2 ranks, epoch 1\n"
		   "[ 20.0] suspend -> saving, 2 of 0 ranks, epoch 1\n"
		   "[ 30.0] timeout -> stopping, 2 of 0 ranks, epoch 1\n"
		   "[ 31.0] stopped -> suspended, 2 of 0 ranks, epoch 1\n");
}

static void a_leaving_executor_that_is_lost_first_counts_as_a_loss(void)
{
	struct world world;

	begin(&world, 4);
	world_leave(&world, 1, SECONDS(20));
	world_run(&world, SECONDS(24));
	world_tell(&world, JOB_EV_LOST, 0);
	world_run(&world, SECONDS(60));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] leave -> preparing, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 22.0] prepared -> saving, 4 of 3 ranks, epoch 1 next 2\n"
		"[ 24.0] lost -> stopping, 4 of 4 ranks, epoch 1, 1 lost\n"
		"[ 25.0] stopped -> starting, 4 of 3 ranks, epoch 3, 1 lost\n"
		"[ 28.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 3, 1 "
		"lost\n"
		"[ 29.0] step -> running, 3 of 3 ranks, goal 4, epoch 3, 1 "
		"lost\n"
		"[ 29.0] executors -> growing, 3 of 4 ranks, epoch 3, 1 "
		"lost\n");
}

RUN_TESTS(TEST(a_leaving_executor_is_left_out_after_a_save),
	  TEST(two_that_leave_are_one_shrink),
	  TEST(when_all_leave_others_are_waited_for),
	  TEST(if_those_it_moves_to_leave_too_the_size_is_kept),
	  TEST(others_are_not_waited_for_for_ever),
	  TEST(a_checkpoint_that_does_not_fit_is_left_out),
	  TEST(a_preparation_that_does_not_fit_is_left_out),
	  TEST(an_executor_is_left_out_even_if_no_start_can_be_prepared),
	  TEST(an_application_that_cannot_save_goes_on_from_what_is_there),
	  TEST(no_time_at_all_is_no_trap),
	  TEST(a_grow_becomes_what_is_left_of_it),
	  TEST(the_whole_job_may_be_told_to_end_in_any_order),
	  TEST(told_to_end_without_time_to_save_it_still_ends),
	  TEST(a_leaving_executor_that_is_lost_first_counts_as_a_loss))
