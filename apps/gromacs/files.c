/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/gromacs/files.h"

#include "apps/gromacs/argv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

static int put_path(const struct adapter_app *app, const char *name, char *text,
		    size_t text_size, struct error *err)
{
	size_t n = (size_t)snprintf(text, text_size, "%s/%s",
				    app->checkpoint_dir, name);

	return n < text_size
		       ? 0
		       : error_set(err, -E2BIG,
				   "gromacs: the path of the checkpoint is "
				   "longer than %zu bytes",
				   text_size - 1);
}

int files_checkpoint_path(const struct adapter_app *app, char *text,
			  size_t text_size, struct error *err)
{
	return put_path(app, FILES_CHECKPOINT, text, text_size, err);
}

int files_log_path(const struct adapter_app *app, char *text, size_t text_size,
		   struct error *err)
{
	return argv_file(app, "g", "md", ".log", text, text_size, err);
}

int files_open(const struct adapter_app *app, const char *name, char *path,
	       struct error *err)
{
	int fd, r = put_path(app, name, path, PATH_MAX, err);

	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd >= 0 ? fd
		       : error_errno(err, "cannot read checkpoint %s", path);
}
