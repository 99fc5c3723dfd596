/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SCHEDULER_H
#define SCHEDULER_SCHEDULER_H

/*
 * The scheduler of many jobs: who may have how many slots, and when
 *
 *     service     calls from outside
 *       |
 *     queue       what is wished of jobs, and what becomes of it
 *       |  \
 *     decide  carry_out
 *       |      |  \
 *      book  programs  link
 *
 * Level-triggered: whatever happens, decide asks the policy what should be, and
 * carry_out compares that with what is, and acts.  So nothing depends on how
 * the difference came about: a scheduler that was killed begins by looking at
 * what its journal says and at what runs, and goes on.
 *
 * The jobs' programs outlive it.
 */

#include "core/sched.h"
#include "scheduler/book.h"
#include "scheduler/config.h"
#include "scheduler/place.h"
#include "scheduler/queued.h"
#include "scheduler/spans.h"
#include "scheduler/usage.h"

struct service;

struct scheduler {
	const struct scheduler_config *config;
	struct loop *loop;
	struct rpc *rpc;
	struct state_dir dir;      /* of the queue */
	struct lookup jobs_lookup; /* of the jobs' own state directories */
	const struct sched_policy *policy;
	struct place place;
	msec_t since;     /* it began */
	struct list jobs; /* of struct queued, in order of their numbers */
	size_t n;
	uint64_t next; /* number of the next job */
	struct book book;
	struct book_entry kept; /* jobs wait for the disk, if it is in a list */
	struct decisions decisions;
	struct usage usage;
	struct queue_spans spans;

	/* see decide.h */
	struct loop_timer ask[2]; /* SCHED_RECHECK, SCHED_REASSIGN */
	struct loop_timer settle, again;
	loop_timer_f settle_now;
	bool changed; /* something has ended, or become free */
	struct sched_action *actions;
	struct sched_job **lists;
	size_t room;
	uint64_t places;

	/* Something about the jobs has changed that is shown. */
	void (*on_change)(void *user);
	void *user;
};

/* Reads the journal, and looks for what runs. */
int scheduler_begin(struct scheduler *scheduler, struct error *err);
void scheduler_end(struct scheduler *scheduler);

/* The job of that number; NULL: there is none. */
struct queued *scheduler_find(const struct scheduler *scheduler,
			      uint64_t number);

/* All that was done is looked at, once this callback is over. */
void scheduler_settle(struct scheduler *scheduler);

/* Writes the job's record down; why: a sentence, or NULL: as before. */
void scheduler_write(struct queued *queued, const char *why);

#endif
