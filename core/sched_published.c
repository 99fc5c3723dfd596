/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The rules as the published simulator has them
 *
 * They differ from the paper's figures (sched_elastic.c):
 *
 * - The queue is not sorted by priority, though it was meant to be, and is
 *   looked through from the last that came to the first.  The policies named
 *   `published_sorted` mend that and nothing else.
 * - Jobs shrink in the order in which they started, and the search ends at the
 *   first whose priority is not lower.
 * - They shrink for a new job's minimum alone, and it gets no more.
 * - Whenever the gap kept a job from a change, the policy asks to be asked
 *   again, one delay after the gap is over, for each time that it happened.
 */

#include "core/sched_plan.h"

static bool is_in_gap(const struct sched_view *view,
		      const struct sched_job *job)
{
	return job->changed + view->gap > view->now;
}

static void ask_after_gap(struct sched_plan *plan, usec_t soonest,
			  enum sched_cause cause)
{
	if (soonest != INT64_MAX)
		sched_plan_ask(plan, soonest + plan->view->delay, cause,
			       SCHED_GAP_ENDS);
}

/* Slots that would be missing still if lesser jobs shrank.  *soonest: the end
 * of the first gap that is in the way. */
static int missing_at_best(const struct sched_view *view,
			   const struct sched_job *job, usec_t *soonest)
{
	int missing = sched_slots_missing(view, job->min);

	*soonest = INT64_MAX;
	for (size_t i = 0; missing > 0 && i < view->n_running; i++) {
		const struct sched_job *at = view->running[i];
		usec_t open = at->changed + view->gap;

		if (sched_is_moving(at))
			continue;
		if (at->priority >= job->priority)
			break;
		if (at->size <= at->min)
			continue;
		if (open < view->now)
			missing -=
				(int)(at->size - sched_size_less(at, missing));
		else if (open < *soonest)
			*soonest = open;
	}
	return missing;
}

/* It is known that these are enough, before any that is as important. */
static void shrink_for(struct sched_plan *plan, const struct sched_job *job)
{
	const struct sched_view *view = plan->view;

	for (size_t i = 0; i < view->n_running; i++) {
		struct sched_job *at = view->running[i];
		int missing = sched_slots_missing(view, job->min);

		if (missing <= 0)
			return;
		if (sched_is_moving(at) || is_in_gap(view, at))
			continue;
		if (at->size > at->min)
			sched_plan_resize(plan, at,
					  sched_size_less(at, missing),
					  SCHED_GIVES_WAY, job);
	}
}

/* False: it has to wait. */
static bool start(struct sched_plan *plan, struct sched_job *job)
{
	unsigned ranks = sched_ranks_free(plan->view, job);
	usec_t soonest;
	int missing;

	if (ranks >= job->min) {
		sched_plan_start(plan, job, ranks, SCHED_FITS);
		return true;
	}
	missing = missing_at_best(plan->view, job, &soonest);
	ask_after_gap(plan, soonest, SCHED_RECHECK);
	if (missing > 0)
		return false;
	shrink_for(plan, job);
	sched_plan_start(plan, job, job->min, SCHED_MADE_ROOM);
	return true;
}

static void start_or_wait(struct sched_plan *plan, struct sched_job *job)
{
	unsigned ranks = sched_ranks_free(plan->view, job);

	if (ranks < job->min)
		sched_plan_wait(plan, job, SCHED_NO_ROOM);
	else
		sched_plan_start(plan, job, ranks, SCHED_FITS);
}

/* *soonest: the end of the first gap that is in the way. */
static void grow(struct sched_plan *plan, struct sched_job *job,
		 usec_t *soonest)
{
	const struct sched_view *view = plan->view;
	unsigned most = job->size + (unsigned)view->free;
	usec_t open = job->changed + view->gap;

	if (sched_is_moving(job) || job->size >= job->max)
		return;
	if (!is_in_gap(view, job))
		sched_plan_resize(plan, job, most < job->max ? most : job->max,
				  SCHED_GROWS, NULL);
	else if (open < *soonest)
		*soonest = open;
}

/* Both lists from their ends; at equal priority the queue is first. */
static void assign(struct sched_plan *plan)
{
	const struct sched_view *view = plan->view;
	size_t r = view->n_running, q = view->n_queue;
	usec_t soonest = INT64_MAX;

	while (view->free > 0) {
		while (r > 0 && view->running[r - 1]->size == 0)
			r--;
		if (r == 0 && q == 0)
			break;
		if (q == 0 || (r > 0 && view->running[r - 1]->priority >
						view->queue[q - 1]->priority))
			grow(plan, view->running[--r], &soonest);
		else
			start_or_wait(plan, view->queue[--q]);
	}
	ask_after_gap(plan, soonest, SCHED_REASSIGN);
}

size_t sched_published(struct sched_view *view, struct sched_action *actions)
{
	struct sched_plan plan = {.view = view, .actions = actions};

	switch (view->cause) {
	case SCHED_SUBMITTED:
		if (!start(&plan, view->submitted))
			sched_plan_wait(&plan, view->submitted, SCHED_NO_ROOM);
		break;
	case SCHED_RECHECK:
		for (size_t i = view->n_queue; i > 0; i--)
			start(&plan, view->queue[i - 1]);
		break;
	case SCHED_ENDED:
	case SCHED_REASSIGN:
		assign(&plan);
		break;
	}
	return plan.n;
}
