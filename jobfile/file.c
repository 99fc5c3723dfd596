/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/reader.h"

#include "base/file.h"

#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>

/* *out: absolute, made with malloc(). */
static int find_folder(char **out, const char *path, const char *folder,
		       struct error *err)
{
	CLEANUP(free) char *copy = strdup(path);
	struct stat st;

	if (!copy)
		return error_set(err, -ENOMEM, "out of memory");
	*out = realpath(folder ? folder : dirname(copy), NULL);
	if (!*out && folder)
		return error_errno(err, "the folder %s", folder);
	if (!*out)
		return error_errno(err, "cannot read the folder of %s", path);
	if (stat(*out, &st) == 0 && !S_ISDIR(st.st_mode))
		return error_set(err, -EINVAL, "the folder %s is no directory",
				 folder);
	return 0;
}

int jobfile_read(struct jobfile **out, const char *path, const char *folder,
		 struct error *err)
{
	return jobfile_read_mending(out, path, folder, NULL, err);
}

int jobfile_read_mending(struct jobfile **out, const char *path,
			 const char *folder, FILE *mend, struct error *err)
{
	CLEANUP(free) char *text = malloc(JOBFILE_BYTES_MAX + 1);
	CLEANUP(free) char *dir = NULL;
	size_t size;
	int r;

	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	/* one byte more than is allowed, so that too large a file is seen */
	r = file_read(path, text, JOBFILE_BYTES_MAX + 1, &size, err);
	if (r < 0)
		return r;
	r = find_folder(&dir, path, folder, err);
	return r < 0 ? r
		     : jobfile_parse_mending(out, path, text, size, dir, mend,
					     err);
}
