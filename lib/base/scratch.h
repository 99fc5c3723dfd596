/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

/*
 * A directory for one process, which is removed even if the process is killed
 *
 *   PARENT/PREFIXx7Gk2q/           locked (flock) while its maker lives
 *   PARENT/PREFIXx7Gk2q/.bellows   the mark: the boot ID of the maker's host
 *
 * What a killed maker has left, the next one of that user on that host removes.
 * The mark is written after the directory was locked.  So a directory that has
 * a mark and no lock has lost its maker, and a directory without a mark, of
 * another program or of an older version, is never removed.  Locks may not
 * reach from one host to another (NFS, Lustre), so a directory that another
 * host made is never removed either.
 *
 * systemd-tmpfiles, which removes old files in /tmp, passes over a locked
 * directory and all that is in it; other cleaners may not.  What they have
 * removed, scratch_restore() makes again.
 */

#include "base/error.h"

#include <limits.h>
#include <sys/types.h>

struct scratch {
	int lock; /* -1: the file system has no locks */
	uid_t parent_owner;
	char path[PATH_MAX]; /* "": there is none */
};

#define SCRATCH_NONE ((struct scratch){.lock = -1})

/* Makes PARENT/PREFIX and six more characters, with mode 0700. */
int scratch_make(struct scratch *scratch, const char *parent,
		 const char *prefix, struct error *err);

/* 0: it is there; 1: it was removed, and is made again under its name, and so
 * is its parent; -EEXIST, -EPERM: its name, or its parent's, is another one's
 * by now. */
int scratch_restore(struct scratch *scratch, struct error *err);

/* Removes it with all that is in it.  Once more does nothing. */
int scratch_remove(struct scratch *scratch, struct error *err);

/* Removes the directories of that prefix whose makers were killed. */
void scratch_sweep(const char *parent, const char *prefix);

#endif
