/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/lammps/names.h"

#include "apps/lammps/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WANTED                                                                 \
	"one name with * for the step, or two that are written in turn, as "   \
	"in the input's command restart"

static int refuse_name(const char *name, const char *why, struct error *err)
{
	return error_set(err, -EINVAL, "lammps: settings: files: '%.80s' %s",
			 name, why);
}

static int check(const char *name, struct error *err)
{
	if (strchr(name, '/') || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0)
		return refuse_name(name,
				   "is not a name of a file in the checkpoint "
				   "directory; " WANTED,
				   err);
	if (strchr(name, '%'))
		return refuse_name(
			name,
			"has a %, with which LAMMPS writes one file a "
			"rank; " WANTED,
			err);
	if (strstr(name, ".mpiio"))
		return refuse_name(
			name,
			"is written by MPI-IO, and nothing would tell "
			"whether it is complete; a name without .mpiio",
			err);
	return 0;
}

static int parse_one(struct names *names, struct error *err)
{
	char *star = strchr(names->one, '*');

	names->by_step = true;
	if (!star) {
		strcat(names->one, ".");
		names->two[0] = '\0';
		return 0;
	}
	if (strchr(star + 1, '*'))
		return refuse_name(names->one, "has more than one *; " WANTED,
				   err);
	strcpy(names->two, star + 1);
	*star = '\0';
	return 0;
}

int names_parse(struct names *names, const char *setting, struct error *err)
{
	int n, end = 0, r;

	if (!setting)
		return error_set(err, -EINVAL,
				 "lammps: settings: files is missing; the "
				 "restart files that LAMMPS writes into the "
				 "checkpoint directory: " WANTED);
	if (strlen(setting) >= NAME_MAX)
		return refuse_name(setting,
				   "is too long for the name of a file", err);
	n = sscanf(setting, " %255s %255s %n", names->one, names->two, &end);
	if (n < 1 || (n == 2 && setting[end] != '\0'))
		return refuse_name(setting, "is not " WANTED, err);
	r = check(names->one, err);
	if (r == 0 && n == 2)
		r = check(names->two, err);
	if (r < 0)
		return r;
	if (n == 1)
		return parse_one(names, err);
	names->by_step = false;
	if (strchr(names->one, '*') || strchr(names->two, '*') ||
	    strcmp(names->one, names->two) == 0)
		return refuse_name(setting, "is not " WANTED, err);
	return 0;
}

bool names_match(const struct names *names, const char *file, uint64_t *step)
{
	size_t before = strlen(names->one), after = strlen(names->two);
	size_t n = strlen(file);
	char digits[24];

	if (n <= before + after || n - before - after >= sizeof(digits) ||
	    strncmp(file, names->one, before) != 0 ||
	    strcmp(file + n - after, names->two) != 0)
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)(n - before - after),
		 file + before);
	/* LAMMPS writes none before others */
	return number_read(digits, step) &&
	       (digits[0] != '0' || digits[1] == '\0');
}

void names_of_step(const struct names *names, uint64_t step,
		   char name[NAMES_ROOM])
{
	snprintf(name, NAMES_ROOM, "%s%" PRIu64 "%s", names->one, step,
		 names->two);
}
