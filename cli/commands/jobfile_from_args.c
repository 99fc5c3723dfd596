/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/jobfile_from_args.h"

#include "base/cleanup.h"
#include "base/options.h"
#include "base/utf8.h"

#include <errno.h>
#include <string.h>

/* A double-quoted scalar (YAML 1.2, 7.3.1) of text that is UTF-8. */
static void put_quoted(FILE *to, const char *text)
{
	fputc('"', to);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(to, "\\x%02x", c);
		else
			fputc(c, to);
	}
	fputc('"', to);
}

static void put_key(FILE *to, const char *key, const char *text)
{
	fprintf(to, "%s: ", key);
	put_quoted(to, text);
	fputc('\n', to);
}

static int check(const struct args *args, struct error *err)
{
	const char *missing = !args->name             ? "--name NAME"
			      : !args->app            ? "--app ADAPTER"
			      : !args->ranks          ? "--ranks N"
			      : !args->checkpoint_dir ? "--checkpoint-dir DIR"
						      : NULL;

	if (missing)
		return error_set(err, -EINVAL,
				 "without a job file, run needs %s", missing);
	if (!args->has_command || !args->command[0])
		return error_set(err, -EINVAL,
				 "the command is missing: -- COMMAND ...");
	for (const char *const *at = args->command; *at; at++)
		if (!utf8_is_text(*at, strlen(*at)))
			return error_set(err, -EINVAL,
					 "an argument of the command is not "
					 "UTF-8");
	return 0;
}

static void put_ranks(FILE *to, const struct args *args)
{
	fprintf(to, "ranks:\n  initial: %u\n", args->ranks);
	if (args->min)
		fprintf(to, "  min: %u\n", args->min);
	if (args->max)
		fprintf(to, "  max: %u\n", args->max);
}

/* KEY=VALUE or WHEN=RANKS: its two halves; the first is to be freed. */
static int halve(const char *flag, const char *word, char **key,
		 const char **value, struct error *err)
{
	const char *equals = strchr(word, '=');

	if (!equals || equals == word || !utf8_is_text(word, strlen(word)))
		return error_set(err, -EINVAL,
				 "--%s: '%s' is not of the form "
				 "%s",
				 flag, word,
				 flag[0] == 'a' ? "30%=4 or 10min=4"
						: "KEY=VALUE");
	*key = strndup(word, (size_t)(equals - word));
	*value = equals + 1;
	return *key ? 0 : error_set(err, -ENOMEM, "out of memory");
}

static int put_schedule(FILE *to, const struct option_list *at,
			struct error *err)
{
	if (at->n)
		fputs("scale:\n  schedule:\n", to);
	for (size_t i = 0; i < at->n; i++) {
		CLEANUP(free) char *when = NULL;
		const char *value;
		unsigned ranks;
		int r = halve("at", at->at[i], &when, &value, err);

		if (r < 0)
			return r;
		if (number_read(&ranks, value) < 0)
			return error_set(err, -EINVAL,
					 "--at: '%s' is not a number of ranks",
					 value);
		fputs("    - {at: ", to);
		put_quoted(to, when);
		fprintf(to, ", ranks: %u}\n", ranks);
	}
	return 0;
}

static int put_environment(FILE *to, const struct option_list *env,
			   struct error *err)
{
	if (env->n)
		fputs("environment:\n", to);
	for (size_t i = 0; i < env->n; i++) {
		CLEANUP(free) char *key = NULL;
		const char *value;
		int r = halve("env", env->at[i], &key, &value, err);

		if (r < 0)
			return r;
		fputs("  ", to);
		put_quoted(to, key);
		fputs(": ", to);
		put_quoted(to, value);
		fputc('\n', to);
	}
	return 0;
}

static int put_all(FILE *to, const struct args *args, const char *dir,
		   struct error *err)
{
	int r;

	put_key(to, "name", args->name);
	put_key(to, "app", args->app);
	fputs("command:\n", to);
	for (const char *const *at = args->command; *at; at++) {
		fputs("  - ", to);
		put_quoted(to, *at);
		fputc('\n', to);
	}
	put_key(to, "dir", dir);
	put_ranks(to, args);
	put_key(to, "checkpoint:\n  dir", args->checkpoint_dir);
	r = put_schedule(to, &args->at, err);
	return r < 0 ? r : put_environment(to, &args->env, err);
}

int jobfile_from_args(char **out, const struct args *args, const char *dir,
		      struct error *err)
{
	CLEANUP(free) char *text = NULL;
	size_t n = 0;
	FILE *to;
	int r;

	r = check(args, err);
	if (r < 0)
		return r;
	to = open_memstream(&text, &n);
	if (!to)
		return error_set(err, -ENOMEM, "out of memory");
	r = put_all(to, args, dir, err);
	if (fclose(to) != 0 && r == 0)
		r = error_set(err, -ENOMEM, "out of memory");
	if (r < 0)
		return r;
	*out = STEAL(text);
	return 0;
}
