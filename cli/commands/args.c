/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What kubectl has a letter for is known by it here, too. */
static const char *by_letter(const char *word)
{
	return strcmp(word, "-n") == 0   ? "--namespace"
	       : strcmp(word, "-h") == 0 ? "--help"
					 : word;
}

/* One option at argv[0].  Returns how many words it took, or -errno. */
static int read_flag(struct args *args, const struct command *command, int argc,
		     const char *const *argv, struct error *err)
{
	const char *const words[] = {by_letter(argv[0]),
				     argc > 1 ? argv[1] : NULL};
	char advice[64];
	const struct options options = {flags, n_flags, command->bit, advice};
	const struct option_row *row;
	int taken;

	snprintf(advice, sizeof(advice), "'bellows help %s' lists the options",
		 command->name);
	taken = options_read_one(&options, args, argc, words, &row, err);
	if (taken < 0)
		return taken;
	if (row->set & WITH_KUBE)
		args->of_kube = row->name;
	if (row->set & NOT_WITH_KUBE)
		args->not_of_kube = row->name;
	return taken;
}

static bool is_number(const char *word)
{
	return word[0] == '-' && word[1] >= '0' && word[1] <= '9';
}

/* An option says whose coordinator is asked. */
static bool stands_for_job(const struct args *args,
			   const struct command *command)
{
	return !(command->bit & ON_SCHEDULER) &&
	       (args->lookup.connect || args->lookup.state);
}

static int check_words(const struct args *args, const struct command *command,
		       struct error *err)
{
	if (args->help)
		return 0;
	if (args->words.n > command->max_words)
		return error_set(err, -EINVAL,
				 "'%s' is one word too many; usage: bellows "
				 "%s %s",
				 args->words.at[command->max_words],
				 command->name, command->usage);
	if (args->has_command && !(command->bit & (ON_RUN | ON_PROFILE)))
		return error_set(err, -EINVAL,
				 "'--' is for bellows run and bellows profile");
	if (args->words.n < command->min_words &&
	    !(stands_for_job(args, command) || args->schema ||
	      args->has_command))
		return error_set(err, -EINVAL, "usage: bellows %s %s",
				 command->name, command->usage);
	return 0;
}

static int check_place(const struct args *args, struct error *err)
{
	if (args->help)
		return 0;
	if (args->lookup.on && strcmp(args->lookup.on, "kube") != 0)
		return error_set(err, -EINVAL,
				 "--on: '%s' is no place that a job can be in; "
				 "kube is",
				 args->lookup.on);
	if (args->lookup.on && args->not_of_kube)
		return error_set(err, -EINVAL,
				 "--%s does not go with --on kube",
				 args->not_of_kube);
	if (!args->lookup.on && args->of_kube)
		return error_set(err, -EINVAL, "--%s needs --on kube",
				 args->of_kube);
	return 0;
}

/* "-f FILE" is FILE. */
static bool is_file_letter(const struct command *command, const char *word)
{
	return (command->bit & (ON_RUN | ON_VALIDATE)) &&
	       strcmp(word, "-f") == 0;
}

static bool is_option(const struct command *command, const char *word)
{
	return word[0] == '-' && word[1] && !is_number(word) &&
	       !is_file_letter(command, word);
}

int args_read(struct args *args, const struct command *command, int argc,
	      const char *const *argv, struct error *err)
{
	for (int i = 0; i < argc;) {
		int taken = 1;

		if (strcmp(argv[i], "--") == 0) {
			args->has_command = true;
			args->command = &argv[i + 1];
			break;
		}
		if (is_option(command, argv[i]))
			taken = read_flag(args, command, argc - i, argv + i,
					  err);
		else if (!is_file_letter(command, argv[i]) &&
			 option_list_add(&args->words, argv[i]) < 0)
			return error_set(err, -ENOMEM, "out of memory");
		if (taken < 0)
			return taken;
		i += taken;
	}
	if (check_place(args, err) < 0)
		return -EINVAL;
	return check_words(args, command, err);
}

void args_fini(struct args *args)
{
	free(args->words.at);
	free(args->at.at);
	free(args->env.at);
	free(args->after.at);
}
