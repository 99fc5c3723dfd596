/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_LAMMPS_NEWEST_H
#define APPS_LAMMPS_NEWEST_H

/* The newest restart file: that of the largest step among the complete ones. */

#include "apps/lammps/names.h"
#include "apps/lammps/restart.h"

/* 0; 1 if there is none; -errno with a sentence if dir cannot be read, or if
 * there are some and none of them is complete: the newest of these is named. */
int newest_find(struct restart_file *out, const char *dir,
		const struct names *names, struct error *err);

/* The name of the complete file of that step: 0, or -ENOENT. */
int newest_name(char name[NAMES_ROOM], const char *dir,
		const struct names *names, uint64_t step, struct error *err);

#endif
