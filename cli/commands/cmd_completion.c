/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/help.h"
#include "cli/views/output.h"
#include "jobfile/exit.h"
#include "runner/state_dir.h"

#include <dirent.h>
#include <string.h>

static void print_jobs(const struct args *args)
{
	struct state_dir root;
	DIR *folder = NULL;

	if (state_dir_root(&root, &args->lookup, NULL) == 0)
		folder = opendir(root.path);
	for (struct dirent *at = folder ? readdir(folder) : NULL; at;
	     at = readdir(folder))
		if (state_dir_is_name(at->d_name))
			puts(at->d_name);
	if (folder)
		closedir(folder);
}

int cmd_completion(const struct args *args, const struct output *output)
{
	const char *what = args->words.at[0];

	if (strcmp(what, "bash") == 0)
		completion_print_bash(stdout);
	else if (strcmp(what, "zsh") == 0)
		completion_print_zsh(stdout);
	else if (strcmp(what, "jobs") == 0)
		print_jobs(args);
	else
		return output_fail(output, EXIT_USAGE,
				   "no script for '%s': bash and zsh are known",
				   what);
	return EXIT_DONE;
}
