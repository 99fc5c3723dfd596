/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The elastic policy as the paper's figures 2 and 3 say, and as its operator
 * has it
 *
 * A new job runs on as many ranks as there are free slots for.  If these are
 * too few for its minimum, jobs of lower or equal priority shrink, the least
 * important first, until it has its maximum.  When a job ends, the free slots
 * go to the most important jobs, whether they run or wait.
 *
 * Figure 3 hands out the slots of the job that has ended.  Taken word by word,
 * a job that needs more than one other job frees would wait for ever, so all
 * free slots are handed out.
 *
 *                                   figures            operator
 *   the most important job shrinks   never              as any other
 *   at equal priority is first       the one submitted  the one that runs
 *                                    first
 *   where the gap is in the way      nothing            asks again
 *   between two changes, at least    T                  more than T, to shrink
 */

#include "core/sched_plan.h"

struct dialect {
	bool spares_first; /* the most important job never shrinks */
	bool queue_waits;  /* at equal priority a job that runs is first */
	bool asks_again;
};

static const struct dialect figures = {.spares_first = true};
static const struct dialect published_operator = {
	.queue_waits = true,
	.asks_again = true,
};

static bool is_in_gap(const struct sched_view *view,
		      const struct sched_job *job)
{
	return view->now - job->changed < view->gap;
}

/* Whether a job may shrink for another one; *soonest: the end of the first gap
 * that is in the way. */
static bool may_shrink(const struct sched_view *view,
		       const struct sched_job *job,
		       const struct dialect *dialect, usec_t *soonest)
{
	usec_t open = job->changed + view->gap;

	if (sched_is_moving(job) || job->size <= job->min)
		return false;
	if (!is_in_gap(view, job) && (open < view->now || !dialect->asks_again))
		return true;
	if (open < *soonest)
		*soonest = open;
	return false;
}

/* Frees slots for a job, with a plan, or looks how many there are to be freed,
 * at most `missing`.  Returns how many are missing still. */
static int shrink_others(struct sched_plan *plan, const struct sched_view *view,
			 const struct sched_job *job, int missing,
			 const struct dialect *dialect, usec_t *soonest)
{
	size_t n = view->n_running;

	if (dialect->spares_first && n > 0)
		n--;
	for (size_t i = 0; missing > 0 && i < n; i++) {
		struct sched_job *at = view->running[i];
		unsigned size = sched_size_less(at, missing);

		if (at->priority > job->priority)
			break;
		if (!may_shrink(view, at, dialect, soonest))
			continue;
		missing -= (int)(at->size - size);
		if (plan)
			sched_plan_resize(plan, at, size, SCHED_GIVES_WAY, job);
	}
	return missing;
}

/* False: it has to wait. */
static bool start(struct sched_plan *plan, struct sched_job *job,
		  const struct dialect *dialect)
{
	struct sched_view *view = plan->view;
	int least = sched_slots_missing(view, job->min);
	int most = sched_slots_missing(view, job->max);
	usec_t soonest = INT64_MAX;

	if (least <= 0) {
		sched_plan_start(plan, job, sched_ranks_free(view, job),
				 SCHED_FITS);
		return true;
	}
	if (shrink_others(NULL, view, job, least, dialect, &soonest) > 0) {
		if (dialect->asks_again && soonest != INT64_MAX)
			sched_plan_ask(plan, soonest + 1, SCHED_RECHECK,
				       SCHED_GAP_ENDS);
		return false;
	}
	shrink_others(plan, view, job, most, dialect, &soonest);
	sched_plan_start(plan, job, sched_ranks_free(view, job),
			 SCHED_MADE_ROOM);
	return true;
}

static bool is_queue_first(const struct sched_job *running,
			   const struct sched_job *queued,
			   const struct dialect *dialect)
{
	if (dialect->queue_waits)
		return queued->priority > running->priority;
	return sched_is_before(SCHED_BY_PRIORITY, running, queued);
}

/* *soonest: the end of the first gap that is in the way. */
static void grow(struct sched_plan *plan, struct sched_job *job,
		 usec_t *soonest)
{
	const struct sched_view *view = plan->view;
	unsigned most =
		sched_size_at_most(job, job->size + (unsigned)view->free);

	if (sched_is_moving(job) || most <= job->size)
		return;
	if (!is_in_gap(view, job))
		sched_plan_resize(plan, job, most, SCHED_GROWS, NULL);
	else if (job->changed + view->gap < *soonest)
		*soonest = job->changed + view->gap;
}

/* Both lists from the most important job on. */
static void assign(struct sched_plan *plan, const struct dialect *dialect)
{
	struct sched_view *view = plan->view;
	size_t r = view->n_running, q = view->n_queue;
	usec_t soonest = INT64_MAX;

	while (view->free > 0 && (r > 0 || q > 0)) {
		if (q == 0 ||
		    (r > 0 && !is_queue_first(view->running[r - 1],
					      view->queue[q - 1], dialect))) {
			grow(plan, view->running[--r], &soonest);
			continue;
		}
		q--;
		if (sched_slots_missing(view, view->queue[q]->min) <= 0)
			start(plan, view->queue[q], dialect);
	}
	if (dialect->asks_again && soonest != INT64_MAX)
		sched_plan_ask(plan, soonest, SCHED_REASSIGN, SCHED_GAP_ENDS);
}

static size_t decide(struct sched_view *view, struct sched_action *actions,
		     const struct dialect *dialect)
{
	struct sched_plan plan = {.view = view, .actions = actions};

	switch (view->cause) {
	case SCHED_SUBMITTED:
		if (!start(&plan, view->submitted, dialect))
			sched_plan_wait(&plan, view->submitted, SCHED_NO_ROOM);
		break;
	case SCHED_RECHECK:
		for (size_t i = view->n_queue; i > 0; i--)
			start(&plan, view->queue[i - 1], dialect);
		break;
	case SCHED_ENDED:
	case SCHED_REASSIGN:
		assign(&plan, dialect);
		break;
	}
	return plan.n;
}

size_t sched_elastic(struct sched_view *view, struct sched_action *actions)
{
	return decide(view, actions, &figures);
}

size_t sched_operator(struct sched_view *view, struct sched_action *actions)
{
	return decide(view, actions, &published_operator);
}
