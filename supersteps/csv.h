/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERSTEPS_CSV_H
#define SUPERSTEPS_CSV_H

/*
 * Numbers in comma-separated values
 *
 * A line is a row of fields without quotes; blanks around a field do not count,
 * and lines that are blank or begin with '#' are no rows.  What is wrong is
 * told as "PATH:LINE: what is wrong".
 */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { CSV_FIELDS_MAX = 64, CSV_BYTES_MAX = 64 << 20 };

struct csv {
	const char *path;
	struct error *err;
	char *text, *at; /* the file; the next line */
	size_t left;     /* bytes from there */
	unsigned line;   /* of the row; from 1 */
	unsigned rows;   /* that were read */
	const char *fields[CSV_FIELDS_MAX];
	unsigned n; /* fields of the row */
};

/* Calls `on_row` with each row of the file, until it returns no 0, and returns
 * that; or -errno, of what cannot be read. */
int csv_read(const char *path, int (*on_row)(void *user, struct csv *csv),
	     void *user, struct error *err);

/* Field i, from 0, as a number from min to max; -EINVAL. */
int csv_number(struct csv *csv, unsigned i, const char *what, double min,
	       double max, double *out);

/* The first row is names of columns: its field i is no number. */
bool csv_is_head(const struct csv *csv, unsigned i);

/* -EINVAL with the sentence, which begins with the place of the row. */
int csv_refuse(struct csv *csv, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
