/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/sim/world.h"

/*
 * Checkpoints that nobody asked for, because one is due
 */

/* Ranks that made their first step; the clock shows 20 s. */
static void what_is_due_is_prepared_saved_and_gone_on_from(void)
{
	struct world world;

	world_begin(&world, 2);
	world_tell(&world, JOB_EV_DUE, 0);
	world_run(&world, SECONDS(50));

	CHECK(world.executors == 2);
	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] due -> preparing, 2 of 2 ranks, epoch 1 next 2\n"
		   "[ 22.0] prepared -> saving, 2 of 2 ranks, epoch 1 next 2\n"
		   "[ 26.0] saved -> stopping, 2 of 2 ranks, epoch 1 next 2\n"
		   "[ 27.0] stopped -> starting, 2 of 2 ranks, epoch 2\n"
		   "[ 28.0] ranks up -> running, 2 of 2 ranks, epoch 2\n"
		   "[ 29.0] step -> running, 2 of 2 ranks, epoch 2\n");
}

static void a_loss_then_goes_on_from_it(void)
{
	struct world world;

	world_begin(&world, 2);
	world_tell(&world, JOB_EV_DUE, 0);
	world_run(&world, SECONDS(50));
	world_forget(&world);
	world.job.patience.resume = SECONDS(5);
	world_tell(&world, JOB_EV_CRASHED, 0);
	world_run(&world, SECONDS(70));

	CHECK_TEXT(world_transcript(&world),
		   "[ 50.0] crashed -> stopping, 2 of 2 ranks, epoch 2, 1 "
		   "lost\n"
		   "[ 51.0] stopped -> starting, 2 of 2 ranks, epoch 3, 1 "
		   "lost\n"
		   "[ 54.0] ranks up -> resuming, 2 of 2 ranks, epoch 3, 1 "
		   "lost\n"
		   "[ 55.0] step -> running, 2 of 2 ranks, epoch 3, 1 lost\n");
}

static void what_cannot_be_prepared_costs_no_step(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.gate_fails = true;
	world_tell(&world, JOB_EV_DUE, 0);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] due -> preparing, 2 of 2 ranks, epoch 1 next 2\n"
		   "[ 22.0] unprepared -> running, 2 of 2 ranks, epoch 1\n");
}

static void ranks_that_cannot_save_compute_on(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.cannot_save = true;
	world_tell(&world, JOB_EV_DUE, 0);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] due -> preparing, 2 of 2 ranks, epoch 1 next 2\n"
		   "[ 22.0] prepared -> saving, 2 of 2 ranks, epoch 1 next 2\n"
		   "[ 26.0] unsaved -> running, 2 of 2 ranks, epoch 1\n");
}

static void a_save_that_takes_too_long_is_dropped(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.save = 0;
	world_tell(&world, JOB_EV_DUE, 0);
	world_run(&world, SECONDS(99));

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] due -> preparing, 2 of 2 ranks, epoch 1 next 2\n"
		   "[ 22.0] prepared -> saving, 2 of 2 ranks, epoch 1 next 2\n"
		   "[ 52.0] timeout -> running, 2 of 2 ranks, epoch 1\n");
}

static void nothing_is_due_in_the_midst_of_a_change(void)
{
	struct world world;

	world_begin(&world, 2);
	world_tell(&world, JOB_EV_SCALE, 4);
	world_run(&world, SECONDS(25)); /* executors are ready */
	for (msec_t now = SECONDS(25); now < SECONDS(33); now += 500) {
		struct job before;

		world_run(&world, now);
		before = world.job;
		CHECK(!job_step(
			&world.job,
			&(struct job_event){.type = JOB_EV_DUE, .now = now}));
		CHECK(memcmp(&before, &world.job, sizeof(before)) == 0);
	}
	world_run(&world, SECONDS(33) + 500);
	CHECK(world.job.state == JOB_RUNNING && !world.job.stepped);
	world_tell(&world, JOB_EV_DUE, 0); /* not proven yet */
	CHECK(world.job.state == JOB_RUNNING);
	world_transcript(&world);
}

static void one_is_made_while_executors_are_waited_for(void)
{
	struct world world;

	world_begin(&world, 2);
	world.model.stock = 2;
	world_tell(&world, JOB_EV_SCALE, 4);
	world_tell(&world, JOB_EV_DUE, 0);
	world_run(&world, SECONDS(40));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] scale -> growing, 2 of 4 ranks, epoch 1\n"
		"[ 20.0] due -> preparing, 2 of 2 ranks, epoch 1 next 2\n"
		"[ 22.0] prepared -> saving, 2 of 2 ranks, epoch 1 next 2\n"
		"[ 26.0] saved -> stopping, 2 of 2 ranks, epoch 1 next 2\n"
		"[ 27.0] stopped -> starting, 2 of 2 ranks, epoch 2\n"
		"[ 28.0] ranks up -> running, 2 of 2 ranks, goal 4, epoch 2\n"
		"[ 29.0] step -> running, 2 of 2 ranks, goal 4, epoch 2\n"
		"[ 29.0] executors -> growing, 2 of 4 ranks, epoch 2\n");
}

static void an_executor_that_leaves_during_a_save_is_left_out(void)
{
	struct world world;

	world_begin(&world, 4);
	world_tell(&world, JOB_EV_DUE, 0);
	world_run(&world, SECONDS(21));
	world_leave(&world, 1, SECONDS(20));
	world_run(&world, SECONDS(60));

	CHECK_TEXT(
		world_transcript(&world),
		"[ 20.0] due -> preparing, 4 of 4 ranks, epoch 1 next 2\n"
		"[ 21.0] leave -> preparing, 4 of 3 ranks, epoch 1 next 3\n"
		"[ 23.0] prepared -> saving, 4 of 3 ranks, epoch 1 next 3\n"
		"[ 27.0] saved -> stopping, 4 of 3 ranks, epoch 1 next 3\n"
		"[ 28.0] stopped -> starting, 4 of 3 ranks, epoch 3\n"
		"[ 29.0] ranks up -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 30.0] step -> running, 3 of 3 ranks, goal 4, epoch 3\n"
		"[ 30.0] executors -> preparing, 3 of 4 ranks, epoch 3 next 4\n"
		"[ 32.0] prepared -> saving, 3 of 4 ranks, epoch 3 next 4\n"
		"[ 36.0] saved -> stopping, 3 of 4 ranks, epoch 3 next 4\n"
		"[ 37.0] stopped -> starting, 3 of 4 ranks, epoch 4\n"
		"[ 38.0] ranks up -> running, 4 of 4 ranks, epoch 4\n"
		"[ 39.0] step -> running, 4 of 4 ranks, epoch 4\n");
}

static void one_that_a_restart_finds_unsaved_is_dropped(void)
{
	struct world world;

	world_begin(&world, 2);
	world_tell(&world, JOB_EV_DUE, 0);
	world_run(&world, SECONDS(24));
	world_forget(&world);
	world_restart(&world);
	world_run(&world, SECONDS(60));

	CHECK_TEXT(world_transcript(&world),
		   "[ 24.0] restarted -> waiting, 2 of 2 ranks, epoch 1\n"
		   "[ 24.0] executors -> starting, 2 of 2 ranks, epoch 3\n"
		   "[ 27.0] ranks up -> running, 2 of 2 ranks, epoch 3\n"
		   "[ 28.0] step -> running, 2 of 2 ranks, epoch 3\n");
}

static void a_job_that_is_to_stop_stops_during_a_save(void)
{
	struct world world;

	world_begin(&world, 2);
	world_tell(&world, JOB_EV_DUE, 0);
	world_run(&world, SECONDS(21));
	world_tell(&world, JOB_EV_SUSPEND, 0);
	world_run(&world, SECONDS(60));

	CHECK(world.job.state == JOB_SUSPENDED);
	world_transcript(&world);
}

RUN_TESTS(TEST(what_is_due_is_prepared_saved_and_gone_on_from),
	  TEST(a_loss_then_goes_on_from_it),
	  TEST(what_cannot_be_prepared_costs_no_step),
	  TEST(ranks_that_cannot_save_compute_on),
	  TEST(a_save_that_takes_too_long_is_dropped),
	  TEST(nothing_is_due_in_the_midst_of_a_change),
	  TEST(one_is_made_while_executors_are_waited_for),
	  TEST(an_executor_that_leaves_during_a_save_is_left_out),
	  TEST(one_that_a_restart_finds_unsaved_is_dropped),
	  TEST(a_job_that_is_to_stop_stops_during_a_save))
