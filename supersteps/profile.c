/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/cleanup.h"
#include "base/doubles.h"
#include "supersteps/application_files.h"
#include "supersteps/csv.h"

#include <string.h>

#define NUMBER_MAX 1e12

enum { TASK, WORKLOAD, SHARES, SECONDS, FIELDS };

struct cell {
	double workload, shares, seconds;
};

/* The cells of one task. */
struct cells {
	struct cell *at;
	size_t n, room;
};

struct cell_lists {
	struct cells *of; /* each task */
	unsigned n;
	const struct supersteps_task *tasks;
};

static void cell_lists_fini_at(struct cell_lists *lists)
{
	for (unsigned i = 0; lists->of && i < lists->n; i++)
		free(lists->of[i].at);
	free(lists->of);
}

/* ---- lines ---- */

static struct cells *find_task(const struct cell_lists *lists, const char *name)
{
	for (unsigned i = 0; i < lists->n; i++)
		if (strcmp(lists->tasks[i].name, name) == 0)
			return &lists->of[i];
	return NULL;
}

static int read_cell(struct csv *csv, struct cell *cell)
{
	int r = csv_number(csv, WORKLOAD, "the workload", -NUMBER_MAX,
			   NUMBER_MAX, &cell->workload);

	if (r == 0)
		r = csv_number(csv, SHARES, "the number of shares", 1,
			       NUMBER_MAX, &cell->shares);
	if (r == 0)
		r = csv_number(csv, SECONDS, "the duration", 1e-9, NUMBER_MAX,
			       &cell->seconds);
	return r;
}

/* Lines of other tasks are left out: a profile may be of more than one
 * application. */
static int read_line(void *user, struct csv *csv)
{
	struct cells *cells = find_task(user, csv->fields[TASK]);
	int r;

	if (!cells || csv_is_head(csv, SECONDS))
		return 0;
	if (ARRAY_RESERVE(cells->at, cells->n, cells->room) < 0)
		return error_set(csv->err, -ENOMEM, "out of memory");
	r = read_cell(csv, &cells->at[cells->n]);
	if (r == 0)
		cells->n++;
	return r;
}

/* ---- the grid ---- */

/* The different values among the cells, ascending; their number. */
static size_t find_axis(const struct cells *cells, size_t member,
			double *values)
{
	size_t n = 0;

	for (size_t i = 0; i < cells->n; i++)
		memcpy(&values[i], (const char *)&cells->at[i] + member,
		       sizeof(*values));
	qsort(values, cells->n, sizeof(*values), doubles_compare);
	for (size_t i = 0; i < cells->n; i++)
		if (n == 0 || values[i] != values[n - 1])
			values[n++] = values[i];
	return n;
}

static size_t place_of(const double *values, size_t n, double value)
{
	const double *at =
		bsearch(&value, values, n, sizeof(value), doubles_compare);

	return (size_t)(at - values);
}

struct grid {
	const double *workloads, *shares;
	size_t rows, columns;
	double *seconds;
};

/* A cell that was measured several times is the mean of them. */
static int fill(const struct supersteps_task *task, const struct cells *cells,
		const struct grid *grid, const char *path, struct error *err)
{
	CLEANUP(free)
	unsigned *times = calloc(grid->rows * grid->columns, sizeof(*times));

	if (!times)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < cells->n; i++) {
		const struct cell *cell = &cells->at[i];
		size_t at =
			place_of(grid->workloads, grid->rows, cell->workload) *
				grid->columns +
			place_of(grid->shares, grid->columns, cell->shares);

		times[at]++;
		grid->seconds[at] +=
			(cell->seconds - grid->seconds[at]) / times[at];
	}
	for (size_t at = 0; at < grid->rows * grid->columns; at++)
		if (times[at] == 0)
			return error_set(
				err, -EINVAL,
				"%s: the profile of %s has no line for a "
				"workload of %g with %g shares; each workload "
				"is to be measured with each number of shares",
				path, task->name,
				grid->workloads[at / grid->columns],
				grid->shares[at % grid->columns]);
	return 0;
}

static int make_profile(struct supersteps_task *task, const struct cells *cells,
			const char *path, struct error *err)
{
	CLEANUP(free) double *workloads = calloc(cells->n, sizeof(double));
	CLEANUP(free) double *shares = calloc(cells->n, sizeof(double));
	struct grid grid;
	size_t n;
	int r;

	if (!workloads || !shares)
		return error_set(err, -ENOMEM, "out of memory");
	grid.rows =
		find_axis(cells, offsetof(struct cell, workload), workloads);
	grid.columns = find_axis(cells, offsetof(struct cell, shares), shares);
	if (grid.rows > SHARE_AXIS_MAX || grid.columns > SHARE_AXIS_MAX)
		return error_set(err, -EINVAL,
				 "%s: the profile of %s has %zu workloads and "
				 "%zu numbers of shares, and not at most %d "
				 "of each",
				 path, task->name, grid.rows, grid.columns,
				 SHARE_AXIS_MAX);
	n = grid.rows * grid.columns;
	task->numbers =
		calloc(grid.rows + grid.columns + n +
			       share_profile_room((unsigned)grid.rows,
						  (unsigned)grid.columns),
		       sizeof(double));
	if (!task->numbers)
		return error_set(err, -ENOMEM, "out of memory");
	grid.workloads =
		memcpy(task->numbers, workloads, grid.rows * sizeof(double));
	grid.shares = memcpy(task->numbers + grid.rows, shares,
			     grid.columns * sizeof(double));
	grid.seconds = task->numbers + grid.rows + grid.columns;
	r = fill(task, cells, &grid, path, err);
	if (r < 0)
		return r;
	share_profile_init(
		&task->profile,
		&(struct share_axis){(unsigned)grid.rows, grid.workloads},
		&(struct share_axis){(unsigned)grid.columns, grid.shares},
		grid.seconds, grid.seconds + n);
	return 0;
}

/* ---- the whole ---- */

int supersteps_read_profile(struct supersteps *supersteps, const char *path,
			    struct error *err)
{
	unsigned tasks = supersteps->rules.tasks;
	CLEANUP(cell_lists_fini)
	struct cell_lists lists = {calloc(tasks, sizeof(*lists.of)), tasks,
				   supersteps->tasks};
	int r;

	if (!lists.of)
		return error_set(err, -ENOMEM, "out of memory");
	r = csv_read(path, read_line, &lists, err);
	for (unsigned i = 0; i < tasks && r == 0; i++) {
		struct supersteps_task *task = &supersteps->tasks[i];

		if (lists.of[i].n == 0)
			return error_set(err, -EINVAL,
					 "%s: there is no line of the task %s",
					 path, task->name);
		r = make_profile(task, &lists.of[i], path, err);
	}
	return r;
}
