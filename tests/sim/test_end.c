/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/sim/world.h"

/* Instants at which a job of 2 ranks that grows to 4 is in a state. */
static const struct {
	enum job_state state;
	msec_t at;
} stations[] = {
	{JOB_WAITING, SECONDS(2)},         {JOB_STARTING, SECONDS(6)},
	{JOB_RUNNING, SECONDS(15)},        {JOB_GROWING, SECONDS(22)},
	{JOB_PREPARING, SECONDS(26)},      {JOB_SAVING, SECONDS(28)},
	{JOB_STOPPING, SECONDS(31) + 500},
};

enum { STATIONS = sizeof(stations) / sizeof(stations[0]) };

static void travel(struct world *world, msec_t until)
{
	world_init(world, 2);
	world_run(world, until < SECONDS(20) ? until : SECONDS(20));
	if (until < SECONDS(20))
		return;
	world_tell(world, JOB_EV_SCALE, 4);
	world_run(world, until);
}

/* What became of it at each station, without the way there. */
static const char *at_every_station(enum job_event_type type)
{
	static char text[4096];
	FILE *all = fmemopen(text, sizeof(text), "w");

	for (int i = 0; i < STATIONS; i++) {
		struct world world;

		travel(&world, stations[i].at);
		if (world.job.state != stations[i].state)
			fprintf(all, "not %s\n",
				job_state_name(stations[i].state));
		world_forget(&world);
		world_tell(&world, type, 0);
		world_run(&world, SECONDS(50));
		fprintf(all, "%s:\n%s", job_state_name(stations[i].state),
			world_transcript(&world));
	}
	fclose(all);
	return text;
}

static void a_job_can_be_cancelled_in_every_state(void)
{
	CHECK_TEXT(at_every_station(JOB_EV_CANCEL),
		   "waiting:\n"
		   "[  2.0] cancel -> cancelled, 0 of 2 ranks\n"
		   "starting:\n"
		   "[  6.0] cancel -> cancelled, 0 of 2 ranks, epoch 1\n"
		   "running:\n"
		   "[ 15.0] cancel -> cancelled, 2 of 2 ranks, epoch 1\n"
		   "growing:\n"
		   "[ 22.0] cancel -> cancelled, 2 of 4 ranks, epoch 1\n"
		   "preparing:\n"
		   "[ 26.0] cancel -> cancelled, 2 of 4 ranks, epoch 1\n"
		   "saving:\n"
		   "[ 28.0] cancel -> cancelled, 2 of 4 ranks, epoch 1\n"
		   "stopping:\n"
		   "[ 31.5] cancel -> cancelled, 2 of 4 ranks, epoch 1\n");
}

static void a_job_can_be_suspended_in_every_state(void)
{
	CHECK_TEXT(at_every_station(JOB_EV_SUSPEND),
		   "waiting:\n"
		   "[  2.0] suspend -> suspended, 0 of 0 ranks\n"
		   "starting:\n"
		   "[  6.0] suspend -> stopping, 0 of 0 ranks, epoch 1\n"
		   "[  7.0] stopped -> suspended, 0 of 0 ranks, epoch 1\n"
		   "running:\n"
		   "[ 15.0] suspend -> saving, 2 of 0 ranks, epoch 1\n"
		   "[ 19.0] saved -> stopping, 2 of 0 ranks, epoch 1\n"
		   "[ 20.0] stopped -> suspended, 2 of 0 ranks, epoch 1\n"
		   "growing:\n"
		   "[ 22.0] suspend -> saving, 2 of 0 ranks, epoch 1\n"
		   "[ 26.0] saved -> stopping, 2 of 0 ranks, epoch 1\n"
		   "[ 27.0] stopped -> suspended, 2 of 0 ranks, epoch 1\n"
		   "preparing:\n"
		   "[ 26.0] suspend -> saving, 2 of 0 ranks, epoch 1\n"
		   "[ 30.0] saved -> stopping, 2 of 0 ranks, epoch 1\n"
		   "[ 31.0] stopped -> suspended, 2 of 0 ranks, epoch 1\n"
		   "saving:\n"
		   "[ 28.0] suspend -> saving, 2 of 0 ranks, epoch 1\n"
		   "[ 31.0] saved -> stopping, 2 of 0 ranks, epoch 1\n"
		   "[ 32.0] stopped -> suspended, 2 of 0 ranks, epoch 1\n"
		   "stopping:\n"
		   "[ 31.5] suspend -> stopping, 2 of 0 ranks, epoch 1\n"
		   "[ 32.0] stopped -> suspended, 2 of 0 ranks, epoch 1\n");
}

static void a_job_can_be_handed_over_in_every_state(void)
{
	CHECK_TEXT(at_every_station(JOB_EV_HAND_OVER),
		   "waiting:\n"
		   "[  2.0] hand over -> waiting, 0 of 2 ranks\n"
		   "starting:\n"
		   "[  6.0] hand over -> stopping, 0 of 2 ranks, epoch 1\n"
		   "[  7.0] stopped -> waiting, 0 of 2 ranks, epoch 1\n"
		   "running:\n"
		   "[ 15.0] hand over -> saving, 2 of 2 ranks, epoch 1\n"
		   "[ 19.0] saved -> stopping, 2 of 2 ranks, epoch 1\n"
		   "[ 20.0] stopped -> waiting, 2 of 2 ranks, epoch 1\n"
		   "growing:\n"
		   "[ 22.0] hand over -> saving, 2 of 2 ranks, epoch 1\n"
		   "[ 26.0] saved -> stopping, 2 of 2 ranks, epoch 1\n"
		   "[ 27.0] stopped -> waiting, 2 of 2 ranks, epoch 1\n"
		   "preparing:\n"
		   "[ 26.0] hand over -> saving, 2 of 2 ranks, epoch 1\n"
		   "[ 30.0] saved -> stopping, 2 of 2 ranks, epoch 1\n"
		   "[ 31.0] stopped -> waiting, 2 of 2 ranks, epoch 1\n"
		   "saving:\n"
		   "[ 28.0] hand over -> saving, 2 of 4 ranks, epoch 1\n"
		   "[ 31.0] saved -> stopping, 2 of 4 ranks, epoch 1\n"
		   "[ 32.0] stopped -> waiting, 2 of 4 ranks, epoch 1\n"
		   "stopping:\n"
		   "[ 31.5] hand over -> stopping, 2 of 4 ranks, epoch 1\n"
		   "[ 32.0] stopped -> waiting, 2 of 4 ranks, epoch 1\n");
}

static void a_job_finishes_in_every_state_with_ranks(void)
{
	CHECK_TEXT(at_every_station(JOB_EV_FINISHED),
		   "waiting:\n"
		   "[  2.0] finished, nothing changes\n"
		   "[  5.0] executors -> starting, 0 of 2 ranks, epoch 1\n"
		   "[  8.0] ranks up -> running, 2 of 2 ranks, epoch 1\n"
		   "[  9.0] step -> running, 2 of 2 ranks, epoch 1\n"
		   "starting:\n"
		   "[  6.0] finished -> done, 0 of 2 ranks, epoch 1\n"
		   "running:\n"
		   "[ 15.0] finished -> done, 2 of 2 ranks, epoch 1\n"
		   "growing:\n"
		   "[ 22.0] finished -> done, 2 of 4 ranks, epoch 1\n"
		   "preparing:\n"
		   "[ 26.0] finished -> done, 2 of 4 ranks, epoch 1\n"
		   "saving:\n"
		   "[ 28.0] finished -> done, 2 of 4 ranks, epoch 1\n"
		   "stopping:\n"
		   "[ 31.5] finished, nothing changes\n"
		   "[ 32.0] stopped -> starting, 2 of 4 ranks, epoch 2\n"
		   "[ 33.0] ranks up -> running, 4 of 4 ranks, epoch 2\n"
		   "[ 34.0] step -> running, 4 of 4 ranks, epoch 2\n");
}

static void a_job_that_cannot_save_is_not_suspended(void)
{
	struct world world;

	travel(&world, SECONDS(15));
	world_forget(&world);
	world.model.cannot_save = true;
	world_tell(&world, JOB_EV_SUSPEND, 0);
	world_run(&world, SECONDS(20));
	world.model.save = 0;
	world_tell(&world, JOB_EV_SUSPEND, 0);
	world_run(&world, SECONDS(60));

	CHECK_TEXT(world_transcript(&world),
		   "[ 15.0] suspend -> saving, 2 of 0 ranks, epoch 1\n"
		   "[ 19.0] unsaved -> running, 2 of 2 ranks, epoch 1\n"
		   "[ 20.0] suspend -> saving, 2 of 0 ranks, epoch 1\n"
		   "[ 50.0] timeout -> running, 2 of 2 ranks, epoch 1\n");
}

static void a_loss_while_it_saves_to_suspend_suspends(void)
{
	struct world world;

	travel(&world, SECONDS(15));
	world_forget(&world);
	world_tell(&world, JOB_EV_SUSPEND, 0);
	world_run(&world, SECONDS(16));
	world_lose(&world, 1);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(world_transcript(&world),
		   "[ 15.0] suspend -> saving, 2 of 0 ranks, epoch 1\n"
		   "[ 16.0] lost -> stopping, 2 of 0 ranks, epoch 1, 1 lost\n"
		   "[ 17.0] stopped -> suspended, 2 of 0 ranks, epoch 1, 1 "
		   "lost\n");
}

static void an_unproven_start_can_be_suspended(void)
{
	struct world world;

	travel(&world, SECONDS(33) + 500);
	world_forget(&world);
	world_tell(&world, JOB_EV_SUSPEND, 0);
	world_tell(&world, JOB_EV_CRASHED, 0);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(world_transcript(&world),
		   "[ 33.5] suspend -> saving, 4 of 0 ranks, epoch 2\n"
		   "[ 33.5] crashed -> stopping, 4 of 0 ranks, epoch 2\n"
		   "[ 34.5] stopped -> suspended, 4 of 0 ranks, epoch 2\n");
}

static void reports_of_a_former_start_change_nothing(void)
{
	struct world world;

	travel(&world, SECONDS(50));
	world_forget(&world);
	world_report(&world, JOB_EV_SAVED, 1);
	world_report(&world, JOB_EV_STOPPED, 1);
	world_report(&world, JOB_EV_RANKS_UP, 1);
	world_report(&world, JOB_EV_STEP, 1);
	world_report(&world, JOB_EV_FINISHED, 1);
	world_report(&world, JOB_EV_CRASHED, 1);
	world_report(&world, JOB_EV_UNSTARTED, 1);
	world_report(&world, JOB_EV_LOST, 1);

	CHECK_TEXT(world_transcript(&world),
		   "[ 50.0] saved, nothing changes\n"
		   "[ 50.0] stopped, nothing changes\n"
		   "[ 50.0] ranks up, nothing changes\n"
		   "[ 50.0] step, nothing changes\n"
		   "[ 50.0] finished, nothing changes\n"
		   "[ 50.0] crashed, nothing changes\n"
		   "[ 50.0] unstarted, nothing changes\n"
		   "[ 50.0] lost, nothing changes\n");
}

static void the_end_of_ranks_at_their_gates_is_not_the_end_of_the_job(void)
{
	struct world world;

	travel(&world, SECONDS(26));
	world_forget(&world);
	world_report(&world, JOB_EV_FINISHED, 2);
	world_report(&world, JOB_EV_CRASHED, 2);
	world_report(&world, JOB_EV_PREPARED, 1);
	world_report(&world, JOB_EV_UNPREPARED, 2);

	CHECK_TEXT(world_transcript(&world),
		   "[ 26.0] finished, nothing changes\n"
		   "[ 26.0] crashed, nothing changes\n"
		   "[ 26.0] prepared, nothing changes\n"
		   "[ 26.0] unprepared -> running, 2 of 2 ranks, goal 4, epoch "
		   "1\n");
}

RUN_TESTS(TEST(a_job_can_be_cancelled_in_every_state),
	  TEST(a_job_can_be_suspended_in_every_state),
	  TEST(a_job_can_be_handed_over_in_every_state),
	  TEST(a_job_finishes_in_every_state_with_ranks),
	  TEST(a_job_that_cannot_save_is_not_suspended),
	  TEST(a_loss_while_it_saves_to_suspend_suspends),
	  TEST(an_unproven_start_can_be_suspended),
	  TEST(reports_of_a_former_start_change_nothing),
	  TEST(the_end_of_ranks_at_their_gates_is_not_the_end_of_the_job))
