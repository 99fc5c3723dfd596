/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_LAUNCH_MPIRUN_H
#define COORDINATOR_LAUNCH_MPIRUN_H

/*
 * mpiexec as a process: its environment, its files, its end
 *
 *   <dir>/epoch-2.mpiexec   what it prints: its log
 *   <dir>/mpi-2/            its TMPDIR, removed when it has ended
 *
 * What ranks of this host share is elsewhere, see base/shm.h.
 * Epoch 0 is of no start: nothing in the environment says so.
 */

#include "base/cleanup.h"
#include "base/error.h"
#include "loop/loop.h"

struct mpirun;

struct mpirun_config {
	struct loop *loop;
	const char *dir;
	unsigned epoch;
	unsigned ranks_here;     /* that run on this host */
	const char *cwd;         /* NULL: this program's */
	const char *log;         /* NULL: as above */
	const char *const *argv; /* ends with NULL */
	int out;                 /* for what it prints; 0: its log */
	const char *const *env;  /* "KEY=value", beside ours; ends with NULL */
	/* status: as of waitpid() */
	void (*ended)(void *user, int status);
	void *user;
};

/* All of config but user is borrowed for the call only. */
int mpirun_start(struct mpirun **out, const struct mpirun_config *config,
		 struct error *err);

bool mpirun_has_ended(const struct mpirun *run);

/* It ends what it started, and then itself, within seconds. */
void mpirun_end(struct mpirun *run);

/* To mpiexec alone. */
void mpirun_signal(struct mpirun *run, int signo);

/* The end of its log, of less than n bytes. */
void mpirun_words(const struct mpirun *run, char *text, size_t n);

/* Adds text to its log. */
void mpirun_note(struct mpirun *run, const char *text, size_t n);

/* At once, with all that it started here. */
void mpirun_kill(struct mpirun *run);

/* Kills it if it has not ended; ended() is not called.  Returns NULL. */
struct mpirun *mpirun_destroy(struct mpirun *run);

DEFINE_CLEANUP(struct mpirun, mpirun_destroy)

#endif
