/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

int file_open(const char *path, struct error *err)
{
	CLEANUP(close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno(err, "cannot read %s", path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, -EINVAL, "%s is not a file", path);
	return STEAL_FD(fd);
}

int file_read(const char *path, char *text, size_t room, size_t *size,
	      struct error *err)
{
	CLEANUP(close) int fd = file_open(path, err);

	if (fd < 0)
		return fd;
	for (*size = 0; *size < room;) {
		ssize_t n = read(fd, text + *size, room - *size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(err, "cannot read %s", path);
		if (n == 0)
			break;
		*size += (size_t)n;
	}
	return 0;
}

static int write_all(int fd, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t k = write(fd, text, size);

		if (k < 0 && errno != EINTR)
			return -errno;
		if (k > 0) {
			text += k;
			size -= (size_t)k;
		}
	}
	return 0;
}

/* Some file systems have nothing to sync, and say EINVAL. */
static int sync_descriptor(int fd)
{
	return fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
}

static int replace(int folder, const char *path, mode_t mode, const char *text,
		   size_t size, bool sync, struct error *err)
{
	CLEANUP(close) int fd = -1;
	char beside[PATH_MAX];
	int r;

	if (snprintf(beside, sizeof(beside), "%s.%d.new", path,
		     (int)getpid()) >= (int)sizeof(beside))
		return error_set(err, -ENAMETOOLONG, "%s: name too long", path);
	/* of one that was killed: in a container the numbers are the same */
	unlinkat(folder, beside, 0);
	fd = openat(folder, beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    mode);
	if (fd < 0)
		return error_errno(err, "%s", path);
	r = write_all(fd, text, size);
	if (r == 0 && sync)
		r = sync_descriptor(fd);
	if (r == 0 && renameat(folder, beside, folder, path) < 0)
		r = -errno;
	if (r < 0) {
		unlinkat(folder, beside, 0);
		errno = -r;
		return error_errno(err, "%s", path);
	}
	return 0;
}

int file_replace_at(int folder, const char *path, mode_t mode, const char *text,
		    size_t size, struct error *err)
{
	return replace(folder, path, mode, text, size, false, err);
}

int file_replace(const char *path, mode_t mode, const char *text, size_t size,
		 struct error *err)
{
	return replace(AT_FDCWD, path, mode, text, size, false, err);
}

int file_keep(const char *path, mode_t mode, const char *text, size_t size,
	      struct error *err)
{
	int r = replace(AT_FDCWD, path, mode, text, size, true, err);

	return r < 0 ? r : file_sync_name(path, err);
}

static int find_folder(const char *path, char folder[PATH_MAX],
		       struct error *err)
{
	char *slash;

	if (strlen(path) >= PATH_MAX)
		return error_set(err, -ENAMETOOLONG, "%s: name too long", path);
	strcpy(folder, path);
	slash = strrchr(folder, '/');
	if (!slash)
		strcpy(folder, ".");
	else
		slash[slash == folder] = '\0';
	return 0;
}

int file_sync_name(const char *path, struct error *err)
{
	char folder[PATH_MAX];
	int r = find_folder(path, folder, err);
	CLEANUP(close)
	int fd = r < 0 ? -1 : open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);

	if (r < 0)
		return r;
	r = fd < 0 ? -errno : sync_descriptor(fd);
	return r < 0 ? error_set(err, r, "cannot sync %s: %s", folder,
				 strerror(-r))
		     : 0;
}

int file_check(const char *path, struct error *err)
{
	char folder[PATH_MAX];
	int r = find_folder(path, folder, err);

	if (r == 0 && access(folder, W_OK) < 0)
		r = error_errno(err, "%s cannot be written in %s", path,
				folder);
	return r;
}
