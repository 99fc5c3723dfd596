/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/tmpdir.h"

#include "base/log.h"
#include "executor/launcher_setup.h"

#include <errno.h>

#define PREFIX "bx-"

int tmpdir_make(struct executor *ex, struct error *err)
{
	int r;

	scratch_sweep(ex->config->tmpdir, PREFIX);
	r = scratch_make(&ex->tmpdir, ex->config->tmpdir, PREFIX, err);
	return r < 0 ? error_wrap(err, r, "--tmpdir") : 0;
}

/* Returns as scratch_restore() does. */
static int restore(struct scratch *scratch, struct error *err)
{
	int r = scratch_restore(scratch, err);

	if (r > 0)
		log_warn("%s was removed: it is made again", scratch->path);
	return r;
}

int tmpdir_restore(struct executor *ex, struct error *err)
{
	int made = restore(&ex->tmpdir, err), r;

	if (made > 0 && ex->sshd) { /* whose files were in it */
		launcher_setup_end(ex);
		launcher_setup_begin(ex);
	}
	if (made < 0)
		return made;
	r = ranks_listen(ex->ranks, err);
	if (r == 0 && *ex->shm.dir.path)
		r = restore(&ex->shm.dir, err);
	return r < 0 ? r : made;
}

bool tmpdir_is_lost(int failure)
{
	return failure == -EEXIST || failure == -EPERM || failure == -EACCES ||
	       failure == -ENOTDIR;
}
