/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_PROCESS_H
#define EXECUTOR_PROCESS_H

/*
 * Which processes belong to a start
 *
 * Ranks are grandchildren: the MPI daemon makes them, and a
 * process that loses its parent becomes a child of the executor, which is their
 * subreaper.  So all of a
 * start is found among the executor's descendants, by BELLOWS_EPOCH in the
 * environment that the daemon was started with; ranks and what they started
 * have BELLOWS_RANK too.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Whether a living descendant of this process belongs to epoch (0: to any start
 * or none); only ranks and their children if ranks_only.  A process that is
 * just becoming another program cannot be asked, and may be one. */
bool process_is_left(unsigned epoch, bool ranks_only);

/* Sends signo to all that belong; returns how many there were. */
size_t process_signal(unsigned epoch, bool ranks_only, int signo);

/* What a signal does to a process now. */
enum process_answer {
	PROCESS_ENDS,   /* there is no handler for it */
	PROCESS_BLOCKS, /* it is pending until the first thread wants it */
	PROCESS_TAKES,  /* a handler is called, or nothing happens */
};

/* The answer for a process that is gone is PROCESS_TAKES. */
enum process_answer process_answer(pid_t pid, int signo);

#endif
