/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"

#include "base/log.h"
#include "base/text.h"
#include "coordinator/job/progress.h"
#include "core/end_cause.h"

#include <sys/wait.h>

/*
 * What ranks leave behind: a status, and a checkpoint or none
 *
 * The two come on different ways.  Ranks that were told to save are judged by
 * their checkpoint, and by their status only if there is none.
 */

#define VERDICT_AFTER SECONDS(10) /* for the word on a checkpoint, */
#define OUTPUT_AFTER  SECONDS(2)  /* and for the last lines, after the end */

/* Ranks have left, with 0: NULL if that is their end, or what is missing. */
static const char *find_lack(const struct driver *driver)
{
	enum end_verdict verdict = progress_judge_end(driver);
	bool ordered = driver->save.epoch == driver->job.epoch;
	bool unsaved = driver->save.judged ? driver->save.unread
					   : driver->job.state == JOB_SAVING;

	if (verdict == END_PROVEN || (ordered && driver->save.saved))
		return NULL;
	if (ordered && (unsaved || verdict == END_EARLY))
		return " and no checkpoint, told to save";
	return verdict == END_EARLY ? " before its end" : NULL;
}

/* Which rank's end mpiexec ended for; false: it was not by a signal. */
static bool find_killed(const struct driver *driver, int code, unsigned *rank)
{
	const struct launch *now = launches_now(driver->launches);
	char words[4096];
	int signo;

	if (!now || code <= 128)
		return false;
	launch_words(now, words, sizeof(words));
	return end_find_killed(words, rank, &signo) && code == 128 + signo;
}

static void describe(const struct driver *driver, char *text, size_t n,
		     int status, const char *lack)
{
	int code = WEXITSTATUS(status);
	unsigned rank;

	if (WIFSIGNALED(status))
		snprintf(text, n, "mpiexec ended by signal %d",
			 WTERMSIG(status));
	else if (find_killed(driver, code, &rank))
		snprintf(text, n, "rank %u was killed by signal %d", rank,
			 code - 128);
	else if (end_is_own(status))
		snprintf(text, n, "the application ended with %d%s", code,
			 lack ? lack : "");
	else if (code == END_LOST_DAEMON)
		snprintf(text, n, "mpiexec lost one of its daemons");
	else
		snprintf(text, n, "a rank was killed by signal %d", code - 128);
}

/* The ranks have left, and nothing more is waited for. */
static void judge(struct driver *driver, struct event *event)
{
	int status = driver->app_status;
	const char *lack = status == 0 ? find_lack(driver) : NULL;

	if (status == 0 && !lack) {
		if (!driver->job.resumed)
			log_warn("epoch=%u nothing proved that it went on from "
				 "its checkpoint",
				 driver->job.epoch);
		event->job.type = JOB_EV_FINISHED;
		snprintf(event->reason, sizeof(event->reason),
			 "the application ended with 0");
		return;
	}
	event->job.type = checkpoint_recovery_judge(driver->recovery,
						    &driver->job, status);
	if (event->job.type == JOB_EV_CRASHED && !end_is_own(status))
		event->job.type = JOB_EV_LOST;
	describe(driver, event->reason, sizeof(event->reason), status, lack);
	if (event->job.type == JOB_EV_NO_CHECKPOINT) {
		event->job.size = driver_begins_anew(driver);
		snprintf(
			event->reason, sizeof(event->reason), "%s",
			checkpoint_recovery_unreadable(driver->recovery)->text);
	}
}

static void on_overdue(void *user)
{
	struct driver *driver = user;

	driver_post_kind(driver, EVENT_OVERDUE, driver->job.epoch);
}

static void wait_for(struct driver *driver, msec_t patience)
{
	loop_timer_set(driver->loop, &driver->save.overdue, patience,
		       on_overdue, driver);
}

bool save_result_on_overdue(struct driver *driver, struct event *event)
{
	if (event->job.epoch != driver->job.epoch)
		return false;
	judge(driver, event);
	return true;
}

bool save_result_on_ended(struct driver *driver, struct event *event)
{
	bool is_end;

	launches_on_ended(driver->launches, event->job.epoch);
	if (event->job.epoch != driver->job.epoch)
		return false;
	is_end = driver->app_status == 0 &&
		 progress_judge_end(driver) == END_PROVEN;
	if (!is_end && driver->save.epoch == driver->job.epoch &&
	    !driver->save.judged) {
		wait_for(driver, VERDICT_AFTER);
		return false;
	}
	/* What it printed last may come later than its end. */
	if (driver->app_status == 0 && find_lack(driver)) {
		wait_for(driver, OUTPUT_AFTER);
		return false;
	}
	judge(driver, event);
	return true;
}

/* The executor has looked at the checkpoint just now, so its directory
 * answers. */
void save_result_on_saved(struct driver *driver, struct event *event)
{
	event->job.type = JOB_EV_SAVED;
	if (event->job.epoch != driver->save.epoch)
		return;
	checkpoint_recovery_find(driver->recovery);
	progress_on_saved(driver, driver->save.step, driver->save.taken);
}

static void describe_saved(const struct driver *driver,
			   const Bellows__V1__CheckpointReport *report,
			   char *text, size_t n)
{
	const char *unit = jobfile_unit(driver->jobfile);

	if (report->step > 0)
		snprintf(text, n, "checkpoint of %.80s, %llu bytes",
			 text_step(report->step, unit).s,
			 (unsigned long long)report->bytes);
	else
		snprintf(text, n, "checkpoint, %llu bytes",
			 (unsigned long long)report->bytes);
}

void driver_on_checkpoint(struct driver *driver,
			  const Bellows__V1__CheckpointReport *report)
{
	struct event saved = {
		.kind = EVENT_SAVED,
		.job = {.now = loop_now(), .epoch = report->epoch},
	};

	if (report->epoch != driver->save.epoch || driver->save.judged)
		return;
	driver->save.judged = true;
	driver->save.unread = report->unread;
	loop_timer_clear(&driver->save.overdue);
	if (report->complete && (report->newer || report->taken)) {
		driver->save.saved = true;
		driver->save.step = report->step;
		driver->save.taken = report->taken;
		describe_saved(driver, report, saved.reason,
			       sizeof(saved.reason));
		driver_put(driver, &saved);
		return;
	}
	log_warn("epoch=%u no checkpoint: %s", report->epoch, report->failure);
	if (driver->app_ended)
		driver_post_kind(driver, EVENT_ENDED, report->epoch);
}
