/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/supersteps/run/options.h"

#include "base/list.h"
#include "base/options.h"

#include <errno.h>
#include <string.h>

#define TEXT(member, word, what)                                               \
	{                                                                      \
		.name = #member, .value = word, .kind = OPTION_TEXT,           \
		.offset = offsetof(struct run_options, member), .help = what   \
	}

static int read_way(void *member, const char *text, struct error *err)
{
	static const char *const names[] = {
		[SHARE_BY_GROUPS] = "groups",
		[SHARE_BY_PODS] = "pods",
		[SHARE_BY_NOTHING] = "nothing",
	};
	enum share_way *way = member;

	for (unsigned i = 0; i < LENGTH(names); i++) {
		if (strcmp(names[i], text) != 0)
			continue;
		*way = (enum share_way)i;
		return 0;
	}
	return error_set(err, -EINVAL,
			 "'%.40s' is none of groups, pods and nothing", text);
}

static const struct option_row rows[] = {
	TEXT(checkpoint, "DIR",
	     "save there after each step, and go on from it"),
	TEXT(planner, "NAME", "how shares are planned (default: scenario)"),
	TEXT(forecast, "NAME",
	     "what is expected of workloads (default: given, or "
	     "autoregressive)"),
	TEXT(weights, "FILE",
	     "what the planner learned has learned, of 'bellows simulate "
	     "--train'"),
	TEXT(group, "GROUP",
	     "control group in which each task has its own (default: that of "
	     "this program)"),
	TEXT(log, "FILE", "append each step of each task, as CSV"),
	{.name = "by",
	 .value = "WHAT",
	 .kind = OPTION_OTHER,
	 .offset = offsetof(struct run_options, way),
	 .read = read_way,
	 .help = "what limits tasks: groups (default: a control group for "
		 "each), pods (the pod of a rank is resized), nothing (shares "
		 "are planned alone)"},
	OPTION_ROWS_OF_ALL(struct run_options),
};

static const struct options table = {
	.rows = rows,
	.n = LENGTH(rows),
	.advice = "'bellows-supersteps --help' lists the options",
};

int run_options_read(struct run_options *options, int argc, char **argv,
		     struct error *err)
{
	int r;

	*options = (struct run_options){.planner = "scenario"};
	if (argc > 1 && argv[1][0] != '-') {
		options->file = argv[1];
		argc--;
		argv++;
	}
	r = options_read(&table, options, argc, argv, err);
	if (r < 0 || options->help || options->version)
		return r;
	if (!options->file)
		return error_set(err, -EINVAL,
				 "the file of the application is to be the "
				 "first word");
	return 0;
}

void run_options_help(void)
{
	puts("usage: mpiexec -n RANKS bellows-supersteps FILE [OPTION...]\n\n"
	     "Runs the tasks of FILE in supersteps: each step begins when all "
	     "tasks of the\none before have ended, and the processors are "
	     "shared out anew between them.\n");
	options_print(stdout, &table, 24);
}
