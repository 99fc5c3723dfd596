/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/layout_chart.h"

#include "base/array.h"
#include "base/text.h"
#include "cli/views/svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Later times than a drawing can have are at its end. */
static usec_t time_of(double seconds)
{
	return (usec_t)(fmin(seconds, 1e12) * 1e6);
}

static int compare(const void *a, const void *b)
{
	const struct sim_span *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static int find_spans(struct sim_spans *spans, const struct layout_row *row)
{
	const struct layout_workload *workload = row->workload;

	if (sim_spans_init(spans, workload->n) < 0)
		return -ENOMEM;
	spans->at = calloc(workload->n, sizeof(*spans->at));
	if (!spans->at)
		return -ENOMEM;
	spans->n = spans->room = workload->n;
	for (unsigned i = 0; i < workload->n; i++) {
		const struct layout_job *job = &workload->jobs[i];
		const struct layout_outcome *outcome = &row->outcomes[i];

		spans->jobs[i].submitted = time_of(job->submit);
		spans->jobs[i].started = time_of(outcome->start);
		spans->at[i] =
			(struct sim_span){time_of(outcome->start),
					  time_of(outcome->end), i, job->ranks};
	}
	qsort(spans->at, spans->n, sizeof(*spans->at), compare);
	for (size_t i = 0; i < spans->n; i++)
		spans->jobs[spans->at[i].job].last = i;
	return 0;
}

static unsigned cores_of(const struct layout_chart *chart)
{
	return chart->shape.nodes * chart->shape.sockets * chart->shape.cores;
}

static void describe(const struct layout_chart *chart, struct gantt_run *run,
		     const struct layout_row *row)
{
	const struct layout_totals *totals = &row->totals;
	double used = 0;

	for (unsigned i = 0; i < row->workload->n; i++)
		used += row->workload->jobs[i].ranks *
			(row->outcomes[i].end - row->outcomes[i].start);
	run->policy = row->policy;
	run->total = totals->makespan + row->workload->jobs[0].submit;
	run->utilisation = used / cores_of(chart) / run->total;
	snprintf(run->figures, sizeof(run->figures),
		 "makespan %.0f s, utilisation %.1f %%, waits %.0f s, runs "
		 "%.0f s, responses %.0f s",
		 totals->makespan, 100 * run->utilisation, totals->wait,
		 totals->run, totals->response);
}

int layout_chart_add(struct layout_chart *chart, const struct layout_row *row,
		     struct error *err)
{
	struct gantt_run *run;

	if (ARRAY_RESERVE(chart->runs, chart->n, chart->room) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	run = &chart->runs[chart->n++];
	memset(run, 0, sizeof(*run));
	describe(chart, run, row);
	return find_spans(&run->spans, row) < 0
		       ? error_set(err, -ENOMEM, "out of memory")
		       : 0;
}

static const char *name_of(const void *user, unsigned job, char *text, size_t n)
{
	const struct layout_chart *chart = user;

	return layout_job_name(chart->workload, chart->pace, job, text, n);
}

static unsigned max_of(const void *user, unsigned job)
{
	const struct layout_chart *chart = user;

	return chart->workload->jobs[job].ranks;
}

static int draw(FILE *to, const void *user)
{
	const struct layout_chart *chart = user;
	const char *path = chart->workload->path, *slash = strrchr(path, '/');
	char title[600], below[200];
	const struct gantt gantt = {
		.title = title,
		.below = below,
		.name = name_of,
		.max = max_of,
		.user = chart,
		.slots = cores_of(chart),
		.runs = chart->runs,
		.n_runs = chart->n,
	};

	snprintf(title, sizeof(title), "%s",
		 svg_cut(slash ? slash + 1 : path, 60).s);
	snprintf(below, sizeof(below),
		 "%u job%s; %u nodes of %u sockets of %u cores",
		 chart->workload->n, text_plural(chart->workload->n),
		 chart->shape.nodes, chart->shape.sockets, chart->shape.cores);
	return gantt_draw(to, &gantt);
}

int layout_chart_save(const struct layout_chart *chart, const char *path,
		      struct error *err)
{
	return svg_save(path, draw, chart, err);
}

void layout_chart_fini(struct layout_chart *chart)
{
	for (size_t i = 0; i < chart->n; i++)
		sim_spans_fini(&chart->runs[i].spans);
	free(chart->runs);
}
