/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_GROMACS_ARGV_H
#define APPS_GROMACS_ARGV_H

/*
 * The words of a command that runs mdrun
 *
 *     [wrapper ...] gmx_mpi [-quiet ...] mdrun -s md.tpr -ntomp 1
 *
 * What follows "mdrun" (or a program whose name begins so, as mdrun_mpi) are
 * options, each with the words up to the next one as its values.  As GROMACS
 * has it: one dash or two, no abbreviations, and a number is never an option.
 */

#include "apps/adapter.h"

/* One option: its name without dashes and its first value, borrowed; n words
 * from at on belong to it. */
struct argv_option {
	const char *name;
	const char *value; /* NULL: none */
	size_t at, n;
};

/* Index of the first option; 0 if the command has no mdrun. */
size_t argv_first_option(const char *const *command);

/* The option at index at, which moves on; false at the end.  A word that is no
 * option's is skipped. */
bool argv_next_option(const char *const *command, size_t *at,
		      struct argv_option *out);

/* The last option of that name. */
bool argv_find_option(const char *const *command, const char *name,
		      struct argv_option *out);

/* The path of a file in the working directory, or as it is if absolute.
 * -E2BIG. */
int argv_path(const struct adapter_app *app, const char *name, char *text,
	      size_t text_size, struct error *err);

/* What GROMACS calls the file of an option: its value, or what -deffnm says, or
 * its default name; extension, with its dot, is added where it is missing. */
int argv_file(const struct adapter_app *app, const char *option,
	      const char *fallback, const char *extension, char *text,
	      size_t text_size, struct error *err);

#endif
