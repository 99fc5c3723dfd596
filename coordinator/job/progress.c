/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/progress.h"

#include "base/log.h"
#include "core/cost.h"

enum { PROVEN_AFTER = 10000 }; /* if no step is seen */

void progress_on_start(struct coordinator *c)
{
	c->resume = (struct resume){
		.step = storage_newest(c->storage)->step,
		.seen = c->saved_after,
	};
}

/* Who only prints its resuming has to be taken at its word for the rest. */
static void on_proven(void *user)
{
	struct coordinator *c = user;

	if (c->job.resumed && !c->job.stepped)
		coordinator_post(c, JOB_EV_STEP, c->job.epoch, 0, "runs");
}

void progress_on_up(struct coordinator *c)
{
	loop_timer_set(c->loop, &c->proof, PROVEN_AFTER, on_proven, c);
}

void progress_on_saved(struct coordinator *c, uint64_t step, bool taken)
{
	storage_set_step(c->storage, step);
	if (!taken)
		c->saved_after = c->ordered_at;
	if (step == 0 || step >= c->history->step)
		return;
	record_repeated(c->record, c->history->step - step);
	log_info("epoch=%u to be computed again: %llu %s", c->job.epoch,
		 (unsigned long long)(c->history->step - step),
		 jobfile_unit(c->jobfile));
}

bool progress_takes_newest(struct coordinator *c)
{
	const struct adapter *adapter = c->jobfile->adapter;
	struct save_choice choice = {
		.from = c->job.size,
		.to = c->job.target,
		.step = c->history->step,
		.step_time = history_step_time(c->history),
		.deadline = c->jobfile->checkpoint_deadline,
	};
	bool takes;

	c->ordered_at = c->history->step;
	if (c->job.leave != 0 && jobfile_saves_unasked(c->jobfile)) {
		log_info("epoch=%u saves when it likes, and an executor "
			 "leaves: taking the newest checkpoint",
			 c->job.epoch);
		return true;
	}
	if (!adapter->next)
		return false;
	storage_find(c->storage);
	choice.has_newest = storage_newest(c->storage)->mark != 0;
	choice.newest = storage_newest(c->storage)->step;
	choice.next = adapter->next(&c->jobfile->app, choice.step);
	takes = cost_takes_newest(&choice);
	log_info("epoch=%u at %llu, newest checkpoint %llu, next %llu (%s): %s",
		 c->job.epoch, (unsigned long long)choice.step,
		 (unsigned long long)choice.newest,
		 (unsigned long long)choice.next, jobfile_unit(c->jobfile),
		 takes ? "taking the newest" : "waiting for the next");
	return takes;
}

/* ---- lines ---- */

/* The job may not have been told yet. */
static bool has_resumed(const struct coordinator *c)
{
	return c->job.resumed || c->resumed_epoch == c->job.epoch;
}

static void judge(struct coordinator *c, enum resume_verdict verdict,
		  const char *line)
{
	char reason[256];

	switch (verdict) {
	case RESUME_OPEN:
		return;
	case RESUME_PROVEN:
		c->resumed_epoch = c->job.epoch;
		coordinator_post(c, JOB_EV_RESUMED, c->job.epoch, 0,
				 "it went on from its checkpoint");
		progress_on_up(c);
		return;
	case RESUME_REFUTED:
		if (c->afresh == c->job.epoch)
			return;
		c->afresh = c->job.epoch;
		launch_forbid(launches_now(c->launches));
		snprintf(reason, sizeof(reason),
			 "it did not go on from its checkpoint of step %llu: "
			 "'%.120s'",
			 (unsigned long long)(c->resume.step ? c->resume.step
							     : c->resume.seen),
			 line);
		log_error("epoch=%u %s", c->job.epoch, reason);
		coordinator_post(c, JOB_EV_AFRESH, c->job.epoch, 0, reason);
		return;
	}
}

static void on_step(struct coordinator *c, const struct line_facts *facts,
		    const char *line)
{
	unsigned epoch = c->job.epoch;

	if (!has_resumed(c))
		judge(c, resume_on_step(&c->resume, facts->step), line);
	if (!has_resumed(c))
		return;
	history_on_progress(c->history, facts->step, facts->total,
			    c->progress_epoch != epoch, loop_now());
	c->progress_epoch = epoch;
	if (!c->job.stepped)
		coordinator_post(c, JOB_EV_STEP, epoch, 0, "a step");
	else /* a schedule goes by it */
		service_publish(c, c->jobfile->policy == SCALE_SCHEDULE
					   ? PUBLISH_SOON
					   : PUBLISH_SELDOM);
}

/* Who says where it begins may say how far it is to go. */
static enum line_kind read_line(struct coordinator *c, const char *line,
				struct line_facts *facts)
{
	enum line_kind kind =
		c->jobfile->adapter->on_line(&c->jobfile->app, line, facts);

	if ((kind == LINE_RESUMED || kind == LINE_AFRESH) && facts->total != 0)
		history_on_total(c->history, facts->total);
	return kind;
}

void coordinator_on_line(struct coordinator *c, unsigned epoch,
			 const char *line)
{
	struct line_facts facts = {0};

	if (!c->jobfile->adapter->on_line || epoch != c->job.epoch)
		return;
	switch (read_line(c, line, &facts)) {
	case LINE_OTHER:
		return;
	case LINE_PROGRESS:
		on_step(c, &facts, line);
		return;
	case LINE_SAVE_FAILED:
		coordinator_post(c, JOB_EV_UNSAVED, epoch, 0, line);
		return;
	case LINE_RESUMED:
		if (!has_resumed(c))
			judge(c, resume_on_said(&c->resume, facts.step), line);
		return;
	case LINE_AFRESH:
		if (!has_resumed(c))
			judge(c, RESUME_REFUTED, line);
		return;
	case LINE_UNREADABLE:
		storage_on_unreadable(c->storage, epoch);
		return;
	}
}
