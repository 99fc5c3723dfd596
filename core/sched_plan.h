/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SCHED_PLAN_H
#define CORE_SCHED_PLAN_H

/*
 * A decision while it is made: each call writes an action, and what it takes or
 * gives into the view
 */

#include "core/sched.h"

struct sched_plan {
	struct sched_view *view;
	struct sched_action *actions;
	size_t n;
};

void sched_plan_start(struct sched_plan *plan, struct sched_job *job,
		      unsigned size, enum sched_rule rule);
/* other: in whose favour, or NULL. */
void sched_plan_resize(struct sched_plan *plan, struct sched_job *job,
		       unsigned size, enum sched_rule rule,
		       const struct sched_job *other);
void sched_plan_park(struct sched_plan *plan, struct sched_job *job,
		     enum sched_rule rule, const struct sched_job *other);
void sched_plan_wait(struct sched_plan *plan, struct sched_job *job,
		     enum sched_rule rule);
void sched_plan_ask(struct sched_plan *plan, usec_t at, enum sched_cause cause,
		    enum sched_rule rule);

/* Whether a start or a rescale of the job is under way. */
bool sched_is_moving(const struct sched_job *job);

/* The largest of its sizes for which the free slots are enough; 0: none. */
unsigned sched_ranks_free(const struct sched_view *view,
			  const struct sched_job *job);

/* Slots that are missing for so many ranks; 0 or less: none. */
int sched_slots_missing(const struct sched_view *view, unsigned ranks);

/* The largest size that is left to a job when it gives up so many ranks, or
 * more if the application accepts no other; its minimum at least. */
unsigned sched_size_less(const struct sched_job *job, int ranks);

#endif
