/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERSTEPS_PLANNING_H
#define SUPERSTEPS_PLANNING_H

/*
 * An application and its planner, step by step
 *
 * Before a step the planner says which shares each task has.  When the step has
 * ended its workloads are known, and with them what the profiles say of it.
 */

#include "core/share_planner.h"
#include "supersteps/application.h"
#include "supersteps/outlook.h"

/* How the shares are planned. */
struct supersteps_method {
	struct share_planner planner;
	struct share_judge judge; /* of the planner `learned` */
	struct supersteps_forecast forecast;
	const unsigned *best; /* of the planner `exact`: [steps][tasks] */
};

struct supersteps_planning {
	const struct supersteps *of;
	struct supersteps_method method;
	/* Of the step at hand, from supersteps_plan() on. */
	struct supersteps_outlook outlook;
	unsigned levels[SHARE_TASKS_MAX];
	/* The same, from supersteps_ended() on: as the profiles say. */
	double workloads[SHARE_TASKS_MAX], seconds[SHARE_TASKS_MAX];
	/* The rest is of planning.c alone. */
	struct share_memory memory;
	unsigned next[SHARE_TASKS_MAX];
	/* Tables of seconds: of the steps to come, on average, of the last
	 * step. */
	double *ahead, *usual, *ended;
	/* For a planner that wants the past; else NULL. */
	double *past_room, *grid_room;
	struct share_past past;
	struct share_grid grid;
};

/* -EINVAL: a task has no such forecast, or the planner needs a judge; -ENOMEM.
 */
int supersteps_planning_create(struct supersteps_planning **out,
			       const struct supersteps *supersteps,
			       const struct supersteps_method *method,
			       struct error *err);

/* Before the step, each in its turn from 0.  True: the levels are new. */
bool supersteps_plan(struct supersteps_planning *planning, unsigned step);

/* After the step.  Seconds of its slowest task. */
double supersteps_ended(struct supersteps_planning *planning, unsigned step);

void supersteps_planning_destroy(struct supersteps_planning *planning);
DEFINE_CLEANUP(struct supersteps_planning, supersteps_planning_destroy)

/* What a task takes for a workload at each level of the application. */
void supersteps_row(const struct supersteps *supersteps, unsigned task,
		    double workload, double *seconds);

#endif
