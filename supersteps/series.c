/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/cleanup.h"
#include "supersteps/application_files.h"
#include "supersteps/csv.h"

#include <errno.h>
#include <math.h>

#define VALUE_MAX 1e15

/* A table of numbers, as it is read. */
struct numbers {
	double *at;
	size_t n, room;
	unsigned columns; /* of a row */
};

static void numbers_fini_at(struct numbers *numbers)
{
	free(numbers->at);
}

/* The last `columns` fields of a row; 0 columns: all, as many as the first row
 * has. */
static int read_row(void *user, struct csv *csv)
{
	struct numbers *numbers = user;

	if (csv_is_head(csv, csv->n - 1))
		return 0;
	if (numbers->columns == 0)
		numbers->columns = csv->n;
	if (csv->n < numbers->columns)
		return csv_refuse(csv, "the line has %u values, and not %u",
				  csv->n, numbers->columns);
	for (unsigned i = csv->n - numbers->columns; i < csv->n; i++) {
		int r;

		if (ARRAY_RESERVE(numbers->at, numbers->n, numbers->room) < 0)
			return error_set(csv->err, -ENOMEM, "out of memory");
		r = csv_number(csv, i, "the value", -VALUE_MAX, VALUE_MAX,
			       &numbers->at[numbers->n]);
		if (r < 0)
			return r;
		numbers->n++;
	}
	return 0;
}

/* Column `column` of the values, so that the range of the rows first..last-1
 * becomes low..high. */
static int scale_column(double *values, size_t rows, unsigned columns,
			unsigned column, size_t first, size_t last,
			const struct supersteps_scale *scale)
{
	double least = INFINITY, most = -INFINITY;

	if (scale->low == scale->high)
		return 0;
	for (size_t i = first; i < last; i++) {
		least = fmin(least, values[i * columns + column]);
		most = fmax(most, values[i * columns + column]);
	}
	if (!(least < most))
		return -EINVAL;
	for (size_t i = 0; i < rows; i++) {
		double *value = &values[i * columns + column];

		*value = scale->low + (*value - least) / (most - least) *
					      (scale->high - scale->low);
	}
	return 0;
}

/* The row behind those whose range counts. */
static size_t last_of(const struct supersteps_scale *scale, size_t first,
		      size_t rows)
{
	return scale->rows && scale->rows < rows - first ? first + scale->rows
							 : rows;
}

static double mean(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

int supersteps_read_series(struct supersteps_task *task, unsigned steps,
			   const struct supersteps_scale *scale,
			   const char *path, struct error *err)
{
	CLEANUP(numbers_fini) struct numbers numbers = {.columns = 1};
	int r = csv_read(path, read_row, &numbers, err);
	size_t first;

	if (r < 0)
		return r;
	first = scale->first >= 0 ? (size_t)scale->first
				  : numbers.n - (size_t) - (long)scale->first;
	if (first > numbers.n || numbers.n - first < steps)
		return error_set(err, -EINVAL,
				 "%s: the series has %zu values; %u steps from "
				 "row %d on need more",
				 path, numbers.n, steps, scale->first);
	if (scale_column(numbers.at, numbers.n, 1, 0, first,
			 last_of(scale, first, numbers.n), scale) < 0)
		return error_set(err, -EINVAL,
				 "%s: all values are the same, and cannot be "
				 "scaled",
				 path);
	if (isnan(task->usual) && first > 0)
		task->usual = mean(numbers.at, first);
	task->n_past = first;
	task->n = numbers.n - first;
	task->series = STEAL(numbers.at);
	return 0;
}

int supersteps_read_forecast(struct supersteps_task *task, unsigned steps,
			     const struct supersteps_scale *scale,
			     const char *path, struct error *err)
{
	CLEANUP(numbers_fini) struct numbers numbers = {.columns = 0};
	int r = csv_read(path, read_row, &numbers, err);
	size_t rows;

	if (r < 0)
		return r;
	rows = numbers.columns ? numbers.n / numbers.columns : 0;
	if (rows < steps)
		return error_set(err, -EINVAL,
				 "%s: the forecast has %zu rows, and not one "
				 "for each of %u steps",
				 path, rows, steps);
	for (unsigned i = 0; i < numbers.columns; i++)
		if (scale_column(numbers.at, rows, numbers.columns, i, 0,
				 last_of(scale, 0, rows), scale) < 0)
			return error_set(err, -EINVAL,
					 "%s: all values of column %u are the "
					 "same, and cannot be scaled",
					 path, i + 1);
	task->rows = rows;
	task->columns = numbers.columns;
	task->forecast = STEAL(numbers.at);
	return 0;
}
