/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_PARINT_ARRAY_FILE_H
#define APPS_PARINT_ARRAY_FILE_H

/*
 * The array in its checkpoint file, by all ranks at once
 *
 * Both functions are collective and return the same on every rank; err is
 * filled on rank 0.
 *
 * Saving goes to PATH.tmp: every rank writes its slice and sees it to the disk,
 * all agree that all could, then rank 0 writes the header, renames, and sees
 * the directory to the disk.  So the file at PATH is a whole checkpoint at any
 * moment, and a save that fails leaves the one before.
 */

#include "apps/parint/checkpoint.h"
#include "apps/parint/slice.h"

/* The facts are of the run at hand; magic, digest, time and seal are set here.
 * -errno if it was not written, as a whole and by everyone. */
int array_file_save(const char *path, struct checkpoint_header facts,
		    const struct slice *slice, struct error *err);

/* Fills slice and facts->iteration from the file, which must fit the facts.
 * Returns 1 if there is none; -EBADMSG if it is damaged or of another run. */
int array_file_load(const char *path, struct checkpoint_header *facts,
		    struct slice *slice, struct error *err);

/* What every rank has, added up: the digest of the array. */
uint64_t array_file_digest(uint64_t mine);

#endif
