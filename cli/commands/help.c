/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/help.h"

#include "base/list.h"
#include "jobfile/exit.h"

static const struct {
	int code;
	const char *meaning;
} meanings[] = {
	{EXIT_DONE, "done"},
	{EXIT_USAGE, "the command line is wrong, or an adapter that it names"},
	{EXIT_JOBFILE, "the job file or the workload was refused"},
	{EXIT_UNREACHABLE, "nobody answers, there is no such job, or executors "
			   "never came"},
	{EXIT_INTERNAL, "internal error"},
	{EXIT_SYSTEM, "the system refused: port in use, program missing"},
	{EXIT_CHECKPOINT, "the checkpoint directory cannot be used"},
	{EXIT_RESTARTED, "the application began afresh instead of resuming"},
	{EXIT_SUSPENDED, "saved and stopped; the same command resumes"},
	{EXIT_DECLINED, "declined, or dropped while the ranks computed on"},
	{EXIT_EARLY, "the application ended with 0 before its end"},
	{EXIT_UNREADABLE, "no checkpoint that is kept can be read"},
	{EXIT_SIZE_FAILED, "ranks did not work at the new size"},
	{EXIT_CANCELLED, "cancelled"},
};

static const char *meaning_of(int code)
{
	for (size_t i = 0; i < LENGTH(meanings); i++)
		if (meanings[i].code == code)
			return meanings[i].meaning;
	return "";
}

void help_print(FILE *to)
{
	fputs("Bellows lets MPI programs grow and shrink while they run.\n\n"
	      "Usage: bellows COMMAND [OPTION ...]\n\nCommands:\n",
	      to);
	for (const struct command *at = commands; at->name; at++)
		fprintf(to, "  %-12s%s\n", at->name, at->summary);
	fputs("\nOptions:\n"
	      "  --help      this text; 'bellows help COMMAND' for a command\n"
	      "  --version   the version\n\n"
	      "Example:\n  bellows run heat.yaml\n",
	      to);
}

void help_print_command(FILE *to, const struct command *command)
{
	const struct options options = {
		.rows = flags, .n = n_flags, .set = command->bit};

	fprintf(to, "Usage: bellows %s%s%s [OPTION ...]\n\n%s\n\nOptions:\n",
		command->name, *command->usage ? " " : "", command->usage,
		command->text);
	options_print(to, &options, 22);
	fprintf(to, "\nExample:\n  %s\n\nExit status:\n", command->example);
	for (const int *code = command->codes; *code >= 0; code++)
		fprintf(to, "  %-4d%s\n", *code, meaning_of(*code));
	if (command->bit & (ON_RUN | ON_WATCH))
		fputs("  any other: the application's own\n", to);
}
