/* SPDX-License-Identifier: Apache-2.0 */
#include "base/scratch.h"

#include "base/cleanup.h"
#include "base/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define MARK ".bellows"

enum { BOOT_MAX = 64 };

/* ---- the mark ---- */

/* What a small file has; false: it cannot be read, or has nothing. */
static bool read_line(int dir, const char *name, char text[BOOT_MAX])
{
	CLEANUP(close)
	int fd = openat(dir, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, BOOT_MAX - 1);

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static bool read_boot_id(char text[BOOT_MAX])
{
	return read_line(AT_FDCWD, "/proc/sys/kernel/random/boot_id", text);
}

static bool has_mark(int dir)
{
	char boot[BOOT_MAX], mark[BOOT_MAX];

	return read_boot_id(boot) && read_line(dir, MARK, mark) &&
	       strcmp(mark, boot) == 0;
}

static void mark(int dir)
{
	char boot[BOOT_MAX];
	CLEANUP(close) int fd = -1;

	if (!read_boot_id(boot))
		return;
	fd = openat(dir, MARK,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0 && write(fd, boot, strlen(boot)) < 0)
		unlinkat(dir, MARK, 0);
}

/* ---- making ---- */

static int open_dir(int parent, const char *name)
{
	return openat(parent, name,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Without a lock it gets no mark, and is not removed if its maker is killed. */
static int lock(const char *path)
{
	CLEANUP(close) int dir = open_dir(AT_FDCWD, path);

	if (dir < 0 || flock(dir, LOCK_EX | LOCK_NB) < 0)
		return -1;
	mark(dir);
	return STEAL_FD(dir);
}

int scratch_make(struct scratch *scratch, const char *parent,
		 const char *prefix, struct error *err)
{
	*scratch = SCRATCH_NONE;
	if (snprintf(scratch->path, sizeof(scratch->path), "%s/%sXXXXXX",
		     parent, prefix) >= (int)sizeof(scratch->path)) {
		*scratch = SCRATCH_NONE;
		return error_set(err, -ENAMETOOLONG, "%s: the path is too long",
				 parent);
	}
	if (!mkdtemp(scratch->path)) {
		*scratch = SCRATCH_NONE;
		return error_errno(err, "cannot make a directory in %s",
				   parent);
	}
	scratch->lock = lock(scratch->path);
	return 0;
}

/* ---- removing ---- */

int scratch_remove(struct scratch *scratch, struct error *err)
{
	int r = tree_remove_path(scratch->path, err);

	if (scratch->lock >= 0)
		close(scratch->lock);
	*scratch = SCRATCH_NONE;
	return r;
}

/* It may have been removed, and the name be another one's, before it was
 * locked here. */
static bool has_name(int dir, int parent, const char *name)
{
	struct stat own, named;

	return fstat(dir, &own) == 0 && own.st_uid == geteuid() &&
	       fstatat(parent, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

void scratch_sweep(const char *parent, const char *prefix)
{
	CLEANUP(closedir) DIR *list = opendir(parent);
	const struct dirent *entry;

	while (list && (entry = readdir(list))) {
		CLEANUP(close) int dir = -1;

		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		dir = open_dir(dirfd(list), entry->d_name);
		if (dir >= 0 && has_mark(dir) &&
		    flock(dir, LOCK_EX | LOCK_NB) == 0 &&
		    has_name(dir, dirfd(list), entry->d_name))
			tree_remove(dirfd(list), entry->d_name, NULL);
	}
}
