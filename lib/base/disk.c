/* SPDX-License-Identifier: Apache-2.0 */
#include "base/disk.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

enum { BLOCK = 4096 };

/* Opens a file without a name (O_TMPFILE), or one whose name is removed at
 * once. */
static int open_file(const char *dir)
{
	char path[PATH_MAX];
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0 ||
	    (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	if (snprintf(path, sizeof(path), "%s/.bellows-XXXXXX", dir) >=
	    (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static int write_block(int fd, bool sync)
{
	char block[BLOCK];

	memset(block, 1, sizeof(block));
	errno = 0;
	if (pwrite(fd, block, sizeof(block), 0) != (ssize_t)sizeof(block))
		return errno ? -errno : -ENOSPC;
	/* some file systems have nothing to sync, and say EINVAL */
	return sync && fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
}

int disk_try(const char *dir, uint64_t room, bool sync, struct error *err)
{
	CLEANUP(close) int fd = -1;
	struct statvfs st;
	uint64_t left;

	if (statvfs(dir, &st) < 0)
		return error_errno(err, "%s", dir);
	left = (uint64_t)st.f_bavail * st.f_frsize;
	if (left < room && !(st.f_flag & ST_RDONLY))
		return error_set(err, -ENOSPC,
				 "%s: %s: %" PRIu64 " MiB are free, %" PRIu64
				 " are needed",
				 dir, strerror(ENOSPC), left >> 20,
				 (room >> 20) + 1);
	fd = open_file(dir);
	if (fd < 0)
		return error_errno(err, "%s", dir);
	errno = -write_block(fd, sync);
	return errno ? error_errno(err, "%s", dir) : 0;
}

int disk_check_directory(const char *dir, struct error *err)
{
	CLEANUP(close) int fd = -1;
	struct stat st;

	if (stat(dir, &st) < 0)
		return error_errno(err, "%s", dir);
	if (!S_ISDIR(st.st_mode))
		return error_set(err, -ENOTDIR, "%s: it is no directory", dir);
	if (access(dir, R_OK | X_OK) < 0)
		return error_errno(err, "%s", dir);
	fd = open_file(dir);
	if (fd >= 0 || errno == ENOSPC || errno == EDQUOT)
		return 0;
	return error_errno(err, "%s", dir);
}
