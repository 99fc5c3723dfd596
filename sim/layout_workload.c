/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/layout_workload.h"

#include "base/array.h"
#include "base/list.h"
#include "base/text.h"
#include "supersteps/csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum column { BENCHMARK, SUBMIT, RANKS, PROFILE, COLUMNS };

static const struct {
	const char *name;
	bool required;
} columns[COLUMNS] = {
	[BENCHMARK] = {"benchmark", true},
	[SUBMIT] = {"submit_s", true},
	[RANKS] = {"ranks", false},
	[PROFILE] = {"profile", false},
};

struct reader {
	struct layout_workload *workload;
	const struct layout_pace *pace;
	unsigned fields;      /* of the first row */
	int columns[COLUMNS]; /* fields; -1: it is not there */
	unsigned line;
};

/* ---- the first row ---- */

static int find_column(struct reader *reader, struct csv *csv, unsigned column)
{
	int *at = &reader->columns[column];

	*at = -1;
	for (unsigned i = 0; i < csv->n; i++) {
		if (strcmp(csv->fields[i], columns[column].name) != 0)
			continue;
		if (*at >= 0)
			return csv_refuse(csv, "there are two columns '%s'",
					  columns[column].name);
		*at = (int)i;
	}
	if (*at < 0 && columns[column].required)
		return csv_refuse(csv,
				  "no column is named '%s'; the first row is "
				  "to name the columns, benchmark and submit_s "
				  "among them",
				  columns[column].name);
	return 0;
}

static int read_head(struct reader *reader, struct csv *csv)
{
	int r = 0;

	reader->fields = csv->n;
	for (unsigned i = 0; i < COLUMNS && r == 0; i++)
		r = find_column(reader, csv, i);
	return r;
}

/* ---- jobs ---- */

static int read_program(const struct reader *reader, struct csv *csv,
			struct layout_job *job)
{
	const char *name = csv->fields[reader->columns[BENCHMARK]];
	const struct layout_program *program =
		layout_program_find(reader->pace, name);
	char known[200] = "";

	if (!program) {
		for (size_t i = 0; i < reader->pace->n; i++)
			text_list_add(known, sizeof(known),
				      reader->pace->programs[i].name);
		return csv_refuse(csv,
				  "how fast the benchmark '%.40s' runs is not "
				  "known; it is of %s, and --pace can name "
				  "others",
				  name, known);
	}
	job->program = (unsigned)(program - reader->pace->programs);
	job->ranks = program->ranks;
	job->profile = program->profile;
	return 0;
}

static int read_ranks(const struct reader *reader, struct csv *csv,
		      struct layout_job *job)
{
	int column = reader->columns[RANKS];
	double ranks;
	int r;

	if (column < 0)
		return 0;
	r = csv_number(csv, (unsigned)column, "the number of ranks", 1,
		       LAYOUT_JOB_RANKS_MAX, &ranks);
	if (r < 0)
		return r;
	if (ranks != floor(ranks))
		return csv_refuse(csv,
				  "the number of ranks is %g, and not a whole "
				  "number",
				  ranks);
	job->ranks = (unsigned)ranks;
	return 0;
}

static int read_profile(const struct reader *reader, struct csv *csv,
			struct layout_job *job)
{
	int column = reader->columns[PROFILE];

	if (column < 0 ||
	    layout_profile_find(&job->profile, csv->fields[column]))
		return 0;
	return csv_refuse(csv,
			  "the profile is '%.40s'; there are network, cpu and "
			  "memory",
			  csv->fields[column]);
}

static int read_job(struct reader *reader, struct csv *csv)
{
	struct layout_workload *workload = reader->workload;
	struct layout_job job = {.line = csv->line};
	int r;

	if (csv->n != reader->fields)
		return csv_refuse(csv,
				  "the line has %u fields, and the first row "
				  "names %u columns",
				  csv->n, reader->fields);
	r = read_program(reader, csv, &job);
	if (r == 0)
		r = csv_number(csv, (unsigned)reader->columns[SUBMIT],
			       "the time of submission", 0, LAYOUT_SECONDS_MAX,
			       &job.submit);
	if (r == 0)
		r = read_ranks(reader, csv, &job);
	if (r == 0)
		r = read_profile(reader, csv, &job);
	if (r < 0)
		return r;
	if (workload->n == LAYOUT_JOBS_MAX)
		return csv_refuse(csv, "the file has more than %d jobs",
				  LAYOUT_JOBS_MAX);
	if (ARRAY_RESERVE(workload->jobs, workload->n, workload->room) < 0)
		return error_set(csv->err, -ENOMEM, "out of memory");
	workload->jobs[workload->n++] = job;
	return 0;
}

static int read_row(void *user, struct csv *csv)
{
	struct reader *reader = user;

	reader->line = csv->line;
	return csv->rows == 1 ? read_head(reader, csv) : read_job(reader, csv);
}

/* ---- the whole ---- */

static int compare(const void *a, const void *b)
{
	const struct layout_job *x = a, *y = b;

	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static void number_jobs(struct layout_workload *workload)
{
	unsigned count[LAYOUT_PROGRAMS_MAX] = {0};

	for (unsigned i = 0; i < workload->n; i++)
		workload->jobs[i].number = count[workload->jobs[i].program]++;
}

int layout_workload_read(struct layout_workload *workload, const char *path,
			 const struct layout_pace *pace, struct error *err)
{
	struct reader reader = {.workload = workload, .pace = pace, .line = 1};
	int r;

	*workload = (struct layout_workload){.path = path};
	r = csv_read(path, read_row, &reader, err);
	if (r < 0)
		return r;
	if (workload->n == 0)
		return error_set(err, -EINVAL,
				 "%s:%u: there is no job to simulate", path,
				 reader.line);
	qsort(workload->jobs, workload->n, sizeof(*workload->jobs), compare);
	number_jobs(workload);
	return 0;
}

void layout_workload_fini(struct layout_workload *workload)
{
	free(workload->jobs);
}
