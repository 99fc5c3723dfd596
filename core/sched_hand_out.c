/* SPDX-License-Identifier: Apache-2.0 */
#include "core/sched_draft.h"
#include "core/sched_worth.h"

/* ---- hand out ---- */

static bool is_in_the_way(const struct sched_decision *d,
			  const struct sched_job *job, int slots)
{
	return sched_draft_takes_spare(d, job) && slots > d->spare;
}

static void consider(const struct sched_decision *d, struct sched_job *job,
		     struct sched_job **best)
{
	int slots = (int)sched_size_above(job, job->draft.size) -
		    (int)job->draft.size;

	if (!job->draft.is_fixed && job->draft.size > 0 &&
	    job->draft.more > 0 && slots <= d->free &&
	    (!*best || job->draft.more > (*best)->draft.more) &&
	    !is_in_the_way(d, job, slots))
		*best = job;
}

void sched_hand_out(struct sched_decision *d)
{
	const struct sched_view *view = d->view;
	struct sched_job *best;

	while (d->free > 0) {
		best = NULL;
		for (size_t i = 0; i < view->n_running; i++)
			consider(d, view->running[i], &best);
		for (size_t i = 0; i < d->n_starting; i++)
			consider(d, d->starting[i], &best);
		if (!best)
			return;
		sched_draft_grow(d, best);
	}
}

/* ---- balance ---- */

void sched_balance(struct sched_decision *d)
{
	for (;;) {
		struct sched_job *wins = NULL, *loses;

		for (size_t i = 0; i < d->n_starting; i++) {
			struct sched_job *at = d->starting[i];

			if (!wins || at->draft.more > wins->draft.more)
				wins = at;
		}
		loses = wins ? sched_draft_loser(d, wins->draft.importance,
						 true)
			     : NULL;
		if (!loses || wins->draft.more <= loses->draft.less)
			return;
		sched_draft_shrink(d, loses, wins);
		if (sched_size_above(wins, wins->draft.size) -
			    wins->draft.size <=
		    (unsigned)d->free)
			sched_draft_grow(d, wins);
	}
}

/* ---- fill in ---- */

static void fill(struct sched_decision *d, struct sched_job *job)
{
	int ranks = d->free - (int)d->view->extra;

	if (ranks > 0)
		job->draft.size = sched_size_at_most(job, (unsigned)ranks);
	if (job->draft.size > 0)
		d->free -= (int)(job->draft.size + d->view->extra);
}

void sched_fill_in(struct sched_decision *d)
{
	const struct sched_view *view = d->view;

	for (size_t i = 0; i < view->n_running; i++)
		if (sched_is_fill_in(view->running[i]) &&
		    !sched_is_moving(view->running[i]))
			fill(d, view->running[i]);
	for (size_t i = 0; i < view->n_queue; i++)
		if (sched_is_fill_in(view->queue[i]))
			fill(d, view->queue[i]);
}
