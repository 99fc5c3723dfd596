/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args.h"

#include "cli/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The flag that "--name" or "--name=value" means to this command. */
static const struct flag *flag_find(const struct command *command,
				    const char *word)
{
	size_t n = strcspn(word, "=");

	for (size_t i = 0; i < n_flags; i++)
		if ((flags[i].commands & command->bit) &&
		    strlen(flags[i].name) == n &&
		    memcmp(flags[i].name, word, n) == 0)
			return &flags[i];
	return NULL;
}

static int words_add(struct words *words, const char *word, size_t room)
{
	if (!words->at)
		words->at = calloc(room, sizeof(*words->at));
	if (!words->at)
		return -ENOMEM;
	words->at[words->n++] = word;
	return 0;
}

static int store(struct args *args, const struct flag *flag, const char *value,
		 size_t room, struct error *err)
{
	void *at = (char *)args + flag->offset;

	switch (flag->kind) {
	case FLAG_SWITCH:
		*(bool *)at = true;
		return 0;
	case FLAG_TEXT:
		*(const char **)at = value;
		return 0;
	case FLAG_COUNT:
		if (text_read_count(at, value) == 0 && *(unsigned *)at > 0)
			return 0;
		return error_set(err, -EINVAL,
				 "--%s: '%s' is not a number of at least 1",
				 flag->name, value);
	case FLAG_DURATION:
		if (text_read_duration(at, value) == 0 && *(msec_t *)at > 0)
			return 0;
		return error_set(
			err, -EINVAL,
			"--%s: '%s' is not a duration such as 500ms, 30s, "
			"5min or 2h",
			flag->name, value);
	case FLAG_LIST:
		return words_add(at, value, room);
	case FLAG_ADAPTER:
		return adapter_files_add(at, value, err);
	}
	return -EINVAL;
}

/* What kubectl has a letter for is known by it here, too. */
static const char *by_letter(const char *word)
{
	return strcmp(word, "-n") == 0   ? "--namespace"
	       : strcmp(word, "-h") == 0 ? "--help"
					 : word;
}

/* One option at argv[0]; the words it took go to *taken. */
static int read_flag(struct args *args, const struct command *command, int argc,
		     const char *const *argv, int *taken, struct error *err)
{
	const char *word = by_letter(argv[0]) + 2;
	const char *value = strchr(word, '=');
	const struct flag *flag = flag_find(command, word);

	*taken = 1;
	if (!flag)
		return error_set(err, -EINVAL,
				 "unknown option '%s'; 'bellows help %s' lists "
				 "the options",
				 argv[0], command->name);
	if (!flag->value && value)
		return error_set(err, -EINVAL, "--%s takes no value",
				 flag->name);
	if (flag->commands & WITH_KUBE)
		args->of_kube = flag->name;
	if (flag->commands & NOT_WITH_KUBE)
		args->not_of_kube = flag->name;
	if (flag->value && value)
		value++;
	if (flag->value && !value) {
		if (argc < 2)
			return error_set(err, -EINVAL, "--%s needs a value: %s",
					 flag->name, flag->value);
		value = argv[1];
		*taken = 2;
	}
	return store(args, flag, value, (size_t)argc, err);
}

static bool is_number(const char *word)
{
	return word[0] == '-' && word[1] >= '0' && word[1] <= '9';
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
	if (args->words.n < command->min_words && !args->connect &&
	    !args->state && !args->schema)
		return error_set(err, -EINVAL, "usage: bellows %s %s",
				 command->name, command->usage);
	if (args->has_command && command->bit != ON_RUN)
		return error_set(err, -EINVAL, "'--' is for bellows run");
	return 0;
}

static int check_place(const struct args *args, struct error *err)
{
	if (args->help)
		return 0;
	if (args->on && strcmp(args->on, "kube") != 0)
		return error_set(err, -EINVAL,
				 "--on: '%s' is no place that a job can be in; "
				 "kube is",
				 args->on);
	if (args->on && args->not_of_kube)
		return error_set(err, -EINVAL,
				 "--%s does not go with --on kube",
				 args->not_of_kube);
	if (!args->on && args->of_kube)
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

int args_read(struct args *args, const struct command *command, int argc,
	      const char *const *argv, struct error *err)
{
	for (int i = 0; i < argc;) {
		int taken = 1, r;

		if (strcmp(argv[i], "--") == 0) {
			args->has_command = true;
			args->command = &argv[i + 1];
			break;
		}
		if (is_file_letter(command, argv[i])) {
			r = 0;
		} else if (strncmp(by_letter(argv[i]), "--", 2) == 0) {
			r = read_flag(args, command, argc - i, argv + i, &taken,
				      err);
		} else if (argv[i][0] == '-' && argv[i][1] &&
			   !is_number(argv[i])) {
			r = error_set(err, -EINVAL,
				      "unknown option '%s'; 'bellows help %s' "
				      "lists the options",
				      argv[i], command->name);
		} else {
			r = words_add(&args->words, argv[i], (size_t)argc);
		}
		if (r < 0)
			return r == -ENOMEM ? error_set(err, r, "out of memory")
					    : r;
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
}
