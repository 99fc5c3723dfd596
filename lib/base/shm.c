/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shm.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#define ROOM     "/dev/shm"
#define PREFIX   "bellows-ranks-"
#define VARIABLE "OMPI_MCA_btl_vader_backing_directory"

enum { SEGMENT_MIB = 4, MIB = 1024 * 1024 };

bool shm_has_room(const char *dir, unsigned ranks, struct error *err)
{
	uint64_t needed = (uint64_t)ranks * (SEGMENT_MIB * (uint64_t)MIB + MIB);
	struct statvfs fs;
	uint64_t room;

	/* a rank alone on its host shares nothing */
	if (ranks < 2)
		return true;
	if (statvfs(dir, &fs) < 0) {
		error_errno(err, "%s", dir);
		return false;
	}
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (room >= needed)
		return true;
	error_set(err, -ENOSPC, "%s has %llu MiB free, %u ranks need %llu", dir,
		  (unsigned long long)room / MIB, ranks,
		  (unsigned long long)needed / MIB);
	return false;
}

static int make(struct shm *shm, unsigned ranks, struct error *err)
{
	scratch_sweep(ROOM, PREFIX);
	if (!shm_has_room(ROOM, ranks, err))
		return -ENOSPC;
	return scratch_make(&shm->dir, ROOM, PREFIX, err);
}

int shm_begin(struct shm *shm, unsigned ranks, const char *instead,
	      struct error *err)
{
	int r;

	*shm = SHM_NONE;
	if (ranks < 2 || getenv(VARIABLE))
		return 0;
	r = make(shm, ranks, err);
	snprintf(shm->word, sizeof(shm->word), VARIABLE "=%s",
		 r < 0 ? instead : shm->dir.path);
	return r < 0;
}

void shm_end(struct shm *shm)
{
	scratch_remove(&shm->dir, NULL);
	*shm = SHM_NONE;
}
