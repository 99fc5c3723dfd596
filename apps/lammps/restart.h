/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_LAMMPS_RESTART_H
#define APPS_LAMMPS_RESTART_H

/*
 * A restart file of LAMMPS, as far as it has to be known
 *
 *     0    "LammpS RestartT", with its zero: 16 bytes
 *     16   int 1, by which the byte order is told
 *     20   int, revision of the format
 *     24   pairs of an int that says what follows and a value:
 *          0 and 4 a text (version, units): its length with the zero, then it
 *          1, 2, 3, 48 an int: the size of LAMMPS's smallint, tagint, bigint
 *          and imageint
 *          5 the step, of the size that 3 told
 *     ...  the rest, for which LAMMPS's own pair styles are needed
 *     -16  the 16 bytes of the beginning again
 *
 * All numbers are the machine's own.  Rank 0 writes the file from its beginning
 * to its end under its final name, so the second mark says that all of it was
 * written; what is cut short lacks it.  (LAMMPS 29 Sep 2021 looks for it and
 * reads on if it is missing.)  There is no checksum.
 *
 * With % in its name a checkpoint is many files, of which the one called base
 * has both marks, an int -1 before the second, and no atoms.  A file that was
 * written by MPI-IO has no second mark.
 */

#include "base/error.h"

#include <stdint.h>

struct restart_file {
	uint64_t step;
	uint64_t bytes;
	uint64_t mark;   /* made of step, size and time of the last change */
	int64_t changed; /* nanoseconds since 1970 */
};

/* 0 if the file is complete; -EBADMSG if it is not or is no restart file, or
 * -errno if it cannot be read: with a sentence that names path. */
int restart_read(struct restart_file *out, const char *path, struct error *err);

#endif
