/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SHARE_BALANCE_H
#define CORE_SHARE_BALANCE_H

/*
 * Balance: levels that make steps short on average over scenarios
 *
 * A scenario is one set of workloads that the tasks may have in a step.  The
 * slowest task is another one in each scenario, so the levels that are best on
 * average leave more room for tasks whose workloads are less certain.
 *
 * Increments go from the task that loses least to the one that gains most, many
 * at a time and then fewer, as long as the steps become shorter.
 */

#include "core/share.h"

/* Seconds of each task at workloads that are evenly apart, and at each level;
 * beyond its ends a task takes as long as there. */
struct share_grid {
	unsigned tasks, workloads, levels;
	const double *first, *apart; /* [task]: workloads */
	const double *seconds;       /* [task][workload][level] */
};

/* Of the nearest workload: seconds at each level. */
const double *share_grid_row(const struct share_grid *grid, unsigned task,
			     double workload);

struct share_scenes {
	unsigned tasks, levels;
	unsigned n[SHARE_LOOK_MAX]; /* scenarios of each step; 1 or more */
	double weight; /* of a step, of the weight of the one before it */
	/* The caller's: [step][SHARE_SCENARIOS][task], rows of a grid. */
	const double **rows;
	/* Memory for share_balance(): what more, or fewer, increments spare or
	 * cost each task. */
	double gains[SHARE_TASKS_MAX], losses[SHARE_TASKS_MAX];
};

/* Of the slowest tasks in the steps from..to-1, on average and weighted. */
double share_scenes_seconds(const struct share_scenes *scenes, unsigned from,
			    unsigned to, const unsigned *levels);

/* All increments, spread evenly. */
void share_spread(const struct share_rules *rules, unsigned *levels);

/* Makes the levels better for the steps from..to-1, and returns what these
 * then take. */
double share_balance(const struct share_rules *rules,
		     struct share_scenes *scenes, unsigned from, unsigned to,
		     unsigned *levels);

#endif
