/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_TALLY_H
#define SIM_TALLY_H

/*
 * The metrics of a simulation, added up as it goes
 */

#include "sim/engine.h"
#include "sim/sim_job.h"

struct tally {
	double seen; /* slots, at the instants at which they are looked at */
	double held; /* slot-seconds */
	double work; /* slot-seconds with the fewest ranks */
	double weight, response, completion, slowdown;
	usec_t last;
	double repeated, repeated_steps;
	size_t rescales, parks, failures, jobs;
};

/* A job has other slots from `now` on. */
void tally_slots(struct tally *tally, usec_t now, unsigned from, unsigned to);

/* What a job computed for so long, at its size, is lost. */
void tally_repeated(struct tally *tally, const struct sim_job *job,
		    usec_t lost);

/* A job has ended; returns its slowdown. */
double tally_end(struct tally *tally, const struct sim_job *job, usec_t ended);

/* Of jobs that have all ended. */
struct sim_metrics tally_metrics(const struct tally *tally, unsigned slots);

#endif
