/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/reader.h"

#include "base/file.h"

#include <errno.h>
#include <libgen.h>
#include <string.h>

int jobfile_read(struct jobfile **out, const char *path, struct error *err)
{
	return jobfile_read_mending(out, path, NULL, err);
}

int jobfile_read_mending(struct jobfile **out, const char *path, FILE *mend,
			 struct error *err)
{
	CLEANUP(free) char *text = malloc(JOBFILE_BYTES_MAX + 1);
	CLEANUP(free) char *copy = strdup(path);
	CLEANUP(free) char *folder = NULL;
	size_t size;
	int r;

	if (!text || !copy)
		return error_set(err, -ENOMEM, "out of memory");
	/* one byte more than is allowed, so that too large a file is seen */
	r = file_read(path, text, JOBFILE_BYTES_MAX + 1, &size, err);
	if (r < 0)
		return r;
	folder = realpath(dirname(copy), NULL);
	if (!folder)
		return error_errno(err, "cannot read the folder of %s", path);
	return jobfile_parse_mending(out, path, text, size, folder, mend, err);
}
