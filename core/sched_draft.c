/* SPDX-License-Identifier: Apache-2.0 */
#include "core/sched_draft.h"

#include "core/sched_worth.h"

#include <math.h>

#define SECOND ((usec_t)1000000)

/* Between two changes and before its end a job computes so many times as long
 * as a rescale takes it. */
#define WORTH 10

usec_t sched_later(const struct sched_view *view, double seconds)
{
	return view->now +
	       (usec_t)fmin(seconds * (double)SECOND, INT64_MAX / 4.0);
}

bool sched_is_fill_in(const struct sched_job *job)
{
	return job->min == 0;
}

/* ---- drafts ---- */

/* What a job is worth at a size: its weight by the seconds that it still takes.
 */
static double value(const struct sched_decision *d, const struct sched_job *job,
		    unsigned size)
{
	return job->draft.weight / fmax(sched_rest(d->view, job, size), 1);
}

/* A size of the draft; what the sizes beside it would change. */
static void set_size(const struct sched_decision *d, struct sched_job *job,
		     unsigned size)
{
	struct sched_draft *draft = &job->draft;
	unsigned above = sched_size_above(job, size);
	unsigned below = sched_size_below(job, size);
	double here = value(d, job, size);

	draft->size = size;
	draft->more = 0;
	draft->less = INFINITY;
	if (above)
		draft->more = (value(d, job, above) - here) / (above - size);
	if (below)
		draft->less = (here - value(d, job, below)) / (size - below);
}

/* In a second at the soonest: many gaps end one after the other. */
static void look_again(struct sched_decision *d, usec_t at)
{
	if (at < d->view->now + SECOND)
		at = d->view->now + SECOND;
	if (at < d->again)
		d->again = at;
}

static usec_t may_change_at(const struct sched_view *view,
			    const struct sched_job *job)
{
	double worth = WORTH * job->pace.price.seconds;
	usec_t gap = job->changed + view->gap;
	usec_t computed = job->pace.at + (usec_t)(worth * (double)SECOND);

	return gap > computed ? gap : computed;
}

void sched_draft_running(struct sched_decision *d, struct sched_job *job)
{
	const struct sched_view *view = d->view;
	struct sched_draft *draft = &job->draft;
	double rest;
	usec_t open;

	*draft = (struct sched_draft){
		.size = job->target,
		.is_fixed = true,
		.weight = sched_weight(view, job),
		.importance = sched_importance(view, job),
	};
	if (sched_is_moving(job)) {
		if (job->target > 0)
			draft->ends = sched_later(
				view, sched_rest(view, job, job->target));
		look_again(d, view->now + view->delay + 1);
		return;
	}
	if (sched_is_fill_in(job)) {
		draft->size = 0;
		d->free += (int)(job->size + view->extra);
		return;
	}
	rest = sched_rest(view, job, job->size);
	open = may_change_at(view, job);
	draft->ends = sched_later(view, rest);
	if (rest < WORTH * job->pace.price.seconds)
		return;
	if (open > view->now) {
		if (job->size > job->min || job->size < job->max)
			look_again(d, open);
		return;
	}
	draft->is_fixed = false;
	set_size(d, job, job->size);
}

int sched_draft_missing(const struct sched_decision *d,
			const struct sched_job *job)
{
	return (int)(job->min + d->view->extra) - d->free;
}

void sched_draft_start(struct sched_decision *d, struct sched_job *job,
		       enum sched_rule rule)
{
	const struct sched_view *view = d->view;

	set_size(d, job, job->min);
	job->draft.rule = rule;
	job->draft.ends = sched_later(view, sched_rest(view, job, job->min));
	d->free -= (int)(job->min + view->extra);
	d->starting[d->n_starting++] = job;
}

/* Whether a job may give up slots for one of that importance. */
static bool may_shrink(const struct sched_job *job, double importance)
{
	return !job->draft.is_fixed && job->draft.size > job->min &&
	       job->draft.importance <= importance;
}

int sched_draft_slack(const struct sched_decision *d, double importance)
{
	int slots = 0;

	for (size_t i = 0; i < d->view->n_running; i++) {
		const struct sched_job *job = d->view->running[i];

		if (may_shrink(job, importance))
			slots += (int)(job->draft.size - job->min);
	}
	return slots;
}

struct sched_job *sched_draft_loser(const struct sched_decision *d,
				    double importance, bool shrinks_already)
{
	struct sched_job *least = NULL;

	for (size_t i = 0; i < d->view->n_running; i++) {
		struct sched_job *job = d->view->running[i];

		if (may_shrink(job, importance) &&
		    (!shrinks_already || job->draft.size < job->size) &&
		    (!least || job->draft.less < least->draft.less))
			least = job;
	}
	return least;
}

void sched_draft_shrink(struct sched_decision *d, struct sched_job *job,
			struct sched_job *other)
{
	unsigned size = sched_size_below(job, job->draft.size);

	d->free += (int)(job->draft.size - size);
	set_size(d, job, size);
	job->draft.other = other;
}

void sched_draft_grow(struct sched_decision *d, struct sched_job *job)
{
	unsigned size = sched_size_above(job, job->draft.size);
	int slots = (int)(size - job->draft.size);

	if (sched_draft_takes_spare(d, job))
		d->spare -= slots;
	d->free -= slots;
	set_size(d, job, size);
}

/* ---- reserve ---- */

bool sched_draft_takes_spare(const struct sched_decision *d,
			     const struct sched_job *job)
{
	return d->blocked && job->draft.ends > d->reserved &&
	       (d->view->now + d->view->gap > d->reserved ||
		job->draft.importance > d->blocked->draft.importance);
}

/* Slots that are free at an instant, if jobs run as they are drafted. */
static int free_at(const struct sched_decision *d, usec_t at, double importance)
{
	const struct sched_view *view = d->view;
	int free = d->free;

	for (size_t i = 0; i < view->n_running + d->n_starting; i++) {
		bool runs = i < view->n_running;
		const struct sched_job *job =
			runs ? view->running[i]
			     : d->starting[i - view->n_running];
		usec_t open =
			runs ? may_change_at(view, job) : view->now + view->gap;

		if (job->draft.size == 0)
			continue;
		if (job->draft.ends <= at)
			free += (int)(job->draft.size + view->extra);
		else if (open <= at && job->draft.size > job->min &&
			 job->draft.importance <= importance)
			free += (int)(job->draft.size - job->min);
	}
	return free;
}

static usec_t last_end(const struct sched_decision *d)
{
	usec_t last = d->view->now;

	for (size_t i = 0; i < d->view->n_running; i++)
		if (d->view->running[i]->draft.ends > last)
			last = d->view->running[i]->draft.ends;
	for (size_t i = 0; i < d->n_starting; i++)
		if (d->starting[i]->draft.ends > last)
			last = d->starting[i]->draft.ends;
	return last;
}

/* The first instant at which the job fits, to the second, by halving.  When all
 * have ended it does. */
void sched_draft_reserve(struct sched_decision *d, struct sched_job *job)
{
	double importance = job->draft.importance;
	int slots = (int)(job->min + d->view->extra);
	usec_t early = d->view->now, late = last_end(d);

	while (late - early > SECOND) {
		usec_t middle = early + (late - early) / 2;

		if (free_at(d, middle, importance) >= slots)
			late = middle;
		else
			early = middle;
	}
	d->blocked = job;
	d->reserved = late;
	d->spare = free_at(d, late, importance) - slots;
}
