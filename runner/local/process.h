/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_LOCAL_PROCESS_H
#define RUNNER_LOCAL_PROCESS_H

/*
 * A program of this house that a run has started
 *
 * It has a session of its own, so that Ctrl-C in the terminal does not reach
 * it, and gets SIGTERM when this program dies.
 */

#include "loop/loop.h"

#include <limits.h>

struct process {
	const char *program; /* borrowed */
	struct loop *loop;   /* likewise */
	pid_t pid;
	bool running;
	int status; /* as of waitpid(), once it ended */
	loop_timer_f on_end;
	void *user;
};

/* Looks for program beside this one, else leaves it to PATH.  argv[0] is set by
 * this function.  out and err: its standard output and error. */
int process_start(struct process *process, struct loop *loop, const char **argv,
		  int out, int err_fd, struct error *err);

/* Does nothing if the process has ended. */
void process_signal(const struct process *process, int signo);

/* SIGKILL to its whole session's group. */
void process_kill(const struct process *process);

/* Kills it, and on_end() is not called any more.  Also after a failed or
 * missing process_start(). */
void process_fini(struct process *process);

#endif
