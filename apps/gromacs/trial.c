/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/gromacs/trial.h"

#include "apps/gromacs/argv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Options that name files to be read: their paths are made absolute, for the
 * trial runs in another folder. */
static const char *const inputs[] = {
	"table", "tablep", "tableb", "rerun", "ei",
	"awh",   "membed", "mp",     "mn",    NULL,
};

/* Options that a trial leaves out: files to be written, how long it runs and
 * how much it prints. */
static const char *const dropped[] = {
	"s",      "o",       "x",      "c",       "e",         "g",    "dhdl",
	"field",  "tpi",     "tpid",   "eo",      "px",        "pf",   "ro",
	"ra",     "rs",      "rt",     "mtx",     "if",        "swap", "cpo",
	"cpi",    "deffnm",  "nsteps", "cpt",     "v",         "nov",  "cpnum",
	"append", "nocpnum", "maxh",   "confout", "noconfout", NULL,
};

/* What is being put together. */
struct list {
	const struct adapter_app *app;
	const char **argv;
	size_t n;
	char *text;
	size_t room;
};

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

static int add(struct list *list, const char *word, struct error *err)
{
	if (list->n + 1 >= ADAPTER_ARGS_MAX)
		return error_set(err, -E2BIG,
				 "gromacs: the command has more than %d "
				 "arguments",
				 ADAPTER_ARGS_MAX - 1);
	list->argv[list->n++] = word;
	list->argv[list->n] = NULL;
	return 0;
}

/* The text that was just put at list->text. */
static int add_text(struct list *list, struct error *err)
{
	const char *word = list->text;
	size_t n = strlen(word) + 1;

	list->text += n;
	list->room -= n;
	return add(list, word, err);
}

static int add_path(struct list *list, const char *word, struct error *err)
{
	int r;

	if (word[0] == '/')
		return add(list, word, err);
	r = argv_path(list->app, word, list->text, list->room, err);
	return r < 0 ? r : add_text(list, err);
}

/* Programs up to mdrun; those that are looked up in PATH stay as they are. */
static int add_programs(struct list *list, size_t n, struct error *err)
{
	const char *const *command = list->app->command;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = strchr(command[i], '/') ? add_path(list, command[i], err)
					    : add(list, command[i], err);
	return r;
}

static int add_option(struct list *list, const struct argv_option *word,
		      struct error *err)
{
	const char *const *command = list->app->command;
	bool input = is_one_of(word->name, inputs);
	int r;

	if (is_one_of(word->name, dropped))
		return 0;
	r = add(list, command[word->at], err);
	for (size_t i = 1; r == 0 && i < word->n; i++)
		r = input ? add_path(list, command[word->at + i], err)
			  : add(list, command[word->at + i], err);
	return r;
}

int trial_command(const struct adapter_app *app,
		  const char *argv[ADAPTER_ARGS_MAX], char *text,
		  size_t text_size, struct error *err)
{
	static const char *const ours[] = {
		"-nsteps", "0", "-deffnm", "trial", "-noconfout", "-s",
	};
	struct list list = {
		.app = app, .argv = argv, .text = text, .room = text_size};
	size_t at = argv_first_option(app->command);
	struct argv_option word;
	int r = add_programs(&list, at, err);

	while (r == 0 && argv_next_option(app->command, &at, &word))
		r = add_option(&list, &word, err);
	for (size_t i = 0; r == 0 && i < sizeof(ours) / sizeof(ours[0]); i++)
		r = add(&list, ours[i], err);
	if (r == 0)
		r = argv_file(app, "s", "topol", ".tpr", list.text, list.room,
			      err);
	return r < 0 ? r : add_text(&list, err);
}

/* ---- why not ---- */

/* The line behind one that ends with "error:" or is of that kind. */
static const char *find_error(const char *output)
{
	static const char *const titles[] = {
		"Fatal error:\n",
		"Inconsistency in user input:\n",
		"Error in user input:\n",
		"Feature not implemented:\n",
		"File input/output error:\n",
	};
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
		const char *at = strstr(output, titles[i]);

		if (at && (!first || at < first))
			first = at;
	}
	return first ? strchr(first, '\n') + 1 : NULL;
}

bool trial_reason(const char *output, char *text, size_t text_size)
{
	const char *at = find_error(output);
	size_t n = 0;

	if (!at || text_size == 0)
		return false;
	for (; *at && !(at[0] == '\n' && (at[1] == '\n' || at[1] == '\0'));
	     at++) {
		bool blank = *at == '\n' || *at == ' ';

		if (n + 1 >= text_size)
			break;
		if (!blank || (n > 0 && text[n - 1] != ' '))
			text[n++] = blank ? ' ' : *at;
	}
	text[n] = '\0';
	return n > 0;
}

bool trial_passes(const char *output)
{
	const char *at = output;
	int n = 0;

	if (find_error(output))
		return false;
	while (n == 0 && (at = strstr(at, "\nUsing ")))
		sscanf(at++, "\nUsing %*u MPI process%n", &n);
	return n > 0;
}
