/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SIM_JOB_H
#define SIM_SIM_JOB_H

/*
 * A job that computes in virtual time: how far it is, and what takes how long
 */

#include "core/sched.h"
#include "sim/workload.h"

struct sim_job {
	struct sched_job sched; /* the first member */
	const struct workload_class *class;
	double steps;
	usec_t started;  /* for the first time; -1: it did not yet */
	usec_t computes; /* since then, at its size */
	double done;     /* part of its steps, until then */
};

/* Longer than any simulation, and short enough to be added to an instant. */
#define SIM_FOREVER (INT64_MAX / 4)

/* The instant so many seconds later, from 0 to SIM_FOREVER. */
usec_t sim_after(usec_t at, double seconds);

/* Seconds that so many ranks take. */
double sim_job_run_time(const struct sim_job *job, unsigned ranks);
double sim_job_start_time(const struct sim_job *job, unsigned ranks);
double sim_job_pause_time(const struct sim_job *job, unsigned ranks);

/* For what is not computed yet, at its size. */
double sim_job_rest_time(const struct sim_job *job);

/* Counts what it has computed until now. */
void sim_job_advance(struct sim_job *job, usec_t now);

/* Counts only what it has computed until its last checkpoint: so long after it
 * began to compute at its size, or a multiple of that; 0: it had none since.
 * Returns for how long it computed since then. */
usec_t sim_job_fall_back(struct sim_job *job, usec_t now, usec_t every);

/* It has its size, and computes from that instant on. */
void sim_job_computes(struct sim_job *job, usec_t at);

/* What core/cost makes of the times of this class. */
struct cost_curve sim_class_curve(const struct workload_class *class);

#endif
