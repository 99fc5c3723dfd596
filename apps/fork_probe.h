/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_FORK_PROBE_H
#define APPS_FORK_PROBE_H

#include "base/error.h"
#include "base/time.h"

/*
 * Does something that may crash, hang or exit in a child first
 *
 * The child is forked, so the program must have no other thread; it reads and
 * prints nothing (its standard error is the program's), dumps no core, and
 * whatever it started is gone when this returns.
 *
 * Returns what work returned in the child, with its sentence.  If it did not
 * return: -EFAULT with the signal's name, -ETIMEDOUT, or -ECANCELED if it ended
 * the program.
 */
int fork_probe(int (*work)(void *user, struct error *err), void *user,
	       msec_t patience, struct error *err);

#endif
