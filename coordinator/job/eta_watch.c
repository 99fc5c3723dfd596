/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/eta_watch.h"

#include "coordinator/job/internal.h"

/* ---- measuring ---- */

/* The ranks do nothing beside computing, and what they print is read. */
static bool computes_alone(const struct driver *driver)
{
	return driver->job.state == JOB_RUNNING &&
	       driver->job.target == driver->job.size &&
	       !driver->stall.held_back && !driver->stall.stall.told;
}

void eta_watch_on_job(struct driver *driver)
{
	if (!computes_alone(driver))
		eta_break(&driver->eta);
}

void eta_watch_on_step(struct driver *driver)
{
	const struct step_look look = {
		.epoch = driver->job.epoch,
		.ranks = driver->job.size,
		.step = driver->history->step,
		.at = driver->history->last_step,
	};

	eta_watch_on_job(driver);
	eta_look(&driver->eta, &look);
}

/* ---- telling ---- */

static double steps_left(const struct history *history)
{
	if (history->total == 0)
		return -1;
	return history->step < history->total
		       ? (double)(history->total - history->step)
		       : 0;
}

/* Since the last step, if the ranks of this start have made it. */
static msec_t idle(const struct driver *driver)
{
	const struct history *history = driver->history;

	return driver->progress.epoch == driver->job.epoch
		       ? loop_now() - history->began - history->last_step
		       : 0;
}

/* Ranks that compute, or will in a moment; 0: nobody knows when. */
static unsigned ranks_of(const struct job *job)
{
	switch (job->state) {
	case JOB_RESUMING:
	case JOB_RUNNING:
	case JOB_GROWING:
	case JOB_PREPARING:
	case JOB_SAVING:
		return job->target > 0 ? job->size : 0;
	case JOB_STARTING:
	case JOB_STOPPING:
		return job->target;
	case JOB_WAITING:
	case JOB_REPLACING:
	case JOB_DONE:
	case JOB_FAILED:
	case JOB_CANCELLED:
	case JOB_SUSPENDED:
		return 0;
	}
	return 0;
}

struct eta driver_eta(const struct driver *driver)
{
	const struct eta_facts facts = {
		.ranks = ranks_of(&driver->job),
		.steps_left = steps_left(driver->history),
		.idle = (double)idle(driver) / 1000,
		.rough = history_step_time(driver->history) / 1000,
	};
	struct eta eta = {.left = -1, .sd = -1};

	if (facts.ranks == 0 || driver_stall_length(driver) > 0)
		return eta;
	eta = eta_of(&driver->eta, &facts);
	if (!job_computes(&driver->job))
		eta.rate = 0;
	return eta;
}
