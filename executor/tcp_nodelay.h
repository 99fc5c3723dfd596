/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_TCP_NODELAY_H
#define EXECUTOR_TCP_NODELAY_H

/*
 * Spares a rank that leaves 40 ms
 *
 * In MPI_Finalize a rank sends its daemon some short messages that are
 * not answered, then one whose answer it waits for.  PMIx leaves Nagle's
 * algorithm on, so all but the first stay with the rank until the daemon's side
 * has acknowledged it; and that side waits 40 ms for something to send along.
 * Measured with Open MPI 4.1.4 and PMIx 4.2.2: MPI_Finalize takes 48 ms so, and
 * 4 ms without; a rescale waits for it.
 *
 * The executor is its ranks' ancestor, so it may turn the algorithm off on
 * their connections to 127.0.0.0/8.  Nothing else about them changes, and where
 * the kernel does not let it (pidfd_getfd() is of Linux 5.6; containers may
 * forbid it) ranks leave as they always did.
 */

#include <sys/types.h>

void tcp_nodelay_set(pid_t pid, int pidfd);

#endif
