/* SPDX-License-Identifier: Apache-2.0 */
#include "supersteps/measuring.h"

#include "base/array.h"
#include "supersteps/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORKLOADS = 5, SHARES = 8 }; /* of an axis that the wish leaves open */
enum { TASK, WORKLOAD, SHARE, SECONDS };

static const char head[] =
	"task,workload,shares,seconds,processor_s,throttled_s\n";

/* ---- the axes ---- */

/* Four digits, as a person would write it. */
static double rounded(double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.4g", value);
	return strtod(text, NULL);
}

static void add_to_axis(double *axis, unsigned *n, double value)
{
	if (*n == 0 || value > axis[*n - 1])
		axis[(*n)++] = value;
}

/* From the smallest to the largest of its steps, at even distances. */
static void spread_workloads(struct measuring_axes *axes,
			     const struct supersteps_task *task)
{
	double low = task->series[0], high = low;

	for (size_t i = 1; i < task->n_past + task->n; i++) {
		low = fmin(low, task->series[i]);
		high = fmax(high, task->series[i]);
	}
	for (unsigned i = 0; i < WORKLOADS; i++)
		add_to_axis(axes->workloads, &axes->n_workloads,
			    rounded(low + (high - low) * i / (WORKLOADS - 1)));
}

/* From the fewest to the most that a task can use, at even ratios. */
static void spread_shares(struct measuring_axes *axes,
			  const struct share_rules *rules, double processors)
{
	double low = rules->least, step = rules->increment;
	double levels = fmin(rules->increments, rules->level_max);
	double high = fmin(low + levels * step, fmax(low, 1000 * processors));

	for (unsigned i = 0; i < SHARES; i++) {
		double at = low * pow(high / low, i / (SHARES - 1.0));

		add_to_axis(axes->shares, &axes->n_shares,
			    low + round((at - low) / step) * step);
	}
}

static int check_axis(const char *what, const double *axis, unsigned n,
		      struct error *err)
{
	for (unsigned i = 1; i < n; i++)
		if (axis[i] <= axis[i - 1])
			return error_set(err, -EINVAL,
					 "%s are to ascend, and %g follows %g",
					 what, axis[i], axis[i - 1]);
	return 0;
}

static int check_wish(const struct measuring_wish *wish,
		      const struct supersteps *supersteps, struct error *err)
{
	const struct measuring_axes *axes = &wish->axes;
	int r = check_axis("workloads", axes->workloads, axes->n_workloads,
			   err);

	if (r == 0)
		r = check_axis("shares", axes->shares, axes->n_shares, err);
	if (r == 0 && axes->n_shares > 0 &&
	    axes->shares[0] > supersteps->rules.least)
		return error_set(err, -EINVAL,
				 "shares are measured from %g on, and a task "
				 "may have %u ('least')",
				 axes->shares[0], supersteps->rules.least);
	return r;
}

/* ---- the cells ---- */

static int add_cell(struct measuring *measuring,
		    const struct measured_cell *cell, struct error *err)
{
	if (ARRAY_RESERVE(measuring->cells, measuring->n, measuring->room) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	measuring->cells[measuring->n++] = *cell;
	return 0;
}

static int make_cells(struct measuring *measuring,
		      const struct measuring_wish *wish, struct error *err)
{
	const struct share_rules *rules = &measuring->of->rules;
	int r = 0;

	for (unsigned task = 0; task < rules->tasks; task++) {
		struct measuring_axes axes = wish->axes;
		unsigned n;

		if (axes.n_workloads == 0)
			spread_workloads(&axes, &measuring->of->tasks[task]);
		if (axes.n_shares == 0)
			spread_shares(&axes, rules, wish->processors);
		n = axes.n_workloads * axes.n_shares;
		for (unsigned i = 0; i < n && r == 0; i++)
			r = add_cell(
				measuring,
				&(struct measured_cell){
					.task = task,
					.workload =
						axes.workloads[i /
							       axes.n_shares],
					.shares =
						axes.shares[i % axes.n_shares]},
				err);
	}
	return r;
}

static void count(struct measured_cell *cell, double seconds)
{
	cell->n++;
	cell->mean += (seconds - cell->mean) / cell->n;
	cell->least = cell->n == 1 ? seconds : fmin(cell->least, seconds);
	cell->most = cell->n == 1 ? seconds : fmax(cell->most, seconds);
}

/* ---- the file ---- */

static int find_task(const struct supersteps *supersteps, const char *name)
{
	for (unsigned i = 0; i < supersteps->rules.tasks; i++)
		if (strcmp(supersteps->tasks[i].name, name) == 0)
			return (int)i;
	return -1;
}

static struct measured_cell *find_cell(struct measuring *measuring, int task,
				       double workload, double shares)
{
	for (size_t i = 0; i < measuring->n; i++) {
		struct measured_cell *cell = &measuring->cells[i];

		if ((int)cell->task == task && cell->workload == workload &&
		    cell->shares == shares)
			return cell;
	}
	return NULL;
}

/* Lines of other tasks are another application's. */
static int read_line(void *user, struct csv *csv)
{
	struct measuring *measuring = user;
	int task = find_task(measuring->of, csv->fields[TASK]);
	struct measured_cell *cell;
	double numbers[SECONDS + 1];
	int r = 0;

	if (task < 0 || csv_is_head(csv, SECONDS))
		return 0;
	for (unsigned i = WORKLOAD; i <= SECONDS && r == 0; i++)
		r = csv_number(csv, i, "the field", -1e12, 1e12, &numbers[i]);
	if (r < 0)
		return r;
	cell = find_cell(measuring, task, numbers[WORKLOAD], numbers[SHARE]);
	if (!cell)
		return csv_refuse(csv,
				  "the task %s was measured with a workload of "
				  "%g and %g shares, which are not measured "
				  "now: the same numbers, or another file",
				  csv->fields[TASK], numbers[WORKLOAD],
				  numbers[SHARE]);
	count(cell, numbers[SECONDS]);
	return 0;
}

/* A line that was not written to its end is removed. */
static int cut_torn_line(struct measuring *measuring, struct error *err)
{
	struct stat st;
	off_t end;
	char last;

	if (fstat(measuring->file, &st) < 0)
		return error_errno(err, "cannot read %s", measuring->path);
	for (end = st.st_size; end > 0; end--)
		if (pread(measuring->file, &last, 1, end - 1) != 1)
			return error_errno(err, "cannot read %s",
					   measuring->path);
		else if (last == '\n')
			break;
	if (end < st.st_size && ftruncate(measuring->file, end) < 0)
		return error_errno(err, "cannot write %s", measuring->path);
	return (int)(end > 0);
}

static int write_all(struct measuring *measuring, const char *text, size_t n,
		     struct error *err)
{
	if (write(measuring->file, text, n) == (ssize_t)n)
		return 0;
	return error_errno(err, "cannot write %s", measuring->path);
}

static int open_file(struct measuring *measuring, struct error *err)
{
	int r;

	measuring->file = open(measuring->path,
			       O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (measuring->file < 0)
		return error_errno(err, "cannot write %s", measuring->path);
	if (flock(measuring->file, LOCK_EX | LOCK_NB) < 0)
		return error_set(err, -EAGAIN,
				 "another program measures into %s",
				 measuring->path);
	r = cut_torn_line(measuring, err);
	if (r == 0)
		return write_all(measuring, head, strlen(head), err);
	return r < 0 ? r : csv_read(measuring->path, read_line, measuring, err);
}

/* ---- the whole ---- */

int measuring_begin(struct measuring *measuring,
		    const struct supersteps *supersteps,
		    const struct measuring_wish *wish, const char *path,
		    struct error *err)
{
	int r = check_wish(wish, supersteps, err);

	*measuring = (struct measuring){.of = supersteps,
					.path = path,
					.repeat = wish->repeat,
					.file = -1};
	if (r == 0)
		r = make_cells(measuring, wish, err);
	return r < 0 ? r : open_file(measuring, err);
}

struct measured_cell *measuring_next(struct measuring *measuring)
{
	struct measured_cell *next = NULL;

	for (size_t i = 0; i < measuring->n; i++)
		if (!next || measuring->cells[i].n < next->n)
			next = &measuring->cells[i];
	return next && next->n < measuring->repeat ? next : NULL;
}

int measuring_add(struct measuring *measuring, struct measured_cell *cell,
		  double seconds, double processor, double throttled,
		  struct error *err)
{
	char line[SUPERSTEPS_NAME_MAX + 200];
	int n = snprintf(line, sizeof(line), "%s,%.12g,%.12g,%.6f,%.6f,%.6f\n",
			 measuring->of->tasks[cell->task].name, cell->workload,
			 cell->shares, seconds, processor, throttled);
	int r = write_all(measuring, line, (size_t)n, err);

	if (r == 0)
		count(cell, seconds);
	return r;
}

size_t measuring_left(const struct measuring *measuring)
{
	size_t left = 0;

	for (size_t i = 0; i < measuring->n; i++)
		if (measuring->cells[i].n < measuring->repeat)
			left += measuring->repeat - measuring->cells[i].n;
	return left;
}

double measured_noise(const struct measured_cell *cell)
{
	return cell->n < 2 ? -1 : (cell->most - cell->least) / cell->mean;
}

void measuring_fini(struct measuring *measuring)
{
	if (measuring->file >= 0)
		close(measuring->file);
	free(measuring->cells);
}
