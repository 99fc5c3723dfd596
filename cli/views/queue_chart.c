/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/queue_chart.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/views/gantt.h"
#include "cli/views/svg.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

struct chart {
	const Bellows__V1__Queue *queue;
	const Bellows__V1__QueueJob **jobs; /* that are drawn */
	size_t n_jobs;
	uint64_t begin; /* 0 of the axis */
	struct gantt_run run;
};

static void chart_fini_at(struct chart *chart)
{
	sim_spans_fini(&chart->run.spans);
	free(chart->jobs);
}

/* ---- what is drawn ---- */

static uint64_t first_of(const Bellows__V1__Queue *queue,
			 const struct queue_table *table)
{
	uint64_t first = queue->now;

	for (size_t i = 0; i < queue->n_jobs; i++)
		if (queue_table_shows(table, queue, queue->jobs[i]) &&
		    queue->jobs[i]->submitted < first)
			first = queue->jobs[i]->submitted;
	if (first < queue->since)
		first = queue->since;
	if (!table->all && first + (uint64_t)QUEUE_RECENT < queue->now)
		first = queue->now - (uint64_t)QUEUE_RECENT;
	return first;
}

static int choose_jobs(struct chart *chart, const struct queue_table *table)
{
	const Bellows__V1__Queue *queue = chart->queue;

	chart->begin = first_of(queue, table);
	chart->jobs = calloc(queue->n_jobs + 1, sizeof(*chart->jobs));
	if (!chart->jobs)
		return -ENOMEM;
	for (size_t i = 0; i < queue->n_jobs; i++) {
		const Bellows__V1__QueueJob *job = queue->jobs[i];

		if (queue_table_shows(table, queue, job) &&
		    (job->ended == 0 || job->ended >= chart->begin))
			chart->jobs[chart->n_jobs++] = job;
	}
	return 0;
}

/* ---- its spans ---- */

static usec_t time_of(const struct chart *chart, uint64_t at)
{
	return ((msec_t)at - (msec_t)chart->begin) * 1000;
}

static uint64_t end_of(const struct chart *chart,
		       const Bellows__V1__QueueJob *job)
{
	return job->ended ? job->ended : chart->queue->now;
}

static void add_span(struct chart *chart, unsigned job, usec_t from, usec_t to,
		     unsigned slots)
{
	struct sim_spans *spans = &chart->run.spans;

	if (from < to && to > 0)
		spans->at[spans->n++] = (struct sim_span){from, to, job, slots};
}

/* The spans of one job, and one without slots wherever it has none after its
 * first: it is parked, or between two sizes. */
static void add_job(struct chart *chart, unsigned number)
{
	const Bellows__V1__Queue *queue = chart->queue;
	const Bellows__V1__QueueJob *job = chart->jobs[number];
	struct sim_spans_job *at = &chart->run.spans.jobs[number];
	usec_t end = time_of(chart, end_of(chart, job)), last = end;

	at->submitted = time_of(chart, job->submitted);
	at->started = job->started ? time_of(chart, job->started) : end;
	at->priority = (int)job->priority;
	at->rescales = job->rescales;
	at->parks = job->parks;
	for (size_t i = 0; i < queue->n_spans; i++) {
		const Bellows__V1__QueueSpan *span = queue->spans[i];
		usec_t from = time_of(chart, span->from);

		if (span->number != job->number)
			continue;
		add_span(chart, number, last, from, 0);
		last = span->to ? time_of(chart, span->to) : end;
		add_span(chart, number, from, last, span->slots);
	}
	if (!job->ended)
		add_span(chart, number, last, end, 0);
}

static int compare(const void *a, const void *b)
{
	const struct sim_span *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static int find_spans(struct chart *chart)
{
	struct sim_spans *spans = &chart->run.spans;

	if (sim_spans_init(spans, chart->n_jobs) < 0)
		return -ENOMEM;
	spans->at = calloc(2 * chart->queue->n_spans + chart->n_jobs + 1,
			   sizeof(*spans->at));
	if (!spans->at)
		return -ENOMEM;
	for (size_t i = 0; i < chart->n_jobs; i++)
		add_job(chart, (unsigned)i);
	qsort(spans->at, spans->n, sizeof(*spans->at), compare);
	for (size_t i = 0; i < spans->n; i++)
		spans->jobs[spans->at[i].job].last = i;
	return 0;
}

static void describe(struct chart *chart)
{
	const struct sim_spans *spans = &chart->run.spans;
	struct gantt_run *run = &chart->run;
	double total = (double)time_of(chart, chart->queue->now) / 1e6;
	double used = 0;

	for (size_t i = 0; i < spans->n; i++)
		used += spans->at[i].slots *
			(double)(spans->at[i].to - (spans->at[i].from > 0
							    ? spans->at[i].from
							    : 0)) /
			1e6;
	run->policy = chart->queue->policy;
	run->total = total;
	run->utilisation = total > 0 ? used / (total * chart->queue->slots) : 0;
	snprintf(run->figures, sizeof(run->figures),
		 "%.0f s, utilisation %.1f %%", total, 100 * run->utilisation);
}

/* ---- the drawing ---- */

static const char *name_of(const void *user, unsigned job, char *text, size_t n)
{
	const struct chart *chart = user;
	const Bellows__V1__QueueJob *at = chart->jobs[job];

	snprintf(text, n, "%" PRIu64 " %s", at->number, at->name);
	return text;
}

static unsigned max_of(const void *user, unsigned job)
{
	const struct chart *chart = user;

	return chart->jobs[job]->max;
}

static int draw(FILE *to, const struct chart *chart)
{
	const Bellows__V1__Queue *queue = chart->queue;
	time_t begin = (time_t)(chart->begin / 1000);
	char title[600], below[300], day[32] = "";
	const struct gantt gantt = {
		.title = title,
		.below = below,
		.name = name_of,
		.max = max_of,
		.user = chart,
		.slots = queue->slots,
		.runs = (struct gantt_run *)&chart->run,
		.n_runs = 1,
	};
	struct tm tm;

	if (localtime_r(&begin, &tm))
		strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(title, sizeof(title), "Queue of %s",
		 svg_cut(queue->where, 60).s);
	snprintf(below, sizeof(below), "%zu job%s; %u slots; from %s on",
		 chart->n_jobs, text_plural(chart->n_jobs), queue->slots, day);
	return gantt_draw(to, &gantt);
}

int queue_chart_draw(FILE *to, const Bellows__V1__Queue *queue,
		     const struct queue_table *table)
{
	CLEANUP(chart_fini) struct chart chart = {.queue = queue};

	if (choose_jobs(&chart, table) < 0 || find_spans(&chart) < 0)
		return -ENOMEM;
	describe(&chart);
	return draw(to, &chart);
}

/* ---- a file ---- */

struct saving {
	const Bellows__V1__Queue *queue;
	const struct queue_table *table;
};

static int draw_file(FILE *to, const void *user)
{
	const struct saving *saving = user;

	return queue_chart_draw(to, saving->queue, saving->table);
}

int queue_chart_save(const char *path, const Bellows__V1__Queue *queue,
		     const struct queue_table *table, struct error *err)
{
	const struct saving saving = {queue, table};

	return svg_save(path, draw_file, &saving, err);
}
