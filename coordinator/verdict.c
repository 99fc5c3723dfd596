/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/coordinator.h"

#include "base/log.h"
#include "coordinator/progress.h"
#include "jobfile/exit.h"

#include <sys/wait.h>

/*
 * What ranks leave behind: a status, and a checkpoint or none
 *
 * The two come on different ways.  Ranks that were told to save are judged by
 * their checkpoint, and by their status only if there is none.
 */

enum {
	VERDICT_AFTER = 10000, /* for the word on a checkpoint, */
	OUTPUT_AFTER = 2000,   /* and for the last lines, after the end */
};

/* The ranks left and nobody waits for a verdict on their checkpoint. */
static void on_application_end(void *user)
{
	struct coordinator *c = user;
	int status = c->app_status;
	bool unsaved = storage_left_unsaved(c);
	char reason[128];

	if (status == 0 && !unsaved) {
		if (!c->job.resumed)
			log_warn("epoch=%u nothing proved that it went on from "
				 "its checkpoint",
				 c->job.epoch);
		coordinator_event(c, JOB_EV_FINISHED, c->job.epoch, 0,
				  "the application ended with 0");
		return;
	}
	if (status == 0)
		c->exit_code = EXIT_CHECKPOINT;
	if (WIFEXITED(status))
		snprintf(reason, sizeof(reason),
			 "the application ended with %d%s", WEXITSTATUS(status),
			 unsaved ? " and no checkpoint, told to save" : "");
	else
		snprintf(reason, sizeof(reason), "mpiexec ended by signal %d",
			 WTERMSIG(status));
	coordinator_event(c, storage_verdict(c, status), c->job.epoch, 0,
			  reason);
}

/* What it printed last may come later than its end. */
static void on_left_early(struct coordinator *c)
{
	if (c->app_status == 0 && storage_left_unsaved(c))
		loop_timer_set(c->loop, &c->verdict, OUTPUT_AFTER,
			       on_application_end, c);
	else
		on_application_end(c);
}

void coordinator_on_ended(struct coordinator *c, int status)
{
	c->app_ended = true;
	c->app_status = status;
	if (c->save_ordered != c->job.epoch || c->judged)
		on_left_early(c);
	else
		loop_timer_set(c->loop, &c->verdict, VERDICT_AFTER,
			       on_application_end, c);
}

void coordinator_on_checkpoint(struct coordinator *c,
			       const Bellows__V1__CheckpointReport *report)
{
	char reason[128];

	if (report->epoch != c->save_ordered || c->judged)
		return;
	c->judged = true;
	c->storage.unread = report->unread;
	loop_timer_clear(&c->verdict);
	if (report->complete && (report->newer || report->taken)) {
		c->saved = true;
		coordinator_find_checkpoint(c);
		progress_on_saved(c, report->step, report->taken);
		snprintf(reason, sizeof(reason),
			 "checkpoint of step %llu, %llu bytes",
			 (unsigned long long)report->step,
			 (unsigned long long)report->bytes);
		coordinator_event(c, JOB_EV_SAVED, report->epoch, 0, reason);
		return;
	}
	log_warn("epoch=%u no checkpoint: %s", report->epoch, report->failure);
	if (c->app_ended)
		on_left_early(c);
}
