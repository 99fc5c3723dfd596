/* SPDX-License-Identifier: Apache-2.0 */
#include "core/sched_plan.h"

static struct sched_action *add(struct sched_plan *plan, enum sched_kind kind,
				struct sched_job *job, enum sched_rule rule)
{
	struct sched_action *action = &plan->actions[plan->n++];

	*action = (struct sched_action){
		.kind = kind,
		.job = job,
		.reason = {.rule = rule, .free = plan->view->free},
	};
	return action;
}

void sched_plan_start(struct sched_plan *plan, struct sched_job *job,
		      unsigned size, enum sched_rule rule)
{
	add(plan, SCHED_START, job, rule)->size = size;
	plan->view->free -= (int)(size + plan->view->extra);
	job->target = size;
}

void sched_plan_resize(struct sched_plan *plan, struct sched_job *job,
		       unsigned size, enum sched_rule rule,
		       const struct sched_job *other)
{
	struct sched_action *action = add(plan, SCHED_RESIZE, job, rule);

	action->size = size;
	action->reason.other = other;
	plan->view->free -= (int)size - (int)job->size;
	job->target = size;
}

void sched_plan_park(struct sched_plan *plan, struct sched_job *job,
		     enum sched_rule rule, const struct sched_job *other)
{
	add(plan, SCHED_PARK, job, rule)->reason.other = other;
	plan->view->free += (int)(job->size + plan->view->extra);
	job->target = 0;
}

void sched_plan_wait(struct sched_plan *plan, struct sched_job *job,
		     enum sched_rule rule)
{
	add(plan, SCHED_WAIT, job, rule);
}

void sched_plan_ask(struct sched_plan *plan, usec_t at, enum sched_cause cause,
		    enum sched_rule rule)
{
	struct sched_action *action = add(plan, SCHED_ASK, NULL, rule);

	action->at = at;
	action->cause = cause;
}

bool sched_is_moving(const struct sched_job *job)
{
	return job->target != job->size;
}

unsigned sched_ranks_free(const struct sched_view *view,
			  const struct sched_job *job)
{
	int free = view->free - (int)view->extra;

	return free > 0 ? sched_size_at_most(job, (unsigned)free) : 0;
}

int sched_slots_missing(const struct sched_view *view, unsigned ranks)
{
	return (int)(ranks + view->extra) - view->free;
}

unsigned sched_size_less(const struct sched_job *job, int ranks)
{
	int size = (int)job->size - ranks;

	return size > (int)job->min ? sched_size_at_most(job, (unsigned)size)
				    : job->min;
}
