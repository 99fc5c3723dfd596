/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/gromacs/argv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

size_t argv_first_option(const char *const *command)
{
	for (size_t i = 0; command[i] && command[i][0] != '\0'; i++) {
		const char *name = base_name(command[i]);

		if (strcmp(command[i], "mdrun") == 0 ||
		    strncmp(name, "mdrun", 5) == 0)
			return i + 1;
	}
	return 0;
}

/* Its name, NULL if the word is a value: a lone dash and numbers are. */
static const char *option_name(const char *word)
{
	char *end;

	if (word[0] != '-' || word[1] == '\0')
		return NULL;
	strtod(word, &end);
	if (*end == '\0')
		return NULL;
	return word[1] == '-' ? word + 2 : word + 1;
}

bool argv_next_option(const char *const *command, size_t *at,
		      struct argv_option *out)
{
	while (command[*at] && !option_name(command[*at]))
		++*at;
	if (!command[*at])
		return false;
	*out = (struct argv_option){.name = option_name(command[*at]),
				    .at = *at};
	do {
		out->n++;
	} while (command[*at + out->n] && !option_name(command[*at + out->n]));
	if (out->n > 1)
		out->value = command[*at + 1];
	*at += out->n;
	return true;
}

bool argv_find_option(const char *const *command, const char *name,
		      struct argv_option *out)
{
	size_t at = argv_first_option(command);
	struct argv_option word;
	bool found = false;

	while (argv_next_option(command, &at, &word))
		if (strcmp(word.name, name) == 0) {
			*out = word;
			found = true;
		}
	return found;
}

static int put(const struct adapter_app *app, const char *name,
	       const char *extension, char *text, size_t text_size,
	       struct error *err)
{
	bool relative = name[0] != '/';
	int n = snprintf(text, text_size, "%s%s%s%s", relative ? app->dir : "",
			 relative ? "/" : "", name, extension);

	return n >= 0 && (size_t)n < text_size
		       ? 0
		       : error_set(err, -E2BIG,
				   "gromacs: the path of %.80s is too long",
				   name);
}

int argv_path(const struct adapter_app *app, const char *name, char *text,
	      size_t text_size, struct error *err)
{
	return put(app, name, "", text, text_size, err);
}

static bool ends_with(const char *name, const char *extension)
{
	size_t n = strlen(name), of = strlen(extension);

	return n > of && strcmp(name + n - of, extension) == 0;
}

int argv_file(const struct adapter_app *app, const char *option,
	      const char *fallback, const char *extension, char *text,
	      size_t text_size, struct error *err)
{
	struct argv_option word;

	if (argv_find_option(app->command, option, &word) && word.value)
		return put(app, word.value,
			   ends_with(word.value, extension) ? "" : extension,
			   text, text_size, err);
	if (argv_find_option(app->command, "deffnm", &word) && word.value)
		return put(app, word.value, extension, text, text_size, err);
	return put(app, fallback, extension, text, text_size, err);
}
