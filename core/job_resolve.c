/* SPDX-License-Identifier: Apache-2.0 */
#include "core/job_resolve.h"

/* A number was stated. */
static enum job_trigger resolve_goal(const struct job *job)
{
	unsigned goal = job_goal(job);

	if (job->state == JOB_WAITING || job->state == JOB_REPLACING)
		return goal != job->target ? ON_AIM : ON_NOTHING;
	if (goal == job->size)
		return ON_SETTLED;
	if (goal == job->target && job->state == JOB_GROWING)
		return ON_NOTHING;
	return goal > job->size ? ON_GROW : ON_SHRINK;
}

/* Executors came or went, or the job has got to RUNNING. */
static enum job_trigger resolve_executors(const struct job *job,
					  const struct job_event *ev)
{
	unsigned goal = job_goal(job);

	if (job->state != JOB_RUNNING)
		return ev->size >= job->target ? ON_ENOUGH : ON_NOTHING;
	if (goal == job->size || !job->stepped || ev->now < job->again)
		return ON_NOTHING;
	if (goal < job->size)
		return ON_SHRINK;
	return ev->size >= goal ? ON_ENOUGH : ON_GROW;
}

static enum job_trigger resolve_stop(const struct job *job, unsigned size)
{
	if (job->target == 0)
		return ON_SUSPENDED;
	return size > 0 && !job->hands_over ? ON_STOPPED : ON_STOPPED_ALONE;
}

/* A start or its ranks were lost.  by_itself: the application ended; else an
 * executor, a daemon or mpiexec did. */
static enum job_trigger resolve_loss(const struct job *job, bool by_itself)
{
	if (job->state == JOB_STOPPING)
		return ON_NOTHING;
	if (job->stepped)
		return job->retries_left > 0 ? ON_LOSS : ON_LAST_LOSS;
	if (job->proven != 0 && job->proven != job->begun)
		return ON_BAD_SIZE;
	if (by_itself && !job->worked)
		return ON_LAST_LOSS;
	return job->retries_left > 0 ? ON_LOSS : ON_LAST_LOSS;
}

/* A second start at the same size would begin afresh again, so only a start at
 * a new size is undone and the former size tried. */
static enum job_trigger resolve_afresh(const struct job *job)
{
	if (job->resumed)
		return ON_NOTHING;
	return job->proven != 0 && job->proven != job->begun ? ON_BAD_SIZE
							     : ON_LAST_LOSS;
}

/* Ranks that have made a step have read their checkpoint.  Without one that can
 * be read another start would fail in the same way, so it is not tried. */
static enum job_trigger resolve_unreadable(const struct job *job,
					   const struct job_event *ev)
{
	if (job->stepped || !job->has_checkpoint)
		return resolve_loss(job, true);
	if (job->state == JOB_STOPPING)
		return ON_NOTHING;
	if (ev->type == JOB_EV_NO_CHECKPOINT)
		return ev->size > 0 ? ON_ANEW : ON_LAST_LOSS;
	return job->retries_left > 0 ? ON_UNREADABLE : ON_LAST_LOSS;
}

/* Ranks that come up, or write a checkpoint, have a patience of their own. */
static enum job_trigger resolve_stalled(const struct job *job)
{
	return job->state == JOB_STARTING || job->state == JOB_SAVING
		       ? ON_NOTHING
		       : resolve_loss(job, false);
}

static enum job_trigger resolve_unprepared(const struct job *job)
{
	return job->leave && job->state == JOB_PREPARING ? ON_HASTE
							 : ON_UNPREPARED;
}

static enum job_trigger resolve_leave(const struct job *job, unsigned size)
{
	bool unordered = job_computes(job) && job->state != JOB_SAVING;

	return unordered && size == 0 ? ON_LEAVE_ALONE : ON_LEAVE;
}

static enum job_trigger resolve_timeout(const struct job *job, unsigned size)
{
	switch (job->state) {
	case JOB_WAITING:
	case JOB_REPLACING:
		return size > 0 ? ON_SOME : ON_TIMEOUT;
	case JOB_GROWING:
		if (size >= job->target)
			return ON_ENOUGH;
		return size > job->size ? ON_SOME : ON_TIMEOUT;
	case JOB_STARTING:
	case JOB_RESUMING:
		return resolve_loss(job, false);
	case JOB_STOPPING: /* ranks that cannot be ended own the checkpoint */
		return ON_LAST_LOSS;
	case JOB_PREPARING:
		return job->leave ? ON_HASTE : ON_TIMEOUT;
	case JOB_SAVING:
		return job->leave ? ON_BREAK : ON_TIMEOUT;
	case JOB_RUNNING:
	case JOB_DONE:
	case JOB_FAILED:
	case JOB_CANCELLED:
	case JOB_SUSPENDED:
		return ON_TIMEOUT;
	}
	return ON_NOTHING;
}

/* The coordinator leaves in a moment, and begins nothing more. */
static bool is_left_over(const struct job *job, enum job_event_type type)
{
	return job_effect(job) == JOB_DO_HAND_OVER &&
	       (type == JOB_EV_EXECUTORS || type == JOB_EV_TIMEOUT ||
		type == JOB_EV_UNFIT);
}

/* What is the same whatever the job is like. */
static const enum job_trigger plain[] = {
	[JOB_EV_PREPARED] = ON_PREPARED,   [JOB_EV_SAVED] = ON_SAVED,
	[JOB_EV_KEPT] = ON_KEPT,           [JOB_EV_RESUMED] = ON_RESUMED,
	[JOB_EV_STEP] = ON_STEP,           [JOB_EV_FINISHED] = ON_FINISHED,
	[JOB_EV_HAND_OVER] = ON_HAND_OVER, [JOB_EV_CANCEL] = ON_CANCEL,
	[JOB_EV_SUSPEND] = ON_SUSPEND,
};

enum job_trigger job_resolve(const struct job *job, const struct job_event *ev)
{
	if (is_left_over(job, ev->type))
		return ON_NOTHING;
	switch (ev->type) {
	case JOB_EV_EXECUTORS:
		return resolve_executors(job, ev);
	case JOB_EV_UNFIT: /* the first cannot: the others will not either */
		return job->epoch == 0 ? ON_UNFIT : ON_NOTHING;
	case JOB_EV_SCALE:
	case JOB_EV_GRANT:
		return ev->size > 0 ? resolve_goal(job) : ON_NOTHING;
	case JOB_EV_UNPREPARED:
		return resolve_unprepared(job);
	case JOB_EV_UNSAVED:
		return job->leave ? ON_BREAK : ON_UNSAVED;
	case JOB_EV_STOPPED:
		return resolve_stop(job, ev->size);
	case JOB_EV_REPLACED_SOON:
		return job->target == 0 || job->hands_over
			       ? resolve_stop(job, ev->size)
			       : ON_REPLACED_SOON;
	case JOB_EV_RANKS_UP:
		return job->resumed ? ON_RANKS_UP : ON_RANKS_ONLY;
	case JOB_EV_RESTARTED_CLEAN:
		return resolve_afresh(job);
	case JOB_EV_UNREADABLE:
	case JOB_EV_NO_CHECKPOINT:
		return resolve_unreadable(job, ev);
	case JOB_EV_DUE: /* ranks that are not proven have just read one */
		return job->stepped ? ON_DUE : ON_NOTHING;
	case JOB_EV_CRASHED:
		return resolve_loss(job, true);
	case JOB_EV_UNSTARTED:
	case JOB_EV_LOST:
		return resolve_loss(job, false);
	case JOB_EV_STALLED:
		return resolve_stalled(job);
	case JOB_EV_LEAVE:
		return resolve_leave(job, ev->size);
	case JOB_EV_RESTARTED: /* no rank is left to be suspended */
		return job->target == 0 ? ON_SUSPENDED : ON_RESTARTED;
	case JOB_EV_TIMEOUT:
		return resolve_timeout(job, ev->size);
	case JOB_EV_PREPARED:
	case JOB_EV_SAVED:
	case JOB_EV_KEPT:
	case JOB_EV_RESUMED:
	case JOB_EV_STEP:
	case JOB_EV_FINISHED:
	case JOB_EV_HAND_OVER:
	case JOB_EV_CANCEL:
	case JOB_EV_SUSPEND:
		return plain[ev->type];
	}
	return ON_NOTHING;
}
