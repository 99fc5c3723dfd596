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

#include "core/share_optimum.h"
#include "supersteps/planning.h"

struct supersteps_step {
	unsigned step;
	bool is_changed;                          /* the shares, before it */
	const unsigned *levels;                   /* of each task */
	const double *seconds;                    /* of each task */
	double slowest;                           /* seconds */
	const double *workloads;                  /* of each task */
	const struct supersteps_outlook *outlook; /* before it */
};

struct supersteps_settings {
	struct supersteps_method method;
	void (*on_step)(void *user, const struct supersteps_step *step);
	void *user;
};

struct supersteps_result {
	double seconds; /* of all steps, without changes */
	unsigned changes;
	double total;         /* seconds, with changes */
	unsigned short_steps; /* before which a history was too short for a
			       * forecast */
};

/* -EINVAL or -ENOMEM, as supersteps_planning_create(). */
int supersteps_run(const struct supersteps *supersteps,
		   const struct supersteps_settings *settings,
		   struct supersteps_result *result, struct error *err);

/* The best levels of all steps, for `exact`; progress may be NULL.  *levels,
 * [steps][tasks], are to be freed.  -ENOMEM. */
int supersteps_optimum(const struct supersteps *supersteps,
		       const struct share_progress *progress,
		       struct share_optimum *optimum, unsigned **levels,
		       struct error *err);

#endif
