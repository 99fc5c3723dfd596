/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/help.h"
#include "cli/views/output.h"
#include "jobfile/exit.h"

int cmd_help(const struct args *args, const struct output *output)
{
	const struct command *command;

	if (args->words.n == 0) {
		help_print(stdout);
		return EXIT_DONE;
	}
	command = command_find(args->words.at[0]);
	if (!command)
		return output_fail(output, EXIT_USAGE,
				   "there is no command '%s'; 'bellows help' "
				   "lists them",
				   args->words.at[0]);
	help_print_command(stdout, command);
	return EXIT_DONE;
}
