/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shm.h"

#include "base/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define ROOM     "/dev/shm"
#define PREFIX   "bellows-ranks-"
#define SEGMENT  "vader_segment"
#define VARIABLE "OMPI_MCA_btl_vader_backing_directory"

enum { SEGMENT_MIB = 4, MIB = 1024 * 1024, TRIES = 5 };

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

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

static int open_dir(int parent, const char *name)
{
	return openat(parent, name,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Only segments are removed, so a directory of another program that has the
 * same name stays.  dir is closed, and its lock ends. */
static void drop(int parent, const char *name, int dir)
{
	CLEANUP(closedir) DIR *list = fdopendir(dir);
	const struct dirent *entry;

	if (!list) {
		close(dir);
		return;
	}
	while ((entry = readdir(list)))
		if (begins(entry->d_name, SEGMENT))
			unlinkat(dir, entry->d_name, 0);
	unlinkat(parent, name, AT_REMOVEDIR);
}

static bool is_left(int dir)
{
	struct stat st;

	return dir >= 0 && fstat(dir, &st) == 0 && st.st_uid == geteuid() &&
	       flock(dir, LOCK_EX | LOCK_NB) == 0;
}

static void sweep(void)
{
	CLEANUP(closedir) DIR *list = opendir(ROOM);
	const struct dirent *entry;

	while (list && (entry = readdir(list))) {
		CLEANUP(close) int dir = -1;

		if (!begins(entry->d_name, PREFIX))
			continue;
		dir = open_dir(dirfd(list), entry->d_name);
		if (is_left(dir))
			drop(dirfd(list), entry->d_name, STEAL_FD(dir));
	}
}

/* -EAGAIN: another program that removes old directories has seen this one
 * before it was locked. */
static int try_to_make(struct shm *shm, struct error *err)
{
	CLEANUP(close) int dir = -1;
	struct stat st;

	snprintf(shm->dir, sizeof(shm->dir), ROOM "/" PREFIX "XXXXXX");
	if (!mkdtemp(shm->dir)) {
		*shm->dir = '\0';
		return error_errno(err, ROOM);
	}
	dir = open_dir(AT_FDCWD, shm->dir);
	if (dir < 0 || flock(dir, LOCK_EX | LOCK_NB) < 0 ||
	    fstat(dir, &st) < 0 || st.st_nlink == 0)
		return error_set(err, -EAGAIN, "%s was removed", shm->dir);
	shm->lock = STEAL_FD(dir);
	return 0;
}

static int make(struct shm *shm, unsigned ranks, struct error *err)
{
	int r = -EAGAIN;

	sweep();
	if (!shm_has_room(ROOM, ranks, err))
		return -ENOSPC;
	for (int i = 0; r == -EAGAIN && i < TRIES; i++)
		r = try_to_make(shm, err);
	return r;
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
		 r < 0 ? instead : shm->dir);
	return r < 0;
}

void shm_end(struct shm *shm)
{
	if (shm->lock < 0)
		return;
	drop(AT_FDCWD, shm->dir, shm->lock);
	*shm = SHM_NONE;
}
