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
	struct stat st;

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
	if (stat(parent, &st) == 0)
		scratch->parent_owner = st.st_uid;
	return 0;
}

/* ---- making it again ---- */

static bool is_of(int dir, uid_t user)
{
	struct stat st;

	return fstat(dir, &st) == 0 && st.st_uid == user;
}

static bool is_same(int a, int b)
{
	struct stat of_a, of_b;

	return fstat(a, &of_a) == 0 && fstat(b, &of_b) == 0 &&
	       of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* Its parent, which is made too if it is missing: in a directory of everybody
 * another user may have been faster. */
static int open_parent(const struct scratch *scratch, struct error *err)
{
	CLEANUP(close) int dir = -1;
	char path[PATH_MAX];

	memcpy(path, scratch->path, sizeof(path));
	*strrchr(path, '/') = '\0';
	for (char *at = path; *at; at++)
		if (at > path && *at == '/') {
			*at = '\0';
			mkdir(path, 0700);
			*at = '/';
		}
	if (*path)
		mkdir(path, 0700);
	dir = open(*path ? path : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return error_errno(err,
				   "%s was removed and cannot be made again: "
				   "%s",
				   scratch->path, path);
	if (!is_of(dir, geteuid()) && !is_of(dir, scratch->parent_owner))
		return error_set(err, -EPERM,
				 "%s was removed and is not made again: "
				 "another user has made %s meanwhile",
				 scratch->path, path);
	return STEAL_FD(dir);
}

static void lock_again(struct scratch *scratch)
{
	if (scratch->lock >= 0)
		close(scratch->lock);
	scratch->lock = lock(scratch->path);
}

static int make_again(struct scratch *scratch, struct error *err)
{
	CLEANUP(close) int parent = open_parent(scratch, err);

	if (parent < 0)
		return parent;
	if (mkdirat(parent, strrchr(scratch->path, '/') + 1, 0700) < 0)
		return error_errno(err,
				   "%s was removed and cannot be made again",
				   scratch->path);
	lock_again(scratch);
	return 1;
}

int scratch_restore(struct scratch *scratch, struct error *err)
{
	CLEANUP(close) int dir = open_dir(AT_FDCWD, scratch->path);

	if (dir < 0 && errno == ENOENT)
		return make_again(scratch, err);
	if (dir < 0 && errno != ENOTDIR && errno != ELOOP)
		return error_errno(err, "%s", scratch->path);
	if (dir < 0)
		return error_set(err, -EEXIST,
				 "%s was removed and cannot be made again: a "
				 "file has its name",
				 scratch->path);
	if (scratch->lock >= 0 && is_same(dir, scratch->lock))
		return 0;
	if (!is_of(dir, geteuid()))
		return error_set(err, -EPERM,
				 "%s was removed and cannot be made again: a "
				 "directory of another user has its name",
				 scratch->path);
	if (scratch->lock < 0)
		return 0;
	/* made by a program that was told of it, an MPI daemon's as well */
	if (fchmod(dir, 0700) < 0)
		return error_errno(err, "%s", scratch->path);
	lock_again(scratch);
	return 1;
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
