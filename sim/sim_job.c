/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim_job.h"

#include <math.h>

#define SECOND 1e6 /* in usec_t */

usec_t sim_after(usec_t at, double seconds)
{
	double end = (double)at + seconds * SECOND;

	if (!(end < (double)SIM_FOREVER))
		return SIM_FOREVER;
	if (end < 0)
		return 0;
	return at + (usec_t)llround(seconds * SECOND);
}

double sim_job_run_time(const struct sim_job *job, unsigned ranks)
{
	return curve_at(&job->class->step_time, ranks) * job->steps;
}

double sim_job_start_time(const struct sim_job *job, unsigned ranks)
{
	return curve_at(&job->class->start, ranks);
}

double sim_job_pause_time(const struct sim_job *job, unsigned ranks)
{
	return curve_at(&job->class->move, ranks) +
	       sim_job_start_time(job, ranks);
}

double sim_job_rest_time(const struct sim_job *job)
{
	return sim_job_run_time(job, job->sched.size) * (1 - job->done);
}

void sim_job_advance(struct sim_job *job, usec_t now)
{
	if (now > job->computes)
		job->done += (double)(now - job->computes) / SECOND /
			     sim_job_run_time(job, job->sched.size);
	job->sched.pace.left = job->steps * (1 - job->done);
	job->sched.pace.at = now;
}

usec_t sim_job_fall_back(struct sim_job *job, usec_t now, usec_t every)
{
	usec_t lost = now > job->computes ? now - job->computes : 0;

	if (every > 0)
		lost %= every;
	sim_job_advance(job, now - lost);
	return lost;
}

void sim_job_computes(struct sim_job *job, usec_t at)
{
	struct sched_pace *pace = &job->sched.pace;

	job->computes = at;
	pace->at = at;
	pace->left = job->steps * (1 - job->done);
	pace->seconds = curve_at(&job->class->step_time, job->sched.size);
	pace->price.seconds = sim_job_pause_time(job, job->sched.size);
}

/* The smallest and the largest size, and the points between them. */
struct cost_curve sim_class_curve(const struct workload_class *class)
{
	const struct curve *curve = &class->step_time;
	unsigned min = workload_class_least(class);
	struct cost_steps steps = {.n = 0};

	cost_observe(&steps, min, curve_at(curve, min));
	for (size_t i = 0; i < curve->n; i++) {
		unsigned ranks = (unsigned)curve->at[i].ranks;

		if (ranks > min && ranks < class->max &&
		    ranks == curve->at[i].ranks)
			cost_observe(&steps, ranks, curve->at[i].seconds);
	}
	if (class->max > min)
		cost_observe(&steps, class->max, curve_at(curve, class->max));
	return cost_fit(&steps);
}
