/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/gromacs/checkpoint_find.h"

#include "apps/gromacs/files.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

static int look(const struct adapter_app *app, const char *name,
		struct found_checkpoint *out, struct error *err)
{
	char path[PATH_MAX];
	CLEANUP(close) int fd = files_open(app, name, path, err);

	if (fd < 0)
		return fd;
	out->name = name;
	return cpt_read(&out->cpt, fd, path, err);
}

int checkpoint_find(const struct adapter_app *app, struct found_checkpoint *out,
		    struct error *err)
{
	int r = look(app, FILES_CHECKPOINT, out, err);

	if ((r == -ENOENT || r == -EBADMSG) &&
	    look(app, FILES_FORMER, out, NULL) == 0)
		return 0;
	return r;
}

static int move(int dir, const char *from, const char *to)
{
	return renameat(dir, from, dir, to) < 0 && errno != ENOENT ? -1 : 0;
}

/* Where there are no links it is moved: then it is the only one. */
static int link_or_move(int dir, const char *from, const char *to)
{
	if (linkat(dir, from, dir, to, 0) == 0)
		return 0;
	return renameat(dir, from, dir, to);
}

int checkpoint_put_in_place(const struct adapter_app *app,
			    const struct found_checkpoint *found,
			    struct error *err)
{
	CLEANUP(close) int dir = -1;

	if (strcmp(found->name, FILES_CHECKPOINT) == 0)
		return 0;
	dir = open(app->checkpoint_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || move(dir, FILES_CHECKPOINT, FILES_DAMAGED) < 0 ||
	    link_or_move(dir, found->name, FILES_CHECKPOINT) < 0)
		return error_errno(err, "cannot put %s in place of %s in %s",
				   found->name, FILES_CHECKPOINT,
				   app->checkpoint_dir);
	return 0;
}
