/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/sim/world.h"

/* Ranks that made their first step; the clock shows 20 s.  From now on a start
 * from a checkpoint has 5 s to prove that it resumed. */
static void begin(struct world *world, unsigned size)
{
	world_init(world, size);
	world->job.patience.resume = SECONDS(5);
	world_run(world, SECONDS(20));
	world_forget(world);
}

/* When a checkpoint has been written: it is gone on from. */
static void crash(struct world *world)
{
	world_tell(world, JOB_EV_KEPT, 0);
	world_tell(world, JOB_EV_CRASHED, 0);
}

#define CRASHED                                                                \
	"[ 20.0] kept -> running, 2 of 2 ranks, epoch 1\n"                     \
	"[ 20.0] crashed -> stopping, 2 of 2 ranks, epoch 1, 1 lost\n"         \
	"[ 21.0] stopped -> starting, 2 of 2 ranks, epoch 2, 1 lost\n"         \
	"[ 24.0] ranks up -> resuming, 2 of 2 ranks, epoch 2, 1 lost\n"

static void a_start_runs_once_it_has_proven_that_it_resumed(void)
{
	struct world world;

	begin(&world, 2);
	world.model.step = SECONDS(2);
	world_tell(&world, JOB_EV_SCALE, 1);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] scale -> preparing, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 22.0] prepared -> saving, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 26.0] saved -> stopping, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 27.0] stopped -> starting, 2 of 1 ranks, epoch 2\n"
		   "[ 28.0] ranks up -> resuming, 1 of 1 ranks, epoch 2\n"
		   "[ 30.0] step -> running, 1 of 1 ranks, epoch 2\n");
}

static void a_start_that_begins_afresh_at_a_new_size_goes_back(void)
{
	struct world world;

	begin(&world, 2);
	world.model.afresh = 1;
	world_tell(&world, JOB_EV_SCALE, 1);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] scale -> preparing, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 22.0] prepared -> saving, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 26.0] saved -> stopping, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 27.0] stopped -> starting, 2 of 1 ranks, epoch 2\n"
		   "[ 28.0] ranks up -> resuming, 1 of 1 ranks, epoch 2\n"
		   "[ 29.0] afresh -> stopping, 1 of 2 ranks, epoch 2\n"
		   "[ 30.0] stopped -> starting, 1 of 2 ranks, epoch 3\n"
		   "[ 33.0] ranks up -> resuming, 2 of 2 ranks, epoch 3\n"
		   "[ 34.0] step -> running, 2 of 2 ranks, epoch 3\n");
}

static void
one_that_begins_afresh_at_the_size_that_worked_is_not_tried_again(void)
{
	struct world world;

	begin(&world, 2);
	world.model.afresh = 2;
	crash(&world);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(world_transcript(&world),
		   CRASHED "[ 25.0] afresh -> failed, 2 of 2 ranks, epoch 2, 1 "
			   "lost\n");
}

static void a_proof_that_never_comes_is_a_loss(void)
{
	struct world world;

	begin(&world, 2);
	world.model.step = 0;
	crash(&world);
	world_run(&world, SECONDS(29.5));

	CHECK_TEXT(world_transcript(&world), CRASHED
		   "[ 29.0] timeout -> stopping, 2 of 2 ranks, epoch 2, 2 "
		   "lost\n");
}

static void what_resumes_can_be_lost_cancelled_and_suspended(void)
{
	static const struct {
		enum job_event_type type;
		enum job_state state;
	} cases[] = {
		{JOB_EV_LOST, JOB_STOPPING},    {JOB_EV_CRASHED, JOB_STOPPING},
		{JOB_EV_CANCEL, JOB_CANCELLED}, {JOB_EV_SUSPEND, JOB_STOPPING},
		{JOB_EV_FINISHED, JOB_DONE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world world;

		begin(&world, 2);
		world.model.step = 0;
		crash(&world);
		world_run(&world, SECONDS(25));
		CHECK(world.job.state == JOB_RESUMING);
		world_tell(&world, cases[i].type, 0);
		CHECK(world.job.state == cases[i].state);
		world_transcript(&world);
	}
}

static void what_cannot_be_read_is_followed_by_an_older_checkpoint(void)
{
	struct world world;

	begin(&world, 2);
	world.model.unreadable = 1;
	crash(&world);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(world_transcript(&world), CRASHED
		   "[ 25.0] unreadable -> stopping, 2 of 2 ranks, epoch 2, 2 "
		   "lost\n"
		   "[ 26.0] stopped -> starting, 2 of 2 ranks, epoch 3, 2 "
		   "lost\n"
		   "[ 29.0] ranks up -> resuming, 2 of 2 ranks, epoch 3, 2 "
		   "lost\n"
		   "[ 30.0] step -> running, 2 of 2 ranks, epoch 3, 2 lost\n");
}

static void a_checkpoint_is_not_the_fault_of_the_new_size(void)
{
	struct world world;

	begin(&world, 2);
	world.model.unreadable = 1;
	world_tell(&world, JOB_EV_SCALE, 1);
	world_run(&world, SECONDS(50));

	CHECK_TEXT(world_transcript(&world),
		   "[ 20.0] scale -> preparing, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 22.0] prepared -> saving, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 26.0] saved -> stopping, 2 of 1 ranks, epoch 1 next 2\n"
		   "[ 27.0] stopped -> starting, 2 of 1 ranks, epoch 2\n"
		   "[ 28.0] ranks up -> resuming, 1 of 1 ranks, epoch 2\n"
		   "[ 29.0] unreadable -> stopping, 1 of 1 ranks, epoch 2, 1 "
		   "lost\n"
		   "[ 30.0] stopped -> starting, 1 of 1 ranks, epoch 3, 1 "
		   "lost\n"
		   "[ 33.0] ranks up -> resuming, 1 of 1 ranks, epoch 3, 1 "
		   "lost\n"
		   "[ 34.0] step -> running, 1 of 1 ranks, epoch 3, 1 lost\n");
}

static void checkpoints_that_cannot_be_read_come_to_an_end(void)
{
	struct world world;

	begin(&world, 2);
	world.model.unreadable = 99;
	crash(&world);
	world_run(&world, SECONDS(99));

	CHECK(world.job.state == JOB_FAILED && world.job.epoch == 3);
	world_transcript(&world);
}

RUN_TESTS(
	TEST(a_start_runs_once_it_has_proven_that_it_resumed),
	TEST(a_start_that_begins_afresh_at_a_new_size_goes_back),
	TEST(one_that_begins_afresh_at_the_size_that_worked_is_not_tried_again),
	TEST(a_proof_that_never_comes_is_a_loss),
	TEST(what_resumes_can_be_lost_cancelled_and_suspended),
	TEST(what_cannot_be_read_is_followed_by_an_older_checkpoint),
	TEST(a_checkpoint_is_not_the_fault_of_the_new_size),
	TEST(checkpoints_that_cannot_be_read_come_to_an_end))
