/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SHARE_PAST_H
#define CORE_SHARE_PAST_H

/*
 * Past: forecasts of workloads, and the workloads that came
 *
 * Before each step there is a forecast of the steps to come, and after it the
 * workloads are known.  A forecast is as wrong as the forecasts before it that
 * were like it: those whose value and rise for the step in question were about
 * the same, and whose last two predecessors had missed the next step by about
 * as much.  "Like" is the sum of these four differences, all of them workloads.
 * (The method of analogues: Lorenz 1969; Delle Monache et al. 2013.)
 *
 * Pure; the memory is the caller's.
 */

#include "core/share.h"

#include <stddef.h>

enum { SHARE_PAST_STEPS = 256 }; /* that are remembered */

struct share_past {
	unsigned tasks, look; /* look: steps of a forecast */
	unsigned steps;       /* that have ended */
	/* [step % SHARE_PAST_STEPS][step ahead][task] */
	double *forecasts;
	/* [step % SHARE_PAST_STEPS][task] */
	double *workloads;
};

/* Numbers that share_past_init() needs. */
static inline size_t share_past_room(unsigned tasks, unsigned look)
{
	return (size_t)SHARE_PAST_STEPS * tasks * (look + 1);
}

/* The room stays the caller's and has to stay. */
void share_past_init(struct share_past *past, unsigned tasks, unsigned look,
		     double *room);

/* Before a step: [step ahead][task]. */
void share_past_forecast(struct share_past *past, const double *ahead);

/* After it. */
void share_past_ended(struct share_past *past, const double *workloads);

/* What the forecast of now says; ahead 0: of the step to come. */
double share_past_value(const struct share_past *past, unsigned ahead,
			unsigned task);

/* How much a workload was above its forecast, `ahead` steps ahead, in the n
 * cases most like the present one, the latest first; n is at most
 * SHARE_SCENARIOS.  Returns how many there are. */
unsigned share_past_errors(const struct share_past *past, unsigned ahead,
			   unsigned task, unsigned n, double *errors);

#endif
