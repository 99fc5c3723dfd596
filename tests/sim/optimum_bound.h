/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SIM_OPTIMUM_BOUND_H
#define TESTS_SIM_OPTIMUM_BOUND_H

/*
 * What no schedule that goes on from a state can be better than
 */

#include "tests/sim/optimum.h"

/* Seconds of a job at one size. */
struct times {
	double run, start, pause;
};

struct job_limits {
	unsigned min, max;
	double weight;
	usec_t submitted;
	struct times times[OPTIMUM_SLOTS_MAX + 1]; /* by size */
	double quickest;                           /* its least run time */
	double start, pause;                       /* the least of each */
	double from_start; /* the least time of start and run together */
	double start_area, pause_area; /* slot-seconds of each, at least */
	/* Slots that a job needs to get on at `rate` (of its work a second), at
	 * least, if it may mix sizes: the largest of slope * rate + offset. */
	struct {
		double slope, offset;
	} lines[OPTIMUM_SLOTS_MAX];
	unsigned n_lines;
};

struct problem {
	enum optimum_objective objective;
	unsigned slots, extra, n;
	usec_t gap;
	struct job_limits jobs[OPTIMUM_JOBS_MAX];
	double weight;    /* of all jobs */
	double submitted; /* the mean, weighted */
};

enum phase { WAITING, RUNNING, OVER }; /* WAITING: or not submitted yet */

struct job_state {
	enum phase phase;
	unsigned size; /* 0: it does not run */
	usec_t computes, changed, ends;
	double done; /* part of its work, when it was changed */
};

struct state {
	usec_t now;
	struct job_state jobs[OPTIMUM_JOBS_MAX];
};

void problem_init(struct problem *problem, const struct workload *workload,
		  const struct workload_set *set,
		  enum optimum_objective objective);

bool state_is_in_gap(const struct problem *problem, const struct state *state,
		     unsigned j);

/* The part of a running job's work that is left at an instant. */
double state_rest_at(const struct problem *problem, const struct state *state,
		     unsigned j, usec_t at);

/* Seconds: the total, or the mean of the instants at which jobs end, weighted.
 * If the bound is seen to be `best` or more, some value of that kind.  Of jobs
 * that are over it is the value itself. */
double optimum_bound(const struct problem *problem, const struct state *state,
		     double best);

#endif
