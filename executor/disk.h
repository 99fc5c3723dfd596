/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_DISK_H
#define EXECUTOR_DISK_H

/*
 * The directory for temporary files, without which no rank can be started here
 *
 * Ranks that compute need it no more, so one that is full or gone ends nothing;
 * the coordinator is told, and told again when it is well.  One that was
 * removed is made again; where another one has its name by now, the executor
 * asks for its release.  It is looked at before each start: an MPI daemon that
 * finds no room there says nothing, and its ranks fail when they are let go.
 */

#include "executor/executor.h"

/* Every now and then, or at once; tells what has changed. */
void disk_look(struct executor *ex, bool now);

/* Nobody knows yet what is the matter: the next look tells it. */
void disk_forget(struct executor *ex);

#endif
