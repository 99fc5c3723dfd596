/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_SHM_H
#define EXECUTOR_SHM_H

/*
 * Room for the shared memory of ranks
 *
 * Open MPI (4.1, component vader) gives each rank a file of 4 MiB in /dev/shm,
 * and ends ranks that find no room.  A container has 64 MiB there unless it is
 * given more.  Where that is too little, the files go to the directory for
 * temporary files, which is as fast if it is in memory, and works if it is not.
 */

#include "base/error.h"

#include <stdbool.h>

/* Whether dir has room for the segments of so many ranks; if not, err says what
 * it has and what they need. */
bool shm_has_room(const char *dir, unsigned ranks, struct error *err);

#endif
