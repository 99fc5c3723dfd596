/* SPDX-License-Identifier: Apache-2.0 */
#include "core/queue_job.h"

enum queue_state queue_job_state(const struct queue_job *job)
{
	if (job->over)
		return job->end;
	if (job->runs) {
		if (job->cancelled || job->grant == 0)
			return QUEUE_STOPPING;
		return job->answers ? QUEUE_RUNNING : QUEUE_STARTING;
	}
	if (job->held)
		return QUEUE_HELD;
	if (job->grant > 0)
		return QUEUE_STARTING;
	return job->began ? QUEUE_PARKED : QUEUE_WAITING;
}

bool queue_job_waits(const struct queue_job *job)
{
	return !job->over && !job->cancelled && !job->held && !job->runs &&
	       job->grant == 0;
}

bool queue_job_has_slots(const struct queue_job *job)
{
	return !job->over && !job->cancelled && job->grant > 0;
}

enum queue_act queue_job_act(const struct queue_job *job)
{
	if (job->over)
		return QUEUE_NOTHING;
	if (job->cancelled && !job->runs)
		return QUEUE_DROP;
	if (!job->runs)
		return job->grant > 0 && !job->held ? QUEUE_START
						    : QUEUE_NOTHING;
	if (!job->answers)
		return QUEUE_NOTHING;
	if (job->cancelled)
		return QUEUE_CANCEL;
	return job->told != job->grant ? QUEUE_GRANT : QUEUE_NOTHING;
}

void queue_job_started(struct queue_job *job)
{
	job->runs = true;
	job->answers = false;
	job->stepped = false;
	job->told = job->grant;
}

static void end(struct queue_job *job, enum queue_state state, int code)
{
	job->over = true;
	job->end = state;
	job->code = code;
	job->grant = 0;
}

void queue_job_ended(struct queue_job *job, const struct queue_exit *how)
{
	bool goes_on = how->lost || how->code == how->saved;
	bool is_parked = goes_on && !how->lost && job->grant == 0;

	job->runs = false;
	job->answers = false;
	job->began = true;
	if (job->stepped)
		job->futile = 0;
	else if (!is_parked)
		job->futile++;
	if (!how->lost && how->code == 0)
		end(job, QUEUE_DONE, 0);
	else if (job->cancelled)
		end(job, QUEUE_CANCELLED, how->code);
	else if (!goes_on || job->futile >= QUEUE_FUTILE_MAX)
		end(job, QUEUE_FAILED, how->code);
	else
		job->grant = 0;
}

const char *queue_job_state_name(enum queue_state state)
{
	static const char *const names[QUEUE_STATES] = {
		[QUEUE_WAITING] = "waiting",     [QUEUE_HELD] = "held",
		[QUEUE_STARTING] = "starting",   [QUEUE_RUNNING] = "running",
		[QUEUE_STOPPING] = "stopping",   [QUEUE_PARKED] = "parked",
		[QUEUE_DONE] = "done",           [QUEUE_FAILED] = "failed",
		[QUEUE_CANCELLED] = "cancelled",
	};

	return names[state];
}
