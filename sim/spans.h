/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SPANS_H
#define SIM_SPANS_H

/*
 * Which slots each job of one set had, and from when to when
 *
 * An observer of sim/engine.h collects them: a job that starts has a span, each
 * rescale ends it and begins the next, the end of the job ends the last.  While
 * a job is parked it has a span without slots.
 */

#include "core/sched.h"
#include "sim/engine.h"

struct sim_span {
	usec_t from, to;
	unsigned job;   /* number */
	unsigned slots; /* those of its launcher among them; 0: it is parked */
};

/* Whether a job that gives up all its slots has ended, and is not parked. */
bool sim_has_ended(const struct sched_job *job);

struct sim_spans_job {
	usec_t submitted, started;
	int priority;
	unsigned rescales, parks;
	size_t last; /* span; SIZE_MAX: it has none yet */
};

struct sim_spans {
	struct sim_span *at; /* by their beginning */
	size_t n, room;
	struct sim_spans_job *jobs; /* by number */
	size_t n_jobs;
	bool lacks_memory; /* some spans are missing */
};

/* 0 or -ENOMEM. */
int sim_spans_init(struct sim_spans *spans, size_t n_jobs);
/* A zeroed value may be given. */
void sim_spans_fini(struct sim_spans *spans);

/* An on_slots of sim/engine.h; user is a struct sim_spans. */
void sim_spans_on_slots(void *user, usec_t now, const struct sched_job *job,
			unsigned from, unsigned to);

/* A copy that goes by jobs, and of one job by time, for free(); NULL if memory
 * is exhausted. */
struct sim_span *sim_spans_by_job(const struct sim_spans *spans);

#endif
