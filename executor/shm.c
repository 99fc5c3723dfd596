/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/shm.h"

#include <errno.h>
#include <stdint.h>
#include <sys/statvfs.h>

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
