/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_SCHED_BED_H
#define TESTS_UNIT_SCHED_BED_H

/*
 * A cluster at one instant, and what a policy does with it
 */

#include "base/list.h"
#include "core/sched.h"
#include "tests/check.h"

#define S ((usec_t)1000000)

enum { JOBS = 6, CLUSTER = 20 };

/* A cluster of 20 slots, whose jobs need a slot for a launcher. */
static struct sched_job jobs[JOBS];
static struct sched_job *queue[JOBS], *running[JOBS], *scratch[2 * JOBS];
static struct sched_view view;
static const struct sched_policy *policy;
static char told[512];

static void insert(struct sched_job **list, size_t *n, enum sched_order order,
		   struct sched_job *job)
{
	size_t at = (*n)++;

	while (at > 0 && sched_is_before(order, job, list[at - 1])) {
		list[at] = list[at - 1];
		at--;
	}
	list[at] = job;
}

static void begin(const char *name)
{
	policy = sched_policy_find(name);
	memset(jobs, 0, sizeof(jobs));
	view = (struct sched_view){
		.now = 1000 * S,
		.gap = policy->gap ? policy->gap : 180 * S,
		.free = CLUSTER,
		.extra = 1,
		.aging = 3600 * S,
		.scratch = scratch,
		.queue = queue,
		.running = running,
	};
}

static struct sched_job *add(unsigned i, int priority, unsigned min,
			     unsigned max)
{
	jobs[i] = (struct sched_job){.number = i,
				     .priority = priority,
				     .submitted = i * S,
				     .min = min,
				     .max = max,
				     .place = i};
	sched_fit(policy, &jobs[i]);
	return &jobs[i];
}

static void runs(struct sched_job *job, unsigned size, usec_t since,
		 usec_t ends)
{
	job->size = job->target = size;
	job->changed = since;
	job->ends = ends;
	view.free -= (int)(size + view.extra);
	insert(running, &view.n_running, policy->running, job);
}

static void waits(struct sched_job *job)
{
	insert(queue, &view.n_queue, policy->queue, job);
}

/* What the policy does, as "start 3 on 5, resize 0 to 2 for 3". */
static const char *decide(enum sched_cause cause, struct sched_job *submitted)
{
	struct sched_action actions[2 * JOBS + JOBS + 1];
	size_t n;
	char *to = told;

	view.cause = cause;
	view.submitted = submitted;
	if (submitted)
		waits(submitted);
	n = policy->decide(&view, actions);
	*to = '\0';
	for (size_t i = 0; i < n; i++) {
		const struct sched_action *at = &actions[i];

		to += sprintf(to, "%s", i ? ", " : "");
		switch (at->kind) {
		case SCHED_START:
			to += sprintf(to, "start %u on %u", at->job->number,
				      at->size);
			break;
		case SCHED_RESIZE:
			to += sprintf(to, "resize %u to %u", at->job->number,
				      at->size);
			break;
		case SCHED_PARK:
			to += sprintf(to, "park %u", at->job->number);
			break;
		case SCHED_WAIT:
			to += sprintf(to, "wait %u", at->job->number);
			break;
		case SCHED_ASK:
			to += sprintf(to, "ask at %d", (int)(at->at / S));
			break;
		}
		if (at->reason.other)
			to += sprintf(to, " for %u", at->reason.other->number);
	}
	return told;
}

#endif
