/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/cm1/replace.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static int write_all(int fd, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, text, size);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			text += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

/* The owner first: a change of it takes rights away. */
static int fill(int fd, const struct stat *like, const char *text, size_t size)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	if ((st.st_uid != like->st_uid || st.st_gid != like->st_gid) &&
	    fchown(fd, like->st_uid, like->st_gid) < 0)
		return -1;
	if (fchmod(fd, like->st_mode & 07777) < 0)
		return -1;
	if (write_all(fd, text, size) < 0)
		return -1;
	return fsync(fd);
}

/* A name is on the disk when its folder is. */
static int sync_folder(char *path)
{
	CLEANUP(close) int fd = -1;

	fd = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -1 : fsync(fd);
}

int replace_file(const char *path, const char *text, size_t size,
		 struct error *err)
{
	CLEANUP(free) char *real = realpath(path, NULL);
	CLEANUP(free) char *beside = NULL;
	CLEANUP(close) int fd = -1;
	struct stat st;
	int r;

	if (!real || stat(real, &st) < 0)
		return error_errno(err, "cannot replace %s", path);
	if (asprintf(&beside, "%s.bellows", real) < 0) {
		beside = NULL;
		return error_set(err, -ENOMEM, "out of memory");
	}
	/* left by one that was killed */
	if (unlink(beside) < 0 && errno != ENOENT)
		return error_errno(err, "cannot remove %s", beside);
	fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_errno(err, "cannot create %s", beside);
	if (fill(fd, &st, text, size) < 0 || rename(beside, real) < 0) {
		r = error_errno(err, "cannot write %s", beside);
		unlink(beside);
		return r;
	}
	if (sync_folder(real) < 0)
		return error_errno(err, "cannot write the folder of %s", path);
	return 0;
}
