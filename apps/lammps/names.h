/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_LAMMPS_NAMES_H
#define APPS_LAMMPS_NAMES_H

/*
 * The files of LAMMPS's command restart, as the job file repeats them
 *
 *     restart 1000 melt.*.restart     * is the step
 *     restart 1000 melt.restart       the same as melt.restart.*
 *     restart 1000 a.restart b.restart   written in turn
 *
 * https://docs.lammps.org/restart.html
 */

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for the name of a file; longer than any that can be. */
enum { NAMES_ROOM = 2 * NAME_MAX + 32 };

struct names {
	bool by_step;           /* or else both of two */
	char one[NAME_MAX + 1]; /* by_step: what stands before the step */
	char two[NAME_MAX + 1]; /* by_step: what stands behind it */
};

/* setting: one or two names, with a blank between them; NULL if it is not
 * given.  0 or -EINVAL with a sentence. */
int names_parse(struct names *names, const char *setting, struct error *err);

/* By step only: whether a file of that name belongs to them; *step is what its
 * name says. */
bool names_match(const struct names *names, const char *file, uint64_t *step);

/* By step only: the name of the file of that step. */
void names_of_step(const struct names *names, uint64_t step,
		   char name[NAMES_ROOM]);

#endif
