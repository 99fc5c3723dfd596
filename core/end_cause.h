/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_END_CAUSE_H
#define CORE_END_CAUSE_H

/*
 * Whether the application failed, or what it runs on
 *
 * mpiexec ends with the status of the rank that failed first, or with 128 and
 * the signal that ended it, or with END_LOST_DAEMON (Open MPI 4.1).  Signals
 * that programs send to one another are not the application's mistake; nor are
 * those that end mpiexec.  An application that fails by itself before its first
 * step would fail again, and is not started again.
 */

#include <stdbool.h>

enum { END_LOST_DAEMON = 205 };

/* status: mpiexec's, as of wait(2). */
bool end_is_own(int status);

/* Which rank a signal ended, in what mpiexec has printed; false: it does not
 * say. */
bool end_find_killed(const char *words, unsigned *rank, int *signo);

#endif
