/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_RANKS_H
#define EXECUTOR_RANKS_H

/*
 * The ranks of this host: at their gates, running, gone
 *
 * A rank first comes as a gate (see launch/main.c), over a unix socket.  It is
 * opened with the command to become and runs when its connection closes without
 * a word, which is what exec does to it.  Its end is seen through a pidfd, at
 * once and for this very process.
 *
 * A start is gone when no process of it with a rank's environment is left: a
 * rank that was a shell may leave the application behind.
 */

#include "base/error.h"
#include "executor/output.h"
#include "loop/loop.h"

#include <stdbool.h>

struct ranks;

struct ranks_events {
	/* processors: those that it may run on, as a list. */
	void (*arrived)(void *user, unsigned epoch, unsigned rank, pid_t pid,
			const char *processors);
	/* All that were to be opened run; failure is NULL, or says why not,
	 * and exit_code as a shell would. */
	void (*up)(void *user, unsigned epoch, const unsigned *ranks, size_t n,
		   const char *failure, int exit_code);
	/* After up or after ranks_stop(): nothing of the start is left. */
	void (*gone)(void *user, unsigned epoch);
};

/* What the ranks of a start become. */
struct ranks_command {
	char **argv;
	size_t n_argv;
	char **env; /* "KEY=value" */
	size_t n_env;
	const char *dir;
	unsigned ranks; /* that must be at their gates */
	int claim;      /* that they are to hold, see claim.h; -1: none */
};

/* A signal that ranks act on. */
struct ranks_call {
	int signo;
	bool first_only; /* to rank 0 */
	bool once;       /* not to those that got one by an earlier call */
	msec_t patience;
};

/* path: of the socket for gates. */
int ranks_create(struct ranks **out, struct loop *loop, struct output *output,
		 const char *path, const struct ranks_events *events,
		 void *user, struct error *err);
struct ranks *ranks_destroy(struct ranks *ranks); /* returns NULL */

/* Makes the socket again if it was removed. */
int ranks_listen(struct ranks *ranks, struct error *err);

/* Answered by up(). */
void ranks_open(struct ranks *ranks, unsigned epoch,
		const struct ranks_command *command);

/* To running ranks of a start, also if it ends them. */
void ranks_signal(struct ranks *ranks, unsigned epoch, int signo);

/* To running ranks of a start, to each once it would not end by the signal; not
 * at all if that is not so within the patience, or before they are stopped. */
void ranks_call(struct ranks *ranks, unsigned epoch,
		const struct ranks_call *call);

/* Before running ranks of a start are told to leave; see tcp_nodelay.h. */
void ranks_set_nodelay(struct ranks *ranks, unsigned epoch);

/* Answered by gone(), also if there is nothing.  Ranks may leave by themselves
 * for patience, then get SIGTERM, then SIGKILL.  Gates are closed at once. */
void ranks_stop(struct ranks *ranks, unsigned epoch, msec_t patience);

/* At once, so that they write nothing more; ranks_stop() then sees them gone.
 */
void ranks_kill(struct ranks *ranks, unsigned epoch);

/* Whether this rank of the start runs here; waits at its gate, or runs. */
bool ranks_has(const struct ranks *ranks, unsigned epoch, unsigned rank);
bool ranks_holds(const struct ranks *ranks, unsigned epoch, unsigned rank);

/* Running ranks of all starts. */
unsigned ranks_count(const struct ranks *ranks);

/* All starts, of which nothing is left: their numbers mean nothing any more. */
void ranks_forget(struct ranks *ranks);

#endif
