/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SHARE_PLANNER_H
#define CORE_SHARE_PLANNER_H

/*
 * Planners: before which supersteps the shares change, and to what
 *
 *   static    once, before the first step, for workloads that are as they are
 *             on average (EXPPO)
 *   window-K  every K steps, for the K steps to come (section V-A)
 *   dynamic   for as many steps as is best; equations 1 to 3
 *   mpc       asks before each step whether a change is worth it; equation 4,
 *             with a horizon of 10 steps
 *   mpc-1.02  the same as its authors' program has it: what a configuration
 *             for k steps takes counts 1.02^k times
 *   scenario  mpc over the errors that forecasts had (core/share_scenario.c)
 *   exact     the optimum of core/share_optimum.h, for which all workloads have
 *             to be known
 *   reactive  without a forecast: when the steps since the last change would
 *             have been shorter by the cost of a change, with the shares that
 *             were best for them
 *   learned   takes the action that is worth most, as a trained network says
 *             (section V-C; core/share_learned.h)
 *
 * The paper and its sections: core/share.h.
 */

#include "core/share.h"
#include "core/share_balance.h"
#include "core/share_past.h"

/* What each action is worth in a state; a trained network says it. */
struct share_judge {
	void (*values)(void *user, const double *state, double *values);
	void *user;
};

struct share_view {
	const struct share_rules *rules;
	const struct share_table *ahead; /* forecast; row 0: the step to come */
	const struct share_table *usual; /* one row: the workloads on average */
	const struct share_table *ended; /* one row: the last step, measured */
	const unsigned *levels;          /* now; NULL before the first step */
	const struct share_judge *judge; /* of `learned` */
	unsigned step, steps; /* number of the step to come; of all */
	/* For scenario, which has no table: the forecast of now was added. */
	const struct share_past *past;
	const struct share_grid *grid;
	const unsigned *best; /* for exact: the levels of the step */
};

enum {
	SHARE_ACTIONS = 4,      /* of the planner `learned` */
	SHARE_LEARNED_LOOK = 6, /* steps of its states */
	SHARE_STATE = SHARE_ACTIONS * SHARE_LEARNED_LOOK,
};

/* The levels of each action. */
struct share_choices {
	unsigned levels[SHARE_ACTIONS][SHARE_TASKS_MAX];
};

/* What a planner keeps from step to step, zero at first, and what it needs
 * while it plans. */
struct share_memory {
	unsigned until; /* the next step before which it asks itself */
	double regret;  /* seconds */
	struct share_work work;
	unsigned trial[SHARE_TASKS_MAX];
	unsigned first[SHARE_TASKS_MAX]; /* of core/share_windows.h */
	/* Of scenario alone.  The rows are the caller's: share_rows_room(). */
	const double **rows;
	unsigned asked, followed; /* plans, by the step behind them */
	struct share_scenes scenes;
	/* Of learned alone. */
	struct share_choices choices;
};

/* Pointers that share_memory's rows have to have room for. */
static inline size_t share_rows_room(unsigned tasks)
{
	return (size_t)SHARE_LOOK_MAX * SHARE_SCENARIOS * tasks;
}

struct share_planner {
	char name[24];
	unsigned look;  /* steps that it looks ahead */
	double penalty; /* a window of k steps counts penalty^k times */
	/* What it needs of a view, besides what all have. */
	bool wants_past;  /* and the grid, in place of the table of `ahead` */
	bool wants_best;  /* of all steps, when all workloads are known */
	bool wants_judge; /* which has been trained */
	/* True: the levels are new ones, which cost a change. */
	bool (*plan)(const struct share_planner *planner,
		     const struct share_view *view, struct share_memory *memory,
		     unsigned *levels);
};

/* By its name, as above; false: there is none. */
bool share_planner_find(struct share_planner *planner, const char *name);

/* The names, for a help; NULL behind the last. */
extern const char *const share_planner_names[];

/* ---- the planners, for share_planner_find() ---- */

bool share_plan_dynamic(const struct share_planner *planner,
			const struct share_view *view,
			struct share_memory *memory, unsigned *levels);
bool share_plan_mpc(const struct share_planner *planner,
		    const struct share_view *view, struct share_memory *memory,
		    unsigned *levels);
bool share_plan_scenario(const struct share_planner *planner,
			 const struct share_view *view,
			 struct share_memory *memory, unsigned *levels);
bool share_plan_learned(const struct share_planner *planner,
			const struct share_view *view,
			struct share_memory *memory, unsigned *levels);

#endif
