/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SIM_WORLD_H
#define TESTS_SIM_WORLD_H

/*
 * A small world around one job, in virtual time
 *
 * Executors join some time after they are asked for, ranks need time to come
 * up, to reach their gates, to write a checkpoint and to end; each executor
 * runs one rank.  The world brings about job_effect() after every event,
 * reports what became of it, and prints a line for every event that moved the
 * job or that the script told it.  It also watches that no two starts ever run
 * at once.
 */

#include "core/job.h"

#include <stdio.h>

enum { WORLD_EXECUTORS_MAX = 16 };

/* What takes how long, 0 is for ever; and what goes wrong. */
struct world_model {
	msec_t join, stagger; /* each one asked for at once is later by that */
	msec_t up, step, gate, open, save, stop;
	unsigned stock;     /* executors that can be had */
	unsigned granule;   /* the application runs at its multiples only */
	unsigned bad_size;  /* the application ends itself when started at it */
	unsigned unstarted; /* starts to come that are not brought up */
	unsigned afresh;    /* when started at it from a checkpoint, the
			     * application begins afresh */
	unsigned unreadable; /* starts from a checkpoint, to come, that cannot
			      * read it */
	bool gate_fails, cannot_save;
	bool joining; /* executors that are on their way are known of when the
		       * ranks have ended: the job waits a moment for them */
};

enum world_timer {
	TIMER_UP,
	TIMER_STEP,
	TIMER_GATE,
	TIMER_SAVE,
	TIMER_STOP,
	TIMERS
};

struct world_start {
	unsigned epoch, ranks; /* epoch 0: there is none */
};

struct world {
	struct world_model model;
	struct job job;
	msec_t now;
	msec_t ready[WORLD_EXECUTORS_MAX]; /* instants; by order of joining */
	unsigned executors;
	unsigned leaving; /* beside those: keep their ranks until the stop */
	struct world_start run, gated;
	bool saving, stopping;
	msec_t due[TIMERS];
	bool overlapped; /* a start ran before the last one had ended */
	FILE *trace;
	long forgotten; /* characters of text */
	char text[4096];
};

void world_init(struct world *world, unsigned initial);
/* The same, and 20 s later the job computes; what came before is forgotten. */
void world_begin(struct world *world, unsigned initial);

void world_run(struct world *world, msec_t until);

/* The script: something happens to the running start, now. */
void world_tell(struct world *world, enum job_event_type type, unsigned size);

/* The same of any start. */
void world_report(struct world *world, enum job_event_type type,
		  unsigned epoch);

/* What that means for the job depends on the ranks it ran. */
void world_lose(struct world *world, unsigned executor);

/* So many more executors can be had than now. */
void world_restock(struct world *world, unsigned more);

/* So many executors with ranks leave, within that time, at once. */
void world_leave(struct world *world, unsigned n, msec_t within);

/* The coordinator was killed, and another has taken its place: no rank is left,
 * and the executors that were there come back. */
void world_restart(struct world *world);

void world_forget(struct world *world);

/* All lines since world_init() or world_forget(); the world ends with it. */
const char *world_transcript(struct world *world);

#endif
