/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_JOB_AT_H
#define TESTS_UNIT_JOB_AT_H

/*
 * Jobs in any state that they live through, for tests of core/job
 */

#include "core/job.h"

#include <string.h>

/* No two alike, so a deadline tells whose it is. */
static const struct job_patience patience = {.executors = 100,
					     .grow = 200,
					     .start = 300,
					     .resume = 350,
					     .save = 400,
					     .stop = 500,
					     .replace = 550,
					     .retries = 3};

static inline bool feed(struct job *job, enum job_event_type type,
			unsigned size)
{
	return job_step(job, &(struct job_event){
				     .type = type, .now = 1000, .size = size});
}

static inline bool report(struct job *job, enum job_event_type type,
			  unsigned epoch)
{
	return job_step(
		job,
		&(struct job_event){.type = type, .now = 1000, .epoch = epoch});
}

/* Executors leave by that instant; those that stay can run size ranks. */
static inline bool leave(struct job *job, unsigned size, msec_t by)
{
	return job_step(job, &(struct job_event){.type = JOB_EV_LEAVE,
						 .now = 1000,
						 .size = size,
						 .leave = by});
}

/* A job of 1 or 2 ranks on its way to 4, when it first is in that state. */
static inline struct job on_its_way(unsigned initial, enum job_state state)
{
	static const struct {
		enum job_event_type type;
		unsigned size;
	} way[] = {
		{JOB_EV_EXECUTORS, 2}, {JOB_EV_RANKS_UP, 0},
		{JOB_EV_STEP, 0},      {JOB_EV_SCALE, 4},
		{JOB_EV_EXECUTORS, 4}, {JOB_EV_PREPARED, 0},
		{JOB_EV_SAVED, 0},
	};
	struct job job;

	job_init(&job, initial, &patience, false, 1000);
	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		if (job.state != state ||
		    (state == JOB_RUNNING && way[i].type == JOB_EV_STEP))
			feed(&job, way[i].type, way[i].size);
	if (state == JOB_REPLACING)
		feed(&job, JOB_EV_REPLACED_SOON, 0);
	if (state == JOB_RESUMING) {
		feed(&job, JOB_EV_STOPPED, 4);
		feed(&job, JOB_EV_RANKS_UP, 0);
	}
	return job;
}

static inline struct job at(enum job_state state)
{
	return on_its_way(2, state);
}

/* The ranks of its first start are up, and made no step. */
static inline struct job first_start(unsigned initial, bool has_checkpoint)
{
	struct job job;

	job_init(&job, initial, &patience, has_checkpoint, 1000);
	feed(&job, JOB_EV_EXECUTORS, initial);
	feed(&job, JOB_EV_RANKS_UP, 0);
	return job;
}

/* Proven at 2; the ranks of its second start, at 4, come up. */
static inline struct job starting_anew(void)
{
	struct job job = at(JOB_STOPPING);

	feed(&job, JOB_EV_STOPPED, 4);
	return job;
}

static inline bool same(const struct job *a, const struct job *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

#endif
