/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_LAYOUT_RUN_H
#define SIM_LAYOUT_RUN_H

/*
 * Jobs of a cluster under a policy of layout, in virtual time
 *
 * Jobs wait in order of submission.  A job begins as soon as all its workers
 * can be placed (a gang); one that cannot be placed lets others pass, as
 * Volcano does.
 */

#include "sim/layout_cluster.h"
#include "sim/layout_workload.h"

struct layout_outcome {
	double start, end; /* seconds: it computes */
};

/* Sums over all jobs, in seconds; a response is a wait and a run. */
struct layout_totals {
	double makespan; /* from the first submission to the last end */
	double wait, run, response;
};

struct layout_settings {
	struct layout_shape shape;
	const struct layout_pace *pace;
	const struct layout_policy *policy;
	/* A job is placed; it computes from `start` on.  NULL: not told. */
	void (*on_place)(void *user, unsigned job, double start,
			 const struct layout_place *place);
	void *user;
};

/* outcomes: one a job, the caller's memory.  -EINVAL with "PATH:LINE: why this
 * job can never be placed"; -ENOMEM. */
int layout_run(const struct layout_workload *workload,
	       const struct layout_settings *settings,
	       struct layout_outcome *outcomes, struct error *err);

struct layout_totals layout_total(const struct layout_workload *workload,
				  const struct layout_outcome *outcomes);

#endif
