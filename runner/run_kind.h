/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_RUN_KIND_H
#define RUNNER_RUN_KIND_H

/*
 * What the two kinds of runs, local and kube, have in common
 */

#include "client/watch.h"
#include "runner/run.h"
#include "runner/stop.h"

enum run_phase {
	RUN_STARTING, /* until the coordinator can be reached */
	RUN_WATCHING,
	RUN_LEAVING, /* the job is over, or cannot be followed any longer */
};

struct run_kind {
	/* "ending the programs", what STOP_END does, and "end the programs" */
	const char *ending, *to_end;
	/* Whether the coordinator can be told to end the job. */
	bool (*hears)(const struct run *run);
	/* A request to stop has come; NULL: nothing is to be done. */
	void (*asked)(struct run *run);
	/* The steps of the same names. */
	void (*end)(struct run *run);
	void (*kill)(struct run *run);
	void (*leave)(struct run *run);
	/* A patience is over, and STOP_END comes next: says so. */
	void (*late)(struct run *run);
	/* A request to stop while it leaves. */
	void (*hurry)(struct run *run);
	void (*hold)(struct run *run);
	void (*destroy)(struct run *run);
};

/* The first member of each kind's own struct. */
struct run {
	const struct run_kind *kind;
	const struct run_events *events;
	void *user;
	struct client client; /* its loop is the caller's */
	struct watch watch;
	enum run_phase phase;
	enum stop_level stop;
	bool asked; /* by run_stop() */
	bool held;
	bool told_over, ended; /* on_over, on_end were called */
	msec_t stop_at, save_deadline;
	struct loop_timer patience;

	/* of the last message of the job */
	bool known, over;
	Bellows__V1__State state;
	int exit_code;
	char reason[256];

	struct run_result result;
};

void run_init(struct run *run, const struct run_kind *kind, struct loop *loop,
	      const char *job, const struct run_events *events, void *user);
void run_fini(struct run *run);

void run_say(struct run *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Remembers what the message says, and passes it on. */
void run_job(struct run *run, const Bellows__V1__Job *job);

void run_set_patience(struct run *run, msec_t patience);

/* The job cannot go on: STOP_END, unless it is tried already. */
void run_fail(struct run *run);

/* Calls on_over(), once. */
void run_over(struct run *run);

/* Calls on_over() if it was not called, and on_end(), once. */
void run_end(struct run *run);

/* The result of a job whose last message has said that it is over. */
void run_conclude_over(struct run *run);

#endif
