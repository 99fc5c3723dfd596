/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_LAUNCH_LAUNCH_OPS_H
#define COORDINATOR_LAUNCH_LAUNCH_OPS_H

/*
 * What the two kinds of starts are made of
 *
 *     gated   our executors: gates, orders over their streams, reports
 *     bare    polled executors: mpiexec runs the application itself
 *
 * This header is for launch*.c.
 */

#include "coordinator/launch/launch.h"
#include "coordinator/launch/launch_state.h"
#include "coordinator/launch/mpirun.h"
#include "coordinator/launch/placement.h"

/* The first member of each implementation. */
struct launch {
	const struct launch_ops *ops;
	const struct launch_room *room;
	unsigned epoch;
	struct layout layout;
	unsigned moved; /* ranks, since the layout before */
	struct placement placement;
	struct mpirun *mpirun; /* NULL before it is begun */
	unsigned state;        /* enum launch_state */
	msec_t patience;       /* for ranks that are to leave by themselves */
	bool forbidden;        /* its ranks must not write: they are killed */
	bool killed;           /* mpiexec was sent SIGKILL */
	bool restarts;         /* goes on from a checkpoint: */
	struct checkpoint restart;
};

/* What both kinds do, as in launch.h. */
struct launch_ops {
	size_t size; /* of the implementation, which begins as zeroes */
	int (*begin)(struct launch *launch, struct error *err);
	void (*fini)(struct launch *launch);
	void (*open)(struct launch *launch); /* it is prepared */
	void (*stop)(struct launch *launch); /* or sooner than before */
	void (*save)(struct launch *launch, bool first, bool take);
	void (*signal)(struct launch *launch, int signo);
	void (*on_lost)(struct launch *launch, int member);
};

extern const struct launch_ops launch_gated, launch_bare;

bool launch_is_gated(const struct launch *launch);

/* For the implementations: tells the room, if the state expects it. */
void launch_fail(struct launch *launch, const char *reason, bool by_itself,
		 int status);
/* The same: mpiexec has ended before its ranks came up, with this status of
 * waitpid(). */
void launch_fail_unborn(struct launch *launch, int status);
void launch_set_prepared(struct launch *launch);
void launch_set_up(struct launch *launch);
void launch_set_gone(struct launch *launch);

/* Index in the layout, -1: it has no ranks of this start. */
int launch_place(const struct launch *launch, int member);

/* Text of at most LAUNCH_TEXT_MAX, for the application's command line. */
enum { LAUNCH_TEXT_MAX = 64 * 1024 };
int launch_command(const struct launch *launch,
		   const char *argv[ADAPTER_ARGS_MAX], char *text,
		   struct error *err);

/* Entries of a list that ends with NULL. */
size_t launch_count(const char *const *list);

/* Begins mpiexec with what the launcher says, and then these words.  out: as in
 * mpirun.h. */
int launch_run_mpiexec(struct launch *launch, const char *const *program,
		       int out, void (*ended)(void *user, int status),
		       struct error *err);

#endif
