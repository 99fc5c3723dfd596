/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SIM_LONE_JOB_H
#define TESTS_SIM_LONE_JOB_H

/*
 * One job in virtual time that core/scaler_benefit changes the size of, and the
 * time that it takes
 */

#include "base/splitmix.h"
#include "core/scaler_benefit.h"

/* A step takes serial + parallel / n + coherency * n seconds on n ranks. */
struct lone_curve {
	double serial, parallel, coherency;
};

struct lone_job {
	struct lone_curve curve;
	struct lone_curve later; /* from half of the steps on */
	bool changes;            /* there is such a curve */
	bool is_watched;         /* each step is looked at, see THINNED */
	unsigned cliff;          /* from so many ranks on a step takes six times
				  * as long; 0: there is none */
	unsigned max, initial;   /* ranks; 1 to max are accepted */
	double steps;
	double price; /* mean of a rescale, seconds */
	double noise; /* a step takes up to this part more, or less */
	uint64_t state_bytes;
};

struct lone_run {
	double seconds;
	double work; /* rank-seconds; a pause counts the larger size */
	unsigned rescales;
	unsigned size;   /* at the end */
	char said[1024]; /* all reasons that were stated, a line each */
};

void lone_scale(struct lone_curve *curve, double by);

double lone_step(const struct lone_curve *curve, unsigned ranks);

/* Seconds and rank-seconds of the job on this size, moved there at once. */
double lone_moved(const struct lone_job *job, unsigned ranks);
double lone_work(const struct lone_job *job, unsigned ranks);

/* The best of all such, by one who knows the curve. */
double lone_best(const struct lone_job *job);

struct lone_run lone_run(const struct lone_job *job,
			 const struct benefit_rules *rules,
			 struct random *random);

double lone_uniform(struct random *random, double least, double most);

#endif
