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
 *
 * A thread looks, for it may be on a file system that never answers, which is
 * told like any other trouble.
 */

#include "executor/executor.h"

int disk_create(struct disk **out, struct executor *ex, struct error *err);
struct disk *disk_destroy(struct disk *disk); /* returns NULL */

/* Every now and then, or at once; tells what has changed. */
void disk_look(struct disk *disk, bool now);

/* A report of a failure comes after a look, which may tell why it failed, or
 * after a second without an answer. */
void disk_report(struct disk *disk, const Bellows__V1__Report *r);

/* Nobody knows yet what is the matter: the next look tells it.  What waits for
 * a look is not reported. */
void disk_forget(struct disk *disk);

#endif
