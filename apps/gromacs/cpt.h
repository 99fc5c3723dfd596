/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_GROMACS_CPT_H
#define APPS_GROMACS_CPT_H

/*
 * Checkpoints of GROMACS, as far as they have to be understood
 *
 * XDR: a magic number; the version, host and time of the program that
 * wrote it; the format's
 * number; sizes; the step; the state of the system; the output files, each with
 * the position up to which it is of use and the MD5 of what is before it; and a
 * second magic number at the very end.  Nothing seals the state, so what is
 * told of a file is that it is whole, not that no bit of it has changed.
 *
 * Read from files of GROMACS 2022 (format 22) and its sources; up to the step
 * all formats from 14 (GROMACS 4.6) to 23 are the same.
 */

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

struct cpt {
	uint64_t step;
	uint32_t part; /* how many runs made it, from 1 */
	uint64_t mark; /* differs between any two */
	uint64_t bytes;
};

/* path: for sentences.  -EBADMSG if it is no whole checkpoint of a format that
 * is known. */
int cpt_read(struct cpt *out, int fd, const char *path, struct error *err);

/* The position in the log of that name (without folders) from which a run that
 * goes on from the checkpoint writes: 0, 1 if it is not told, -errno. */
int cpt_log_position(off_t *out, int fd, const char *log, struct error *err);

#endif
