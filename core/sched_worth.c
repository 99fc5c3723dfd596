/* SPDX-License-Identifier: Apache-2.0 */
#include "core/sched_worth.h"

#include <math.h>

#define SECOND 1e6

/* So often waiting doubles the importance of a job at most. */
enum { DOUBLINGS_MAX = 60 };

double sched_weight(const struct sched_view *view, const struct sched_job *job)
{
	const struct sched_user *user = view->users;

	if (!user)
		return job->priority;
	user += job->user;
	return job->priority / (1 + user->usage / user->share);
}

static double power_of_two(double x)
{
	double whole = floor(x < DOUBLINGS_MAX ? x : DOUBLINGS_MAX);

	return ldexp(1 + fmin(x - whole, 1), (int)whole);
}

double sched_importance(const struct sched_view *view,
			const struct sched_job *job)
{
	double waited = (double)sched_waited(job, view->now);

	if (view->aging <= 0)
		return sched_weight(view, job);
	return sched_weight(view, job) *
	       power_of_two(waited / (double)view->aging);
}

double sched_urgency(const struct sched_view *view, const struct sched_job *job)
{
	unsigned least = job->min ? job->min : 1;
	double work = sched_rest(view, job, least) * (least + view->extra);

	return sched_importance(view, job) / fmax(work, 1);
}

static double steps_left(const struct sched_view *view,
			 const struct sched_job *job)
{
	const struct sched_pace *pace = &job->pace;
	double since = (double)(view->now - pace->at) / SECOND;

	if (job->size == 0 || since <= 0 || pace->seconds <= 0)
		return pace->left;
	return fmax(0, pace->left - since / pace->seconds);
}

/* By what the user expects. */
static double rest_unknown(const struct sched_view *view,
			   const struct sched_job *job, unsigned ranks)
{
	double rest = (double)(job->size ? job->ends - view->now : job->length);
	unsigned on = job->size ? job->size : job->max;

	return fmax(rest, 0) / SECOND * on / ranks;
}

double sched_rest(const struct sched_view *view, const struct sched_job *job,
		  unsigned ranks)
{
	const struct sched_pace *pace = &job->pace;
	double seconds;

	if (ranks == job->size && pace->seconds > 0)
		seconds = pace->seconds;
	else if (pace->curve && pace->curve->law != COST_UNKNOWN)
		seconds = cost_seconds(pace->curve, ranks);
	else
		return rest_unknown(view, job, ranks);
	return steps_left(view, job) * seconds;
}

unsigned sched_size_above(const struct sched_job *job, unsigned ranks)
{
	if (ranks >= job->max)
		return 0;
	if (ranks < job->min)
		return job->min;
	if (job->n_sizes == 0)
		return ranks + 1;
	for (size_t i = 0; i < job->n_sizes; i++)
		if (job->sizes[i] > ranks)
			return job->sizes[i];
	return 0;
}

unsigned sched_size_below(const struct sched_job *job, unsigned ranks)
{
	return ranks > job->min ? sched_size_at_most(job, ranks - 1) : 0;
}
