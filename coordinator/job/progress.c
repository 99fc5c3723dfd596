/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/progress.h"

#include "coordinator/job/internal.h"

#include "base/log.h"
#include "base/text.h"
#include "core/save_choice.h"

#define PROVEN_AFTER SECONDS(10) /* if no step is seen */

void progress_on_start(struct driver *driver)
{
	uint64_t step = checkpoint_recovery_newest(driver->recovery)->step;

	driver->progress.from = step;
	driver->progress.resume = (struct resume_proof){
		.step = step,
		.seen = driver->progress.saved_after,
	};
}

/* ---- what is computed again ---- */

static void note_repeated(struct driver *driver, uint64_t from)
{
	uint64_t seen = driver->history->step;
	uint64_t steps = seen > from ? seen - from : 0;

	if (journal_writer_repeated(driver->writer, steps) && steps > 0)
		log_info("epoch=%u to be computed again: %s", driver->job.epoch,
			 text_amount(steps, jobfile_unit(driver->jobfile)).s);
}

/* What the start goes on from, as far as it is known by now.  shown: its first
 * step, where nothing else tells; 0: none was seen. */
static void note_origin(struct driver *driver, uint64_t shown)
{
	uint64_t from = driver->progress.from;

	if (driver->progress.epoch == driver->job.epoch)
		return; /* what was seen last is of this start */
	if (!driver->job.has_checkpoint) {
		note_repeated(driver, 0);
		return;
	}
	if (from > 0)
		journal_writer_checkpoint(driver->writer, from);
	if (from > 0 || shown > 0)
		note_repeated(driver, from > 0 ? from : shown);
}

/* ---- it runs ---- */

/* An application that shows no steps is believed when it prints that it
 * resumes: there is nothing else to hold it against. */
static void on_proven(void *user)
{
	struct driver *driver = user;

	/* steps that were seen before will be seen again, a moment later */
	unsigned unseen = driver->history->step == 0;

	if (driver->job.resumed && !driver->job.stepped)
		driver_post(driver, JOB_EV_STEP, driver->job.epoch, unseen,
			    "runs");
}

static void await_proof(struct driver *driver)
{
	loop_timer_set(driver->loop, &driver->progress.proof, PROVEN_AFTER,
		       on_proven, driver);
}

void progress_on_up(struct driver *driver)
{
	note_origin(driver, 0);
	await_proof(driver);
}

void progress_on_saved(struct driver *driver, uint64_t step, bool taken)
{
	checkpoint_recovery_set_step(driver->recovery, step);
	if (!taken)
		driver->progress.saved_after = driver->progress.ordered_at;
	if (step == 0)
		return;
	journal_writer_checkpoint(driver->writer, step);
	note_repeated(driver, step);
}

bool progress_takes_newest(struct driver *driver)
{
	const struct adapter *adapter = driver->jobfile->adapter;
	struct save_choice choice = {
		.from = driver->job.size,
		.to = driver->job.target,
		.step = driver->history->step,
		.step_time = history_step_time(driver->history),
		.deadline = driver->jobfile->checkpoint_deadline,
	};
	bool takes;

	driver->progress.ordered_at = driver->history->step;
	if (driver->job.leave != 0 && jobfile_saves_unasked(driver->jobfile)) {
		log_info("epoch=%u saves when it likes, and an executor "
			 "leaves: taking the newest checkpoint",
			 driver->job.epoch);
		return true;
	}
	if (!adapter->next)
		return false;
	checkpoint_recovery_find(driver->recovery);
	choice.has_newest =
		checkpoint_recovery_newest(driver->recovery)->mark != 0;
	choice.newest = checkpoint_recovery_newest(driver->recovery)->step;
	choice.next = adapter->next(&driver->jobfile->app, choice.step);
	takes = save_takes_newest(&choice);
	log_info("epoch=%u at %llu, newest checkpoint %llu, next %llu (%s): %s",
		 driver->job.epoch, (unsigned long long)choice.step,
		 (unsigned long long)choice.newest,
		 (unsigned long long)choice.next, jobfile_unit(driver->jobfile),
		 takes ? "taking the newest" : "waiting for the next");
	return takes;
}

enum end_verdict progress_judge_end(const struct driver *driver)
{
	const struct jobfile *job = driver->jobfile;
	const struct end_proof end = {
		.has_word = job->adapter->says_end &&
			    job->adapter->says_end(&job->app),
		.stops_alike = job->adapter->stops_alike,
		.said = driver->progress.finished == driver->job.epoch,
		.step = driver->history->step,
		.total = driver->history->total,
		.stride = driver->progress.stride,
	};

	return end_judge(&end);
}

/* ---- lines ---- */

/* The job may not have been told yet. */
static bool has_resumed(const struct driver *driver)
{
	return driver->job.resumed ||
	       driver->progress.resumed == driver->job.epoch;
}

static void judge(struct driver *driver, enum resume_verdict verdict,
		  const char *line)
{
	const struct resume_proof *resume = &driver->progress.resume;
	char reason[256];

	switch (verdict) {
	case RESUME_OPEN:
		return;
	case RESUME_PROVEN:
		driver->progress.resumed = driver->job.epoch;
		driver_post(driver, JOB_EV_RESUMED, driver->job.epoch, 0,
			    "it went on from its checkpoint");
		await_proof(driver);
		return;
	case RESUME_REFUTED:
		if (driver->progress.restarted_clean == driver->job.epoch)
			return;
		driver->progress.restarted_clean = driver->job.epoch;
		launch_forbid(launches_now(driver->launches));
		snprintf(reason, sizeof(reason),
			 "it did not go on from its checkpoint of %.80s: "
			 "'%.120s'",
			 text_step(resume->step ? resume->step : resume->seen,
				   jobfile_unit(driver->jobfile))
				 .s,
			 line);
		log_error("epoch=%u %s", driver->job.epoch, reason);
		driver_post(driver, JOB_EV_RESTARTED_CLEAN, driver->job.epoch,
			    0, reason);
		return;
	}
}

static void count_stride(struct driver *driver, uint64_t step)
{
	uint64_t former = driver->history->step;

	if (step > former && step - former > driver->progress.stride)
		driver->progress.stride = step - former;
}

static void on_step(struct driver *driver, const struct line_facts *facts,
		    const char *line)
{
	unsigned epoch = driver->job.epoch;
	bool is_new;

	if (!has_resumed(driver))
		judge(driver,
		      resume_on_step(&driver->progress.resume, facts->step),
		      line);
	if (!has_resumed(driver))
		return;
	note_origin(driver, facts->step);
	is_new = driver->progress.epoch != epoch ||
		 facts->step > driver->history->step;
	if (driver->progress.epoch == epoch)
		count_stride(driver, facts->step);
	history_on_progress(driver->history, facts->step, facts->total,
			    driver->progress.epoch != epoch, loop_now());
	driver->progress.epoch = epoch;
	eta_watch_on_step(driver);
	if (is_new)
		stall_watch_on_step(driver);
	if (!driver->job.stepped)
		driver_post(driver, JOB_EV_STEP, epoch, 0, "a step");
	else /* a monitor goes by it */
		driver_publish(driver, driver->jobfile->policy == SCALE_MANUAL
					       ? PUBLISH_SELDOM
					       : PUBLISH_SOON);
}

/* A monitor resizes pods by it. */
static void on_shares(struct driver *driver, const struct line_facts *facts)
{
	const struct launch *launch = launches_now(driver->launches);
	int member = launch ? layout_find(launch_layout(launch), facts->rank)
			    : NO_MEMBER;

	if (member == NO_MEMBER)
		return;
	members_ledger(driver->members)->members[member].shares = facts->shares;
	driver_publish(driver, PUBLISH_SOON);
}

/* The line that says at which step the ranks begin may also say how many steps
 * there are. */
static enum line_kind read_line(struct driver *driver, const char *line,
				struct line_facts *facts)
{
	enum line_kind kind = driver->jobfile->adapter->on_line(
		&driver->jobfile->app, line, facts);

	if ((kind == LINE_RESUMED || kind == LINE_AFRESH) && facts->total != 0)
		history_on_total(driver->history, facts->total);
	return kind;
}

static void take_line(struct driver *driver, unsigned epoch, const char *line)
{
	struct line_facts facts = {0};

	switch (read_line(driver, line, &facts)) {
	case LINE_OTHER:
		return;
	case LINE_PROGRESS:
		on_step(driver, &facts, line);
		return;
	case LINE_SAVE_FAILED:
		driver_post(driver, JOB_EV_UNSAVED, epoch, 0, line);
		return;
	case LINE_RESUMED:
		if (driver->progress.from == 0)
			driver->progress.from = facts.step;
		note_origin(driver, 0);
		if (!has_resumed(driver))
			judge(driver,
			      resume_on_said(&driver->progress.resume,
					     facts.step),
			      line);
		return;
	case LINE_AFRESH:
		if (!has_resumed(driver))
			judge(driver, RESUME_REFUTED, line);
		return;
	case LINE_UNREADABLE:
		checkpoint_recovery_on_unreadable(driver->recovery, epoch);
		return;
	case LINE_FINISHED:
		driver->progress.finished = epoch;
		return;
	case LINE_SHARES:
		on_shares(driver, &facts);
		return;
	}
}

/* The last lines may come later than the end. */
void driver_on_line(struct driver *driver, unsigned epoch, const char *line)
{
	if (!driver->jobfile->adapter->on_line || epoch != driver->job.epoch)
		return;
	match_watch_on_line(driver);
	take_line(driver, epoch, line);
	if (driver->app_ended && progress_judge_end(driver) == END_PROVEN)
		driver_post_kind(driver, EVENT_ENDED, epoch);
}
