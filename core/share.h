/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SHARE_H
#define CORE_SHARE_H

/*
 * Shares: how much of the processors each task has in a superstep
 *
 * The tasks of a bulk-synchronous application compute side by side; a superstep
 * ends when the last of them has ended.  A configuration gives each task its
 * least shares and a number of increments, its level.  All increments are given
 * to tasks, until the slowest ones have as many as they may have.
 *
 * The paper: "Dynamic Resource Management for Cloud-native Bulk Synchronous
 * Parallel Applications", sections III-C and IV-C.  1000 shares are one
 * processor.
 */

#include <stdbool.h>

enum {
	SHARE_TASKS_MAX = 1024,
	SHARE_LOOK_MAX = 20,  /* steps that a planner looks ahead */
	SHARE_SCENARIOS = 16, /* of a step, at most */
};

struct share_rules {
	unsigned tasks;
	unsigned least;      /* shares of each task */
	unsigned increment;  /* shares */
	unsigned increments; /* that there are to be given */
	unsigned level_max;  /* of a task */
	double cost;         /* seconds that a change of the shares takes */
};

/* Shares of a task at that level. */
static inline unsigned share_at(const struct share_rules *rules, unsigned level)
{
	return rules->least + level * rules->increment;
}

/* Seconds of each task, in each step, at each level; above the last level it
 * takes as long as at the last. */
struct share_table {
	unsigned steps, tasks, levels;
	const double *seconds; /* [steps][tasks][levels] */
};

static inline double share_seconds(const struct share_table *table,
				   unsigned step, unsigned task, unsigned level)
{
	unsigned last = table->levels - 1;

	return table->seconds[((unsigned long)step * table->tasks + task) *
				      table->levels +
			      (level < last ? level : last)];
}

/* Of the slowest task in one step. */
double share_step_seconds(const struct share_table *table, unsigned step,
			  const unsigned *levels);

/* Of the slowest ones in the steps from..to-1. */
double share_window_seconds(const struct share_table *table, unsigned from,
			    unsigned to, const unsigned *levels);

/* The caller's memory for share_configure(); it needs no initial value. */
struct share_work {
	/* Of each step: a tree whose leaves are the tasks and whose root is the
	 * slowest one. */
	unsigned short slowest[SHARE_LOOK_MAX][2 * SHARE_TASKS_MAX];
	double seconds[SHARE_LOOK_MAX][SHARE_TASKS_MAX]; /* at the levels */
};

/*
 * Algorithm 1: the levels for the steps from..to-1, at most SHARE_LOOK_MAX.
 * Each increment goes to the task that shortens the steps most in which it is
 * the slowest; a step counts 0.95 as much as the one before it.
 */
void share_configure(const struct share_rules *rules,
		     const struct share_table *table, unsigned from,
		     unsigned to, struct share_work *work, unsigned *levels);

#endif
