/* SPDX-License-Identifier: Apache-2.0 */
#include "supersteps/csv.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int csv_refuse(struct csv *csv, const char *fmt, ...)
{
	char sentence[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, args);
	va_end(args);
	return error_set(csv->err, -EINVAL, "%s:%u: %s", csv->path, csv->line,
			 sentence);
}

static int open_file(struct csv *csv)
{
	struct stat st;
	size_t room;
	int r;

	if (stat(csv->path, &st) < 0)
		return error_errno(csv->err, "cannot read %s", csv->path);
	/* one byte more than is allowed, and one for the end of the text */
	room = st.st_size < CSV_BYTES_MAX ? (size_t)st.st_size : CSV_BYTES_MAX;
	csv->text = malloc(room + 2);
	if (!csv->text)
		return error_set(csv->err, -ENOMEM, "out of memory");
	r = file_read(csv->path, csv->text, room + 1, &csv->left, csv->err);
	if (r < 0)
		return r;
	csv->line = 1;
	if (csv->left > CSV_BYTES_MAX)
		return csv_refuse(csv, "the file has more than %d MiB",
				  CSV_BYTES_MAX >> 20);
	csv->line = 0;
	csv->at = csv->text;
	csv->text[csv->left] = '\0';
	return 0;
}

/* Without the blanks around it; the text is changed. */
static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return text;
}

/* The next line, without its end; NULL: there is none. */
static char *take_line(struct csv *csv)
{
	char *line = csv->at, *end;
	size_t taken;

	if (csv->left == 0)
		return NULL;
	end = memchr(line, '\n', csv->left);
	taken = end ? (size_t)(end - line) + 1 : csv->left;
	if (end)
		*end = '\0';
	csv->at += taken;
	csv->left -= taken;
	csv->line++;
	return line;
}

static int split(struct csv *csv, char *line)
{
	char *field;

	csv->n = 0;
	while ((field = strsep(&line, ","))) {
		if (csv->n == CSV_FIELDS_MAX)
			return csv_refuse(csv,
					  "the line has more than %d fields",
					  CSV_FIELDS_MAX);
		csv->fields[csv->n++] = trim(field);
	}
	return 0;
}

/* 1: there is a row; 0: the file is over; -EINVAL. */
static int next_row(struct csv *csv)
{
	char *line;

	while ((line = take_line(csv))) {
		size_t n = (size_t)(csv->at - line);
		int r;

		if (memchr(line, '\0', n - 1))
			return csv_refuse(csv, "the line has a byte 0; this is "
					       "no text");
		line = trim(line);
		if (!*line || *line == '#')
			continue;
		csv->rows++;
		r = split(csv, line);
		return r < 0 ? r : 1;
	}
	return 0;
}

static void csv_fini_at(struct csv *csv)
{
	free(csv->text);
}

int csv_read(const char *path, int (*on_row)(void *user, struct csv *csv),
	     void *user, struct error *err)
{
	CLEANUP(csv_fini) struct csv csv = {.path = path, .err = err};
	int r = open_file(&csv);

	while (r == 0) {
		r = next_row(&csv);
		if (r <= 0)
			return r;
		r = on_row(user, &csv);
	}
	return r;
}

static bool is_number(const char *field, double *out)
{
	char *end;

	*out = strtod(field, &end);
	return *field && !*end && isfinite(*out) &&
	       !field[strspn(field, "+-.0123456789eE")];
}

bool csv_is_head(const struct csv *csv, unsigned i)
{
	double number;

	return csv->rows == 1 && i < csv->n &&
	       !is_number(csv->fields[i], &number);
}

int csv_number(struct csv *csv, unsigned i, const char *what, double min,
	       double max, double *out)
{
	if (i >= csv->n)
		return csv_refuse(csv,
				  "the line has %u fields, and %s is to "
				  "be field %u",
				  csv->n, what, i + 1);
	if (!is_number(csv->fields[i], out))
		return csv_refuse(csv, "%s is '%.40s', and not a number", what,
				  csv->fields[i]);
	if (!(*out >= min && *out <= max))
		return csv_refuse(csv, "%s is %g, and not from %g to %g", what,
				  *out, min, max);
	return 0;
}
