/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/gromacs/options.h"

#include "apps/gromacs/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *why;
} refused[] = {
	{"cpi",
	 "the checkpoint is always " FILES_CHECKPOINT " in the checkpoint "
	 "directory, and is gone on from if it is there"},
	{"cpo",
	 "the checkpoint is always " FILES_CHECKPOINT " in the checkpoint "
	 "directory"},
	{"noappend", "the log and the trajectory are followed under one name"},
	{"cpnum", "the newest checkpoint has to keep its name"},
	{"multidir", "several simulations have as many checkpoints"},
	{"maxh", "the hours would count anew from each start, and a run that "
		 "they end is taken for done; cancel it instead"},
	{"rerun", "a rerun writes no checkpoint"},
	{"ntmpi", "ranks are those of MPI"},
	{"nt", "threads of a rank are -ntomp"},
};

static bool is_no(const char *value)
{
	return value && (strcmp(value, "no") == 0 || strcmp(value, "0") == 0 ||
			 strcmp(value, "false") == 0);
}

static int check_option(const struct argv_option *option, struct error *err)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (strcmp(option->name, refused[i].name) == 0)
			return error_set(err, -EINVAL,
					 "gromacs: the command has -%s; leave "
					 "it out, %s",
					 option->name, refused[i].why);
	if (strcmp(option->name, "append") == 0 && is_no(option->value))
		return error_set(err, -EINVAL,
				 "gromacs: the command has -append %s; leave "
				 "it out, the log and the trajectory are "
				 "followed under one name",
				 option->value);
	if (strcmp(option->name, "cpt") == 0 && option->value &&
	    option->value[0] == '-')
		return error_set(err, -EINVAL,
				 "gromacs: with -cpt %s no checkpoint is ever "
				 "written; minutes, or leave it out",
				 option->value);
	return 0;
}

/* gmx itself runs threads: every rank would be a run of its own. */
static bool is_threads(const char *const *command, size_t first)
{
	for (size_t i = 0; i + 1 < first; i++) {
		const char *slash = strrchr(command[i], '/');

		if (strcmp(slash ? slash + 1 : command[i], "gmx") == 0)
			return true;
	}
	return false;
}

int options_check(const struct adapter_app *app, struct error *err)
{
	size_t first = argv_first_option(app->command), at = first, n = 0;
	struct argv_option option;
	int r = 0;

	if (first == 0)
		return error_set(err, -EINVAL,
				 "gromacs: the command has no mdrun; "
				 "gmx_mpi mdrun and its options");
	if (is_threads(app->command, first))
		return error_set(err, -EINVAL,
				 "gromacs: gmx is not built for MPI; gmx_mpi");
	while (r == 0 && argv_next_option(app->command, &at, &option))
		r = check_option(&option, err);
	while (app->command[n])
		n++;
	if (r == 0 && n > OPTIONS_ARGS_MAX)
		return error_set(err, -EINVAL,
				 "gromacs: the command has %zu arguments; at "
				 "most %d",
				 n, OPTIONS_ARGS_MAX);
	return r;
}

static unsigned long number(const char *text)
{
	return text && *text >= '0' && *text <= '9' ? strtoul(text, NULL, 10)
						    : 0;
}

/* A grid that the command fixes, and ranks for PME beside it. */
int options_accept(const struct adapter_app *app, unsigned ranks,
		   struct error *err)
{
	struct argv_option dd, pme;
	unsigned long pp = 1, npme = 0;

	if (argv_find_option(app->command, "npme", &pme))
		npme = number(pme.value);
	if (npme > 0 && npme >= ranks)
		return error_set(err, -EINVAL,
				 "-npme %lu leaves no rank of %u for the rest",
				 npme, ranks);
	if (!argv_find_option(app->command, "dd", &dd) || dd.n != 4)
		return 0;
	for (size_t i = 1; i < 4; i++)
		pp *= number(app->command[dd.at + i]);
	if (pp == 0 ||
	    (!argv_find_option(app->command, "npme", &pme) && ranks > pp))
		return 0; /* mdrun chooses the rest */
	if (pp + npme != ranks)
		return error_set(err, -EINVAL,
				 "-dd %s %s %s is for %lu ranks, not for %u",
				 app->command[dd.at + 1],
				 app->command[dd.at + 2],
				 app->command[dd.at + 3], pp + npme, ranks);
	return 0;
}
