/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/coordinator.h"

#include "base/log.h"
#include "coordinator/job/progress.h"
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

/* Ranks that were told to save have left, with 0: whether that is no end. */
static bool left_unsaved(const struct coordinator *c)
{
	if (c->save_ordered != c->job.epoch || c->saved)
		return false;
	if (!c->judged)
		return c->job.state == JOB_SAVING;
	return c->unread ||
	       (c->history->total != 0 && c->history->step < c->history->total);
}

/* The ranks have left, and nothing more is waited for. */
static void judge(struct coordinator *c, struct event *event)
{
	int status = c->app_status;
	bool unsaved = left_unsaved(c);

	if (status == 0 && !unsaved) {
		if (!c->job.resumed)
			log_warn("epoch=%u nothing proved that it went on from "
				 "its checkpoint",
				 c->job.epoch);
		event->job.type = JOB_EV_FINISHED;
		snprintf(event->reason, sizeof(event->reason),
			 "the application ended with 0");
		return;
	}
	if (status == 0)
		c->exit_code = EXIT_CHECKPOINT;
	event->job.type = storage_verdict(c->storage, &c->job, status);
	if (WIFEXITED(status))
		snprintf(event->reason, sizeof(event->reason),
			 "the application ended with %d%s", WEXITSTATUS(status),
			 unsaved ? " and no checkpoint, told to save" : "");
	else
		snprintf(event->reason, sizeof(event->reason),
			 "mpiexec ended by signal %d", WTERMSIG(status));
}

static void on_overdue(void *user)
{
	struct coordinator *c = user;

	coordinator_post_kind(c, EVENT_OVERDUE, c->job.epoch);
}

static void wait_for(struct coordinator *c, msec_t patience)
{
	loop_timer_set(c->loop, &c->verdict, patience, on_overdue, c);
}

bool verdict_on_overdue(struct coordinator *c, struct event *event)
{
	if (event->job.epoch != c->job.epoch)
		return false;
	judge(c, event);
	return true;
}

bool verdict_on_ended(struct coordinator *c, struct event *event)
{
	launches_on_ended(c->launches, event->job.epoch);
	if (event->job.epoch != c->job.epoch)
		return false;
	if (c->save_ordered == c->job.epoch && !c->judged) {
		wait_for(c, VERDICT_AFTER);
		return false;
	}
	/* What it printed last may come later than its end. */
	if (c->app_status == 0 && left_unsaved(c)) {
		wait_for(c, OUTPUT_AFTER);
		return false;
	}
	judge(c, event);
	return true;
}

void coordinator_on_checkpoint(struct coordinator *c,
			       const Bellows__V1__CheckpointReport *report)
{
	char reason[128];

	if (report->epoch != c->save_ordered || c->judged)
		return;
	c->judged = true;
	c->unread = report->unread;
	loop_timer_clear(&c->verdict);
	if (report->complete && (report->newer || report->taken)) {
		c->saved = true;
		storage_find(c->storage);
		progress_on_saved(c, report->step, report->taken);
		snprintf(reason, sizeof(reason),
			 "checkpoint of step %llu, %llu bytes",
			 (unsigned long long)report->step,
			 (unsigned long long)report->bytes);
		coordinator_post(c, JOB_EV_SAVED, report->epoch, 0, reason);
		return;
	}
	log_warn("epoch=%u no checkpoint: %s", report->epoch, report->failure);
	if (c->app_ended)
		coordinator_post_kind(c, EVENT_ENDED, report->epoch);
}
