/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Rigid jobs, first come, first served; and with EASY backfilling
 *
 * The first of the queue has a reservation: the instant at which enough of
 * what runs is expected to have ended.  A job behind it may start before it if
 * it ends by then, or needs none of the slots that the first one will need
 * (Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995).
 */

#include "core/sched_plan.h"

/* Starts as many as fit, in turn; returns how many. */
static size_t start_in_turn(struct sched_plan *plan)
{
	const struct sched_view *view = plan->view;
	size_t i = 0;

	for (; i < view->n_queue; i++) {
		struct sched_job *job = view->queue[i];

		if (sched_slots_missing(view, job->max) > 0)
			break;
		sched_plan_start(plan, job, job->max, SCHED_IN_TURN);
	}
	return i;
}

static void wait_submitted(struct sched_plan *plan)
{
	struct sched_job *job = plan->view->submitted;

	if (job && job->target == 0)
		sched_plan_wait(plan, job, SCHED_NOT_ITS_TURN);
}

size_t sched_fifo(struct sched_view *view, struct sched_action *actions)
{
	struct sched_plan plan = {.view = view, .actions = actions};

	start_in_turn(&plan);
	wait_submitted(&plan);
	return plan.n;
}

/* When the first of the queue can start; *spare: slots that are free then and
 * that it does not need. */
static usec_t reservation(const struct sched_view *view, int *spare)
{
	int missing = sched_slots_missing(view, view->queue[0]->max);
	usec_t at = INT64_MAX;

	for (size_t i = 0; i < view->n_running; i++) {
		const struct sched_job *job = view->running[i];

		if (missing <= 0 && job->ends > at)
			break;
		missing -= (int)(job->target + view->extra);
		at = job->ends;
	}
	*spare = -missing;
	return at > view->now ? at : view->now;
}

static void backfill(struct sched_plan *plan)
{
	const struct sched_view *view = plan->view;
	int spare;
	usec_t reserved = reservation(view, &spare);

	for (size_t i = 1; i < view->n_queue && view->free > 0; i++) {
		struct sched_job *job = view->queue[i];
		int slots = (int)(job->max + view->extra);

		if (slots > view->free)
			continue;
		if (view->now + view->delay + job->length <= reserved) {
			sched_plan_start(plan, job, job->max,
					 SCHED_ENDS_IN_TIME);
		} else if (slots <= spare) {
			sched_plan_start(plan, job, job->max,
					 SCHED_NOT_IN_THE_WAY);
			spare -= slots;
		}
	}
}

size_t sched_easy(struct sched_view *view, struct sched_action *actions)
{
	struct sched_plan plan = {.view = view, .actions = actions};
	size_t started = start_in_turn(&plan);

	/* The reservation counts on what runs, and the jobs just started are
	 * not in that list before the next question. */
	if (started > 0 && started < view->n_queue)
		sched_plan_ask(&plan, view->now, SCHED_RECHECK,
			       SCHED_QUEUE_MOVED);
	else if (started < view->n_queue)
		backfill(&plan);
	wait_submitted(&plan);
	return plan.n;
}
