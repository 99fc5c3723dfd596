/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/unit/job_at.h"

static void a_prepared_start_keeps_its_number_while_it_fits(void)
{
	struct job job = at(JOB_STOPPING), fits = job;

	CHECK(feed(&fits, JOB_EV_STOPPED, 4));
	CHECK(fits.epoch == 2 && fits.next == 0);
	CHECK(feed(&job, JOB_EV_STOPPED, 3));
	CHECK(job.epoch == 3 && job.next == 0);
	CHECK(job.target == 3);
}

static void a_prepared_start_does_not_outlive_a_wait(void)
{
	struct job job = at(JOB_STOPPING);

	CHECK(feed(&job, JOB_EV_STOPPED, 0));
	CHECK(job.state == JOB_WAITING && job.next == 0);
	CHECK(job_ranks_held(&job) == 4);
	CHECK(feed(&job, JOB_EV_EXECUTORS, 4));
	CHECK(job.epoch == 3);
}

static void a_failed_start_at_a_new_size_costs_no_retry(void)
{
	static const enum job_event_type failures[] = {
		JOB_EV_CRASHED, JOB_EV_UNSTARTED, JOB_EV_LOST, JOB_EV_TIMEOUT};

	for (int i = 0; i < 4; i++)
		for (int up = 0; up < 2; up++) {
			struct job job = starting_anew();

			if (up && failures[i] == JOB_EV_TIMEOUT)
				continue;
			if (up)
				CHECK(feed(&job, JOB_EV_RANKS_UP, 0));
			CHECK(feed(&job, failures[i], 4));
			CHECK(job.state == JOB_STOPPING);
			CHECK(job.target == 2);
			CHECK(job.retries_left == patience.retries);
		}
}

static void a_loss_is_the_same_in_every_state_that_computes(void)
{
	for (int state = JOB_RUNNING; state <= JOB_SAVING; state++) {
		struct job job = at((enum job_state)state), last = job;

		job.proven = 1;
		job.stepped = false;
		CHECK(feed(&job, JOB_EV_LOST, 0));
		CHECK(job.state == JOB_STOPPING && job.next == 0);
		CHECK(job.target == 1);

		last.retries_left = 0;
		CHECK(feed(&last, JOB_EV_LOST, 0));
		CHECK(last.state == JOB_FAILED && last.next == 0);
	}
}

static void a_loss_completes_a_shrink_to_one_rank(void)
{
	struct job job = at(JOB_RUNNING);

	CHECK(feed(&job, JOB_EV_SCALE, 1));
	CHECK(job.state == JOB_PREPARING && job.target == 1);
	CHECK(feed(&job, JOB_EV_LOST, 0));
	CHECK(job.state == JOB_STOPPING && job.target == 1);
}

static void a_loss_drops_a_grow_from_one_rank_too(void)
{
	struct job job = first_start(1, false);

	CHECK(feed(&job, JOB_EV_SCALE, 4));
	CHECK(job.state == JOB_GROWING && job.proven == 0);
	CHECK(feed(&job, JOB_EV_LOST, 0));
	CHECK(job.state == JOB_STOPPING && job.target == 1);
}

static void a_loss_while_the_ranks_are_ended_is_none(void)
{
	struct job job = at(JOB_STOPPING), before;

	job.retries_left = 0;
	before = job;
	CHECK(!feed(&job, JOB_EV_LOST, 0));
	CHECK(!feed(&job, JOB_EV_CRASHED, 0));
	CHECK(same(&job, &before));
}

static void what_fails_on_the_way_back_stays_on_the_way_back(void)
{
	struct job job = starting_anew();

	feed(&job, JOB_EV_RANKS_UP, 0);
	feed(&job, JOB_EV_CRASHED, 0);
	feed(&job, JOB_EV_STOPPED, 4);
	CHECK(job.state == JOB_STARTING && job.target == 2);
	CHECK(feed(&job, JOB_EV_UNSTARTED, 0));
	CHECK(job.retries_left == patience.retries - 1);
	CHECK(job.target == 2);
}

static void survivors_know_no_way_back_to_a_size_they_cannot_run(void)
{
	struct job job = at(JOB_RUNNING);

	feed(&job, JOB_EV_LOST, 0);
	CHECK(feed(&job, JOB_EV_STOPPED, 1));
	CHECK(job.target == 1 && job.proven == 0);
	CHECK(feed(&job, JOB_EV_CRASHED, 0));
	CHECK(job.state == JOB_STOPPING);
	CHECK(job.retries_left == patience.retries - 2);
}

static void survivors_keep_a_way_back_to_a_smaller_size(void)
{
	for (unsigned size = 2; size <= 3; size++) {
		struct job job = at(JOB_STOPPING);

		CHECK(feed(&job, JOB_EV_STOPPED, size));
		CHECK(job.target == size && job.proven == 2);
		CHECK(feed(&job, JOB_EV_CRASHED, 0));
		CHECK(job.target == 2);
	}
}

static void executors_are_held_until_no_rank_is_left_on_them(void)
{
	struct job job = starting_anew(), suspended = job;

	CHECK(feed(&job, JOB_EV_CRASHED, 0));
	CHECK(job.target == 2 && job_ranks_held(&job) == 4);
	CHECK(feed(&job, JOB_EV_STOPPED, 4));
	CHECK(job_ranks_held(&job) == 2);

	CHECK(feed(&suspended, JOB_EV_SUSPEND, 0));
	CHECK(job_ranks_held(&suspended) == 4);
}

static void a_first_start_that_ends_itself_fails_at_once(void)
{
	struct job job = at(JOB_STARTING), up = job;

	CHECK(feed(&job, JOB_EV_CRASHED, 0));
	CHECK(job.state == JOB_FAILED);
	feed(&up, JOB_EV_RANKS_UP, 0);
	CHECK(feed(&up, JOB_EV_CRASHED, 0));
	CHECK(up.state == JOB_FAILED);
}

static void a_first_start_that_is_not_brought_up_is_tried_again(void)
{
	static const enum job_event_type failures[] = {
		JOB_EV_UNSTARTED, JOB_EV_LOST, JOB_EV_TIMEOUT};

	for (int i = 0; i < 3; i++) {
		struct job job = at(JOB_STARTING);

		CHECK(feed(&job, failures[i], 0));
		CHECK(job.state == JOB_STOPPING);
		CHECK(job.target == 2);
		CHECK(job.retries_left == patience.retries - 1);
	}
}

static void a_step_heard_before_the_ranks_are_up_counts(void)
{
	struct job job = starting_anew();

	CHECK(feed(&job, JOB_EV_STEP, 0));
	CHECK(job.proven == 4);
	CHECK(feed(&job, JOB_EV_RANKS_UP, 0));
	CHECK(feed(&job, JOB_EV_CRASHED, 0));
	CHECK(job.target == 4);
	CHECK(job.retries_left == patience.retries - 1);
}

static void a_proof_heard_before_the_ranks_are_up_counts(void)
{
	struct job job = starting_anew(), unproven = job;

	CHECK(feed(&job, JOB_EV_RESUMED, 0));
	CHECK(feed(&job, JOB_EV_RANKS_UP, 0));
	CHECK(job.state == JOB_RUNNING);

	CHECK(feed(&unproven, JOB_EV_RANKS_UP, 0));
	CHECK(unproven.state == JOB_RESUMING);
}

static void a_checkpoint_proves_a_start_whose_steps_are_not_seen(void)
{
	struct job job = at(JOB_STARTING);

	feed(&job, JOB_EV_RANKS_UP, 0);
	feed(&job, JOB_EV_SCALE, 1);
	feed(&job, JOB_EV_PREPARED, 0);
	CHECK(feed(&job, JOB_EV_SAVED, 0));
	CHECK(job.has_checkpoint && job.proven == 2);
	feed(&job, JOB_EV_STOPPED, 2);
	CHECK(feed(&job, JOB_EV_CRASHED, 0));
	CHECK(job.state == JOB_STOPPING && job.target == 2);
}

static void a_checkpoint_of_its_own_forgives_losses_and_goes_on(void)
{
	struct job job = at(JOB_GROWING);

	job.retries_left = 1;
	CHECK(feed(&job, JOB_EV_KEPT, 0));
	CHECK(job.state == JOB_GROWING && job.has_checkpoint);
	CHECK(job.retries_left == patience.retries);
}

static void ranks_that_stand_still_are_a_loss_that_is_counted(void)
{
	struct job job = at(JOB_RUNNING), saving = at(JOB_SAVING);

	CHECK(feed(&job, JOB_EV_STEP, 0));
	job.retries_left = 1;
	CHECK(feed(&job, JOB_EV_STALLED, 0));
	CHECK(job.state == JOB_STOPPING && job.retries_left == 0);
	CHECK(feed(&job, JOB_EV_STOPPED, 2) && job.state == JOB_STARTING);
	CHECK(!feed(&job, JOB_EV_STALLED, 0));
	CHECK(feed(&job, JOB_EV_RANKS_UP, 0));
	CHECK(feed(&job, JOB_EV_STALLED, 0));
	CHECK(job.state == JOB_FAILED);
	CHECK(!feed(&saving, JOB_EV_STALLED, 0));
}

static void one_rank_is_a_size_to_go_back_to_from_a_start_afresh(void)
{
	struct job job = on_its_way(1, JOB_RESUMING);

	CHECK(job.state == JOB_RESUMING && job.begun == 4 && job.proven == 1);
	CHECK(feed(&job, JOB_EV_RESTARTED_CLEAN, 0));
	CHECK(job.state == JOB_STOPPING && job.target == 1);
}

static void a_first_start_that_leaves_its_checkpoint_unread_fails(void)
{
	struct job job = first_start(2, true);

	CHECK(job.state == JOB_RESUMING);
	CHECK(feed(&job, JOB_EV_RESTARTED_CLEAN, 0));
	CHECK(job.state == JOB_FAILED);
}

/* It has the newer one before it. */
static void what_was_prepared_does_not_go_on_from_an_older_checkpoint(void)
{
	struct job job = at(JOB_RESUMING);

	CHECK(feed(&job, JOB_EV_RESUMED, 0));
	CHECK(feed(&job, JOB_EV_SCALE, 2));
	CHECK(job.state == JOB_PREPARING && job.next == 3);
	CHECK(feed(&job, JOB_EV_UNREADABLE, 0));
	CHECK(job.state == JOB_STOPPING && job.target == 2);
	CHECK(feed(&job, JOB_EV_STOPPED, 4));
	CHECK(job.epoch == 4);
}

static void a_restart_says_whether_there_is_a_checkpoint(void)
{
	for (unsigned there = 0; there < 2; there++) {
		struct job job = at(JOB_RUNNING);

		CHECK(!job.has_checkpoint);
		CHECK(feed(&job, JOB_EV_RESTARTED, there));
		CHECK(job.has_checkpoint == there);
	}
}

static void a_restart_forgets_executors_that_were_to_leave(void)
{
	struct job job = at(JOB_RUNNING);

	CHECK(leave(&job, 1, 1500));
	CHECK(job.leave == 1500);
	CHECK(feed(&job, JOB_EV_RESTARTED, 0));
	CHECK(job.state == JOB_WAITING && job.leave == 0);
}

static void only_before_the_first_start_an_unfit_executor_ends_the_job(void)
{
	struct job job = at(JOB_WAITING), later = at(JOB_STOPPING);

	CHECK(feed(&job, JOB_EV_UNFIT, 0));
	CHECK(job.state == JOB_FAILED);

	feed(&later, JOB_EV_STOPPED, 0);
	CHECK(later.state == JOB_WAITING);
	CHECK(!feed(&later, JOB_EV_UNFIT, 0));
}

static void none_that_can_be_read_ends_the_job_at_once(void)
{
	struct job job = at(JOB_RESUMING);

	CHECK(job.retries_left == 3);
	CHECK(feed(&job, JOB_EV_NO_CHECKPOINT, 0));
	CHECK(job.state == JOB_FAILED && job.retries_left == 3);
}

static void a_job_that_begins_anew_has_nothing_to_prove(void)
{
	struct job job = at(JOB_RESUMING);

	CHECK(feed(&job, JOB_EV_NO_CHECKPOINT, 1));
	CHECK(job.state == JOB_STOPPING && job.target == 4);
	CHECK(!job.has_checkpoint && job.retries_left == 3);
	CHECK(!feed(&job, JOB_EV_NO_CHECKPOINT, 1)); /* of the same start */
	CHECK(feed(&job, JOB_EV_STOPPED, 4));
	CHECK(feed(&job, JOB_EV_RANKS_UP, 0));
	CHECK(job.state == JOB_RUNNING && job.begun == 4);
}

static void ranks_that_made_a_step_have_read_their_checkpoint(void)
{
	struct job job = at(JOB_RUNNING);

	CHECK(feed(&job, JOB_EV_KEPT, 0));
	CHECK(feed(&job, JOB_EV_NO_CHECKPOINT, 0)); /* a loss like any other */
	CHECK(job.state == JOB_STOPPING && job.has_checkpoint);
	CHECK(job.retries_left == 2);
}

RUN_TESTS(TEST(none_that_can_be_read_ends_the_job_at_once),
	  TEST(a_job_that_begins_anew_has_nothing_to_prove),
	  TEST(ranks_that_made_a_step_have_read_their_checkpoint),
	  TEST(a_prepared_start_keeps_its_number_while_it_fits),
	  TEST(a_prepared_start_does_not_outlive_a_wait),
	  TEST(a_failed_start_at_a_new_size_costs_no_retry),
	  TEST(a_loss_is_the_same_in_every_state_that_computes),
	  TEST(a_loss_completes_a_shrink_to_one_rank),
	  TEST(a_loss_drops_a_grow_from_one_rank_too),
	  TEST(a_loss_while_the_ranks_are_ended_is_none),
	  TEST(what_fails_on_the_way_back_stays_on_the_way_back),
	  TEST(survivors_know_no_way_back_to_a_size_they_cannot_run),
	  TEST(survivors_keep_a_way_back_to_a_smaller_size),
	  TEST(executors_are_held_until_no_rank_is_left_on_them),
	  TEST(a_first_start_that_ends_itself_fails_at_once),
	  TEST(a_first_start_that_is_not_brought_up_is_tried_again),
	  TEST(a_step_heard_before_the_ranks_are_up_counts),
	  TEST(a_proof_heard_before_the_ranks_are_up_counts),
	  TEST(a_checkpoint_proves_a_start_whose_steps_are_not_seen),
	  TEST(a_checkpoint_of_its_own_forgives_losses_and_goes_on),
	  TEST(ranks_that_stand_still_are_a_loss_that_is_counted),
	  TEST(one_rank_is_a_size_to_go_back_to_from_a_start_afresh),
	  TEST(a_first_start_that_leaves_its_checkpoint_unread_fails),
	  TEST(what_was_prepared_does_not_go_on_from_an_older_checkpoint),
	  TEST(a_restart_says_whether_there_is_a_checkpoint),
	  TEST(a_restart_forgets_executors_that_were_to_leave),
	  TEST(only_before_the_first_start_an_unfit_executor_ends_the_job))
