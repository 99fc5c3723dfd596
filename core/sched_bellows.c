/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The policy `bellows`
 *
 * Jobs start on their minimum, where a slot yields most, the most urgent one
 * first (core/sched_worth.h).  A job is worth its weight by the seconds that it
 * still takes, and free slots go where that rises most: an important job before
 * others, and a short one, which soon gives its slots back.  In turn:
 *
 *   admit      a job starts on its minimum; if slots are missing, jobs that are
 *              not more important shrink, those first that lose least
 *   park       else jobs of lower priority save and leave, if that pays
 *   reserve    else the first job that does not fit has a reservation
 *   backfill   a job behind it starts only if it is not in the way
 *   hand out   free slots go to jobs that run or start
 *   balance    a job that starts takes further slots from one that shrinks
 *   fill in    what is left is for jobs that may have none
 *
 * All that happens at one instant is one decision.  A job is left alone for the
 * gap after each change, until it has computed ten times as long as a rescale
 * takes, and near its end.
 */

#include "core/sched_draft.h"
#include "core/sched_worth.h"

#include <limits.h>

#define SECOND ((usec_t)1000000)

/* ---- the queue: a heap ---- */

static bool is_more_urgent(const struct sched_job *a, const struct sched_job *b)
{
	double by = a->draft.urgency - b->draft.urgency;

	return by > 0 || (by == 0 && a->number < b->number);
}

static void sink(struct sched_decision *d, size_t at)
{
	struct sched_job **heap = d->waiting, *job = heap[at];
	size_t child;

	while ((child = 2 * at + 1) < d->n_waiting) {
		if (child + 1 < d->n_waiting &&
		    is_more_urgent(heap[child + 1], heap[child]))
			child++;
		if (!is_more_urgent(heap[child], job))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = job;
}

static void draft_queue(struct sched_decision *d)
{
	const struct sched_view *view = d->view;

	for (size_t i = 0; i < view->n_queue; i++) {
		struct sched_job *job = view->queue[i];

		job->draft = (struct sched_draft){
			.weight = sched_weight(view, job),
			.importance = sched_importance(view, job),
			.urgency = sched_urgency(view, job),
		};
		if (sched_is_fill_in(job))
			continue;
		d->waiting[d->n_waiting++] = job;
		if (job->min < d->smallest)
			d->smallest = job->min;
	}
	for (size_t i = d->n_waiting / 2; i > 0; i--)
		sink(d, i - 1);
}

static struct sched_job *most_urgent(struct sched_decision *d)
{
	struct sched_job *job = d->waiting[0];

	d->waiting[0] = d->waiting[--d->n_waiting];
	if (d->n_waiting > 0)
		sink(d, 0);
	return job;
}

/* ---- admit ---- */

static bool admit(struct sched_decision *d, struct sched_job *job)
{
	double importance = job->draft.importance;
	int slots = sched_draft_missing(d, job);

	if (slots <= 0) {
		sched_draft_start(d, job, SCHED_FITS);
		return true;
	}
	if (slots > sched_draft_slack(d, importance))
		return false;
	while (sched_draft_missing(d, job) > 0)
		sched_draft_shrink(d, sched_draft_loser(d, importance, false),
				   job);
	sched_draft_start(d, job, SCHED_MADE_ROOM);
	return true;
}

/* ---- backfill ---- */

static void backfill(struct sched_decision *d, struct sched_job *job)
{
	const struct sched_view *view = d->view;
	int slots = (int)(job->min + view->extra);
	usec_t ends = sched_later(view, sched_rest(view, job, job->min) +
						job->pace.price.seconds) +
		      view->delay;

	if (slots > d->free)
		return;
	if (ends <= d->reserved) {
		sched_draft_start(d, job, SCHED_ENDS_IN_TIME);
	} else if (slots <= d->spare) {
		d->spare -= slots;
		sched_draft_start(d, job, SCHED_NOT_IN_THE_WAY);
	}
}

/* ---- park ---- */

static bool may_park(const struct sched_job *job, const struct sched_job *other)
{
	return !job->draft.is_fixed && job->draft.size > 0 &&
	       job->priority < other->priority &&
	       job->draft.importance < other->draft.importance;
}

/* Seconds, weighted, that a job loses if it waits until the other one has
 * ended. */
static double loss_of_parking(const struct sched_decision *d,
			      const struct sched_job *job,
			      const struct sched_job *other)
{
	return job->draft.weight * (sched_rest(d->view, other, other->min) +
				    job->pace.price.seconds);
}

static struct sched_job *least_important(const struct sched_view *view,
					 const struct sched_job *job)
{
	struct sched_job *least = NULL;

	for (size_t i = 0; i < view->n_running; i++) {
		struct sched_job *at = view->running[i];

		if (may_park(at, job) && !at->draft.is_chosen &&
		    (!least || at->priority < least->priority))
			least = at;
	}
	return least;
}

/* Those that were chosen leave, or stay after all. */
static void park_chosen(struct sched_decision *d, struct sched_job *job,
			bool leave)
{
	for (size_t i = 0; i < d->view->n_running; i++) {
		struct sched_job *at = d->view->running[i];

		if (!at->draft.is_chosen)
			continue;
		at->draft.is_chosen = false;
		if (!leave)
			continue;
		at->draft.other = job;
		d->free += (int)(at->draft.size + d->view->extra);
		at->draft.size = 0;
		at->draft.is_fixed = true;
	}
}

/* It pays if the job would wait for its reservation longer, weighted, than the
 * others wait for its end. */
static bool park(struct sched_decision *d, struct sched_job *job)
{
	usec_t wait = d->reserved - d->view->now;
	double gain = job->draft.weight * ((double)wait / (double)SECOND);
	int slots = sched_draft_missing(d, job);
	struct sched_job *other;
	bool pays;

	while (slots > 0 && gain > 0) {
		other = least_important(d->view, job);
		if (!other)
			break;
		other->draft.is_chosen = true;
		slots -= (int)(other->draft.size + d->view->extra);
		gain -= loss_of_parking(d, other, job);
	}
	pays = slots <= 0 && gain > 0;
	park_chosen(d, job, pays);
	if (pays)
		sched_draft_start(d, job, SCHED_MADE_ROOM);
	return pays;
}

/* ---- actions ---- */

/* Parks and shrinks, or grows. */
static void change(struct sched_plan *plan, struct sched_job *job, bool grows)
{
	const struct sched_draft *draft = &job->draft;

	if (sched_is_moving(job) || draft->size == job->size ||
	    (draft->size > job->size) != grows)
		return;
	if (draft->size == 0)
		sched_plan_park(plan, job,
				sched_is_fill_in(job) ? SCHED_GIVES_WAY
						      : SCHED_LESS_IMPORTANT,
				draft->other);
	else if (!grows)
		sched_plan_resize(plan, job, draft->size, SCHED_GIVES_WAY,
				  draft->other);
	else if (sched_is_fill_in(job))
		sched_plan_resize(plan, job, draft->size, SCHED_FILLS_IN, NULL);
	else if (sched_rest(plan->view, job, job->size) -
			 sched_rest(plan->view, job, draft->size) >
		 job->pace.price.seconds)
		sched_plan_resize(plan, job, draft->size, SCHED_SAVES_TIME,
				  NULL);
}

static void write_actions(const struct sched_decision *d,
			  struct sched_plan *plan)
{
	const struct sched_view *view = d->view;

	for (size_t i = 0; i < view->n_running; i++)
		change(plan, view->running[i], false);
	for (size_t i = 0; i < view->n_running; i++)
		change(plan, view->running[i], true);
	for (size_t i = 0; i < view->n_queue; i++) {
		struct sched_job *job = view->queue[i];

		if (job->draft.size > 0)
			sched_plan_start(plan, job, job->draft.size,
					 sched_is_fill_in(job)
						 ? SCHED_FILLS_IN
						 : job->draft.rule);
		else if (job->submitted == view->now)
			sched_plan_wait(plan, job, SCHED_NO_ROOM);
	}
	if (d->again != INT64_MAX && (view->free > 0 || d->blocked))
		sched_plan_ask(plan, d->again, SCHED_REASSIGN, SCHED_GAP_ENDS);
}

/* Whether the free slots are enough for one of those that wait. */
static bool one_could_start(const struct sched_decision *d)
{
	return d->free >= (int)(d->smallest + d->view->extra);
}

static void decide(struct sched_decision *d)
{
	for (size_t i = 0; i < d->view->n_running; i++)
		sched_draft_running(d, d->view->running[i]);
	draft_queue(d);
	while (d->n_waiting > 0 && (!d->blocked || one_could_start(d))) {
		struct sched_job *job = most_urgent(d);

		if (d->blocked) {
			backfill(d, job);
		} else if (!admit(d, job)) {
			sched_draft_reserve(d, job);
			if (park(d, job))
				d->blocked = NULL;
		}
	}
	sched_hand_out(d);
	sched_balance(d);
	sched_hand_out(d);
	sched_fill_in(d);
}

size_t sched_bellows(struct sched_view *view, struct sched_action *actions)
{
	struct sched_plan plan = {.view = view, .actions = actions};
	struct sched_decision d = {
		.view = view,
		.free = view->free,
		.waiting = view->scratch,
		.starting = view->scratch + view->n_queue,
		.smallest = UINT_MAX,
		.again = INT64_MAX,
	};

	if (view->cause == SCHED_SUBMITTED || view->cause == SCHED_ENDED) {
		sched_plan_ask(&plan, view->now, SCHED_RECHECK, SCHED_TOGETHER);
		return plan.n;
	}
	decide(&d);
	write_actions(&d, &plan);
	return plan.n;
}
