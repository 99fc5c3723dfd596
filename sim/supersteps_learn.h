/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SUPERSTEPS_LEARN_H
#define SIM_SUPERSTEPS_LEARN_H

/*
 * Learning the planner `learned` in the simulator, by deep Q-learning
 *
 * The steps that planners are compared by are never seen.  It learns from the
 * past, with forecasts whose errors are drawn from those of the steps behind
 * the last one.  By these, with their own forecast, it is tried after each
 * episode, and the best one is kept.
 */

#include "network/network.h"
#include "sim/supersteps_run.h"

struct supersteps_school {
	struct supersteps_forecast forecast;
	uint64_t seed;
	unsigned episodes;              /* times that it sees the past */
	void (*on_episode)(void *user); /* one more is over */
	void *user;
};

/* What has been learned from how much. */
struct supersteps_report {
	unsigned learned, tried; /* steps */
	/* In the steps by which it was tried: seconds in total. */
	double unchanged, best;
};

/* -EINVAL: there are too few steps, or there is no such forecast; -ENOMEM. */
int supersteps_learn(const struct supersteps *supersteps,
		     const struct supersteps_school *school,
		     struct neural_network **out,
		     struct supersteps_report *report, struct error *err);

#endif
