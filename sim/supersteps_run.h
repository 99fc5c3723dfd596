/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SUPERSTEPS_RUN_H
#define SIM_SUPERSTEPS_RUN_H

/*
 * The supersteps of an application under a planner, in virtual time
 *
 * A task takes as long as its profile says for its workload and its shares.
 * Before each step the planner is asked; a change of the shares, but for the
 * first one, costs time.
 */

#include "core/share_planner.h"
#include "sim/supersteps.h"

/* What a planner is told of the steps to come. */
enum supersteps_forecast {
	SUPERSTEPS_KNOWN, /* the workloads as they will be */
	SUPERSTEPS_GIVEN, /* the forecast of the files */
};

struct supersteps_step {
	unsigned step;
	bool is_changed;        /* the shares, before it */
	const unsigned *levels; /* of each task */
	const double *seconds;  /* of each task */
	double slowest;         /* seconds */
};

struct supersteps_settings {
	struct share_planner planner;
	enum supersteps_forecast forecast;
	void (*on_step)(void *user, const struct supersteps_step *step);
	void *user;
};

struct supersteps_result {
	double seconds; /* of all steps, without changes */
	unsigned changes;
	double total; /* seconds, with changes */
};

/* -EINVAL: a task has no such forecast; -ENOMEM. */
int supersteps_run(const struct supersteps *supersteps,
		   const struct supersteps_settings *settings,
		   struct supersteps_result *result, struct error *err);

/* Whether each task has a forecast in the files. */
bool supersteps_has_forecast(const struct supersteps *supersteps);

#endif
