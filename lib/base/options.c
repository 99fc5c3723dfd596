/* SPDX-License-Identifier: Apache-2.0 */
#include "base/options.h"

#include "base/duration.h"
#include "base/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	NUMBER_MAX = 1000000,
	COLUMNS = 79,
};

/* ---- values ---- */

int number_read(unsigned *out, const char *text)
{
	unsigned value = 0;

	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		value = value * 10 + (unsigned)(*text - '0');
		if (value > NUMBER_MAX)
			return -EINVAL;
	}
	*out = value;
	return 0;
}

int option_list_add(struct option_list *list, const char *word)
{
	const char **at = realloc(list->at, (list->n + 1) * sizeof(*at));

	if (!at)
		return -ENOMEM;
	list->at = at;
	list->at[list->n++] = word;
	return 0;
}

static int read_number(const struct option_row *row, unsigned *out,
		       const char *text, struct error *err)
{
	unsigned value = 0;
	bool is_number = number_read(&value, text) == 0;

	if (row->max == 0 && (!is_number || value == 0))
		return error_set(err, -EINVAL,
				 "--%s: '%s' is not a number of at least 1",
				 row->name, text);
	if (row->max != 0 &&
	    (!is_number || value < row->min || value > row->max))
		return error_set(err, -EINVAL,
				 "--%s: '%s' is not a number from %u to %u",
				 row->name, text, row->min, row->max);
	*out = value;
	return 0;
}

static int read_seconds(const struct option_row *row, msec_t *out,
			const char *text, struct error *err)
{
	unsigned seconds = 0;
	int r = read_number(row, &seconds, text, err);

	if (r == 0)
		*out = SECONDS(seconds);
	return r;
}

static int read_duration(const struct option_row *row, msec_t *out,
			 const char *text, struct error *err)
{
	const double year = (double)MINUTES(60) * 24 * 365;
	double value;

	if (!duration_read(&value, text) && value >= 1 && value <= year) {
		*out = (msec_t)(value + 0.5);
		return 0;
	}
	return error_set(err, -EINVAL,
			 "--%s: '%s' is not a duration such as 500ms, 30s, "
			 "5min or 2h",
			 row->name, text);
}

static int store(const struct option_row *row, void *base, const char *text,
		 struct error *err)
{
	void *member = (char *)base + row->offset;

	switch (row->kind) {
	case OPTION_SWITCH:
		*(bool *)member = true;
		return 0;
	case OPTION_TEXT:
		*(const char **)member = text;
		return 0;
	case OPTION_NUMBER:
		return read_number(row, member, text, err);
	case OPTION_SECONDS:
		return read_seconds(row, member, text, err);
	case OPTION_DURATION:
		return read_duration(row, member, text, err);
	case OPTION_LIST:
		return option_list_add(member, text) < 0
			       ? error_set(err, -ENOMEM, "out of memory")
			       : 0;
	case OPTION_OTHER:
		return row->read(member, text, err);
	}
	return -EINVAL;
}

/* ---- words ---- */

static bool is_row_of(const struct options *options,
		      const struct option_row *row)
{
	return options->set == 0 || (row->set & options->set);
}

/* The row that "name" or "name=value" means. */
static const struct option_row *find(const struct options *options,
				     const char *word)
{
	size_t n = strcspn(word, "=");

	for (size_t i = 0; i < options->n; i++) {
		const struct option_row *row = &options->rows[i];

		if (is_row_of(options, row) && strlen(row->name) == n &&
		    memcmp(row->name, word, n) == 0)
			return row;
	}
	return NULL;
}

int options_read_one(const struct options *options, void *base, int argc,
		     const char *const *argv, const struct option_row **row,
		     struct error *err)
{
	const char *word = argv[0], *value = strchr(word, '=');
	int taken = 1, r;

	*row = strncmp(word, "--", 2) == 0 ? find(options, word + 2) : NULL;
	if (!*row)
		return error_set(err, -EINVAL, "unknown option '%s'; %s", word,
				 options->advice);
	if (!(*row)->value && value)
		return error_set(err, -EINVAL, "--%s takes no value",
				 (*row)->name);
	if (value) {
		value++;
	} else if ((*row)->value) {
		if (argc < 2)
			return error_set(err, -EINVAL, "--%s needs a value: %s",
					 (*row)->name, (*row)->value);
		value = argv[1];
		taken = 2;
	}
	r = store(*row, base, value, err);
	return r < 0 ? r : taken;
}

int options_read(const struct options *options, void *base, int argc,
		 char *const *argv, struct error *err)
{
	for (int i = 1; i < argc;) {
		const struct option_row *row;
		int taken;

		if (argv[i][0] != '-')
			return error_set(err, -EINVAL,
					 "'%s': no argument is expected; %s",
					 argv[i], options->advice);
		taken = options_read_one(options, base, argc - i,
					 (const char *const *)argv + i, &row,
					 err);
		if (taken < 0)
			return taken;
		i += taken;
	}
	return 0;
}

/* ---- help ---- */

/* The text from column on, in lines that end before COLUMNS. */
static void print_wrapped(FILE *to, const char *text, unsigned column)
{
	size_t room = COLUMNS - column;

	while (strlen(text) > room) {
		size_t n = room;

		while (n > 0 && text[n] != ' ')
			n--;
		if (n == 0)
			n = room;
		fprintf(to, "%.*s\n%*s", (int)n, text, (int)column, "");
		text += n;
		text += *text == ' ';
	}
	fprintf(to, "%s\n", text);
}

void options_print(FILE *to, const struct options *options, unsigned width)
{
	for (size_t i = 0; i < options->n; i++) {
		const struct option_row *row = &options->rows[i];
		char left[64];

		if (!is_row_of(options, row))
			continue;
		snprintf(left, sizeof(left), "--%s%s%s", row->name,
			 row->value ? " " : "", row->value ? row->value : "");
		fprintf(to, "  %-*s", (int)width, left);
		if (strlen(left) >= width)
			fprintf(to, "\n  %*s", (int)width, "");
		print_wrapped(to, row->help, width + 2);
	}
}
