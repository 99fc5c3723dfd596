/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_LAUNCH_TRIAL_H
#define COORDINATOR_LAUNCH_TRIAL_H

/*
 * Whether the application runs on a number of ranks, found out before the ranks
 * that run are stopped for it
 *
 * An adapter's trial is run as so many ranks of an mpiexec on this host, in a
 * folder of its own, while the next start is wired up.  Nothing of it carries
 * an epoch, so no executor takes it for a rank of the job.  It is ended as soon
 * as its output tells enough, for it takes processor time from the ranks that
 * run.  What was learnt is kept: a size is tried once.  Only a reason of the
 * application's own counts against a size; a trial that failed otherwise is
 * made again when that size is asked for again.
 *
 *   <dir>/mpi-trial/run   its working directory
 *   <dir>/mpi-trial/text  what it printed
 */

#include "jobfile/jobfile.h"
#include "loop/loop.h"

struct trials;

struct trials_events {
	void (*passed)(void *user, unsigned ranks);
	void (*failed)(void *user, unsigned ranks, const char *reason);
};

/* All is borrowed.  dir: the state directory. */
int trials_create(struct trials **out, struct loop *loop,
		  const struct jobfile *job, const char *dir,
		  const struct trials_events *events, void *user,
		  struct error *err);
/* Ends one that runs; returns NULL. */
struct trials *trials_destroy(struct trials *trials);

/* 0 if it runs on so many ranks, as far as can be told; 1 if a trial will tell;
 * -EINVAL with the application's reason why not. */
int trials_look(const struct trials *trials, unsigned ranks, struct error *err);

/* Begins a trial, which ends with an event later; -errno if it cannot be. */
int trials_begin(struct trials *trials, unsigned ranks, struct error *err);

/* So many have run. */
void trials_pass(struct trials *trials, unsigned ranks);

/* There will be no event.  It is told to end, and does so within seconds. */
void trials_cancel(struct trials *trials);

/* Whether no process of a trial is left. */
bool trials_are_over(const struct trials *trials);

DEFINE_CLEANUP(struct trials, trials_destroy)

#endif
