/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SHM_H
#define BASE_SHM_H

/*
 * Where the ranks of a host share memory
 *
 * Open MPI (4.1, component vader) gives each rank a file of 4 MiB in /dev/shm
 * and ends ranks that find no room; if its daemon is killed, and now and then
 * if it is not, the files stay.  So the program that starts ranks gives them a
 * directory of their own there, and removes it after them:
 *
 *   /dev/shm/bellows-ranks-x7Gk2q/    see scratch.h
 *
 * A container has 64 MiB in /dev/shm unless it is given more.  Where that is
 * too little, the files go to the directory for temporary files, which is as
 * fast if it is in memory, and works if it is not.
 */

#include "base/scratch.h"

#include <stdbool.h>

struct shm {
	struct scratch dir;
	char word[PATH_MAX + 64]; /* for the ranks' environment; "": none */
};

#define SHM_NONE ((struct shm){.dir = SCRATCH_NONE})

/* Whether dir has room for the segments of so many ranks; if not, err says what
 * it has and what they need. */
bool shm_has_room(const char *dir, unsigned ranks, struct error *err);

/* For so many ranks of one host.  0; or 1 if they get instead, a directory of
 * the caller's, and then err says why. */
int shm_begin(struct shm *shm, unsigned ranks, const char *instead,
	      struct error *err);

/* No rank is left, or none that matters.  Once more does nothing. */
void shm_end(struct shm *shm);

#endif
