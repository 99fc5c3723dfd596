/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/gromacs/files.h"

#include "apps/gromacs/words.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

int files_checkpoint_path(const struct adapter_app *app, char *text,
			  size_t text_size, struct error *err)
{
	size_t n = (size_t)snprintf(text, text_size, "%s/%s",
				    app->checkpoint_dir, FILES_CHECKPOINT);

	return n < text_size
		       ? 0
		       : error_set(err, -E2BIG,
				   "gromacs: the path of the checkpoint is "
				   "longer than %zu bytes",
				   text_size - 1);
}

int files_log_path(const struct adapter_app *app, char *text, size_t text_size,
		   struct error *err)
{
	return words_file(app, "g", "md", ".log", text, text_size, err);
}

/* A descriptor; -ENOENT if there is none. */
int files_open_checkpoint(const struct adapter_app *app, char *path,
			  struct error *err)
{
	int fd, r = files_checkpoint_path(app, path, PATH_MAX, err);

	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd >= 0 ? fd
		       : error_errno(err, "cannot read checkpoint %s", path);
}
