/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/executor.h"

#include "base/log.h"
#include "executor/disk.h"
#include "executor/launcher_setup.h"
#include "executor/opening.h"
#include "executor/probe.h"
#include "executor/ready.h"

/*
 * After another coordinator has taken the place of the one that was
 *
 * The ranks that still run here are of a start that the new coordinator knows
 * nothing of, and it is about to start from the same checkpoint.  So all of
 * them are ended first, and only then the executor joins: the coordinator never
 * sees an executor that has ranks of another coordinator.
 */

static void on_killed(struct executor *ex)
{
	ranks_forget(ex->ranks);
	executor_begin_numbers(ex);
	disk_forget(ex->disk);
	/* this coordinator may have given it up meanwhile */
	if (loop_now() - ex->kill_since > ex->lease.length)
		executor_begin_life(ex);
	executor_join(ex);
}

void executor_end_stale_start(struct executor *ex)
{
	loop_timer_clear(&ex->patience);
	log_warn("another coordinator runs the job: ending %u ranks of the one "
		 "before",
		 ranks_count(ex->ranks));
	ex->fit = false;
	ready_tell(ex);
	launcher_setup_end(ex);
	ex->judged.epoch = 0;
	opening_forget(ex);
	tail_forget(ex->tail);
	probe_forget(ex->probe);
	ex->save = save_destroy(ex->save);
	ex->job = jobfile_destroy(ex->job);
	programs_abandon(ex->programs);
	executor_kill_ranks(ex, on_killed);
}
