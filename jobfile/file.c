/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/jobfile.h"
#include "jobfile/syntax.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>

static int open_file(const char *path, struct error *err)
{
	CLEANUP(close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno(err, "cannot read %s", path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, -EINVAL, "%s is not a file", path);
	return STEAL_FD(fd);
}

/* One byte more than is allowed, so that too large a file is seen as such. */
static int read_file(const char *path, char *text, size_t *size,
		     struct error *err)
{
	CLEANUP(close) int fd = open_file(path, err);

	if (fd < 0)
		return fd;
	for (*size = 0; *size <= SYNTAX_BYTES_MAX;) {
		ssize_t n =
			read(fd, text + *size, SYNTAX_BYTES_MAX + 1 - *size);

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

int jobfile_read(struct jobfile **out, const char *path, struct error *err)
{
	CLEANUP(free) char *text = malloc(SYNTAX_BYTES_MAX + 1);
	CLEANUP(free) char *copy = strdup(path);
	CLEANUP(free) char *folder = NULL;
	size_t size;
	int r;

	if (!text || !copy)
		return error_set(err, -ENOMEM, "out of memory");
	r = read_file(path, text, &size, err);
	if (r < 0)
		return r;
	folder = realpath(dirname(copy), NULL);
	if (!folder)
		return error_errno(err, "cannot read the folder of %s", path);
	return jobfile_parse(out, path, text, size, folder, err);
}
