/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/executor.h"

#include "base/log.h"
#include "executor/process.h"
#include "executor/reach.h"
#include "executor/ready.h"

#include <signal.h>

/*
 * After another coordinator has taken the place of the one that was
 *
 * What still runs here is of a start that it knows nothing of, and it is about
 * to start from the same checkpoint.  So everything is ended first, and only
 * who has nothing left joins: the coordinator never sees an executor that has
 * ranks of another's.
 */

enum { KILL_AFTER = 3000, LOOK_AGAIN = 20 };

static void look(void *user)
{
	struct executor *ex = user;
	msec_t spent = loop_now() - ex->former_since;
	bool late = ex->lease.is_over || spent > KILL_AFTER;

	if (ex->leaving)
		return;
	if (process_signal(0, false, late ? SIGKILL : 0) > 0) {
		loop_timer_set(ex->loop, &ex->again, LOOK_AGAIN, look, ex);
		return;
	}
	ranks_forget(ex->ranks);
	/* this coordinator may have given it up meanwhile */
	if (spent > ex->lease.length)
		executor_begin_life(ex);
	executor_join(ex);
}

void executor_end_former(struct executor *ex)
{
	loop_timer_clear(&ex->patience);
	log_warn("another coordinator runs the job: ending %u ranks of the one "
		 "before",
		 ranks_count(ex->ranks));
	ex->fit = false;
	ready_tell(ex);
	reach_end(ex);
	ex->judged.epoch = 0;
	ex->save = save_destroy(ex->save);
	ex->job = jobfile_destroy(ex->job);
	ex->former_since = loop_now();
	process_signal(0, false, ex->lease.is_over ? SIGKILL : SIGTERM);
	programs_abandon(ex->programs);
	look(ex);
}
