/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SIM_OPTIMUM_H
#define TESTS_SIM_OPTIMUM_H

/*
 * The best schedule of a few jobs on a few slots, by branch and bound
 *
 * It knows all future submissions.  The sizes of jobs change only when a job is
 * submitted, when one has ended, and when the rescale gap of one is over; a
 * schedule that changes them at other instants, or more than 250 times, or
 * parks a job, is not looked at.  Starts and rescales cost what they cost in
 * sim/engine, and a decision has its effect at once.
 *
 * Changes at other instants can be better in one way only: two jobs that take
 * turns at a size have a mean size that is no whole number.
 */

#include "sim/workload.h"

#include <stdbool.h>

enum {
	OPTIMUM_JOBS_MAX = 5,
	OPTIMUM_SLOTS_MAX = 8,
	OPTIMUM_STEPS_MAX = 256,
};

enum optimum_objective {
	OPTIMUM_TOTAL,      /* seconds until the last job has ended */
	OPTIMUM_COMPLETION, /* from submission to end, weighted by priority */
};

/* A start, or a rescale. */
struct optimum_step {
	usec_t at;
	unsigned job, size;
};

struct optimum {
	double value; /* seconds, of the objective */
	struct optimum_step steps[OPTIMUM_STEPS_MAX];
	size_t n;
	unsigned long states; /* that were looked at */
};

/* bounded: whether schedules that cannot be better than the best one so far are
 * left out; false is for tests of the bounds.  Every job of the set has a
 * `submit`, and the workload no decision delay. */
void optimum_find(struct optimum *out, const struct workload *workload,
		  const struct workload_set *set,
		  enum optimum_objective objective, bool bounded);

#endif
