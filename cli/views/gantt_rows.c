/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/gantt_panel.h"

#include "base/cleanup.h"

#include <errno.h>
#include <math.h>

enum { FEW = 24, TEXT_HEIGHT = 12 };

/* Rescales that are closer to each other are drawn as one, so that no row has
 * more of them than can be told apart. */
#define LEAST 1.0

double gantt_row_height(size_t jobs)
{
	return jobs <= FEW ? 22 : 16;
}

struct row {
	const struct gantt_panel *panel;
	unsigned job;
	double top, height, middle;
	unsigned max; /* ranks */
	unsigned extra;
};

static void put_wait(const struct row *row, double from, double to)
{
	fprintf(row->panel->to,
		"<path class=\"wait\" d=\"M%.1f %.1fv6m0 -3H%.1f\"/>", from,
		row->middle - 3, to);
}

static double bar_height(const struct row *row, unsigned ranks)
{
	return fmax(2, (row->height - 4) * ranks / row->max);
}

static void put_bar(const struct row *row, double from, double to,
		    unsigned ranks)
{
	double height = bar_height(row, ranks);

	fprintf(row->panel->to, "M%.1f %.1fh%.1fv%.1fh%.1fz", from,
		row->middle - height / 2, to - from, height, from - to);
}

static void put_mark(const struct row *row, double x, bool grows)
{
	fprintf(row->panel->to, "<path class=\"%s\" d=\"M%.1f %.1fv%.1f\"/>",
		grows ? "grow" : "shrink", x, row->top + 1, row->height - 2);
}

/* A number that is higher than its bar hides a part of it. */
static void put_number(const struct row *row, double from, double to,
		       unsigned ranks)
{
	bool over = bar_height(row, ranks) < TEXT_HEIGHT;
	char text[16];

	snprintf(text, sizeof(text), "%u", ranks);
	if (row->height > TEXT_HEIGHT + 4 &&
	    svg_text_width(text) + (over ? 20 : 4) <= to - from)
		svg_text(row->panel->to, (from + to) / 2, row->middle + 4,
			 "middle", over ? "over" : "", text);
}

/* The next span of the job that can be told from the one before; spans: those
 * of the job.  Returns how many it stands for. */
static size_t next_bar(const struct row *row, const struct sim_span *spans,
		       size_t n, double *from, double *to)
{
	size_t i = 0;

	*from = gantt_x(row->panel, spans[0].from);
	do
		*to = gantt_x(row->panel, spans[i++].to);
	while (i < n && *to - *from < LEAST);
	return i;
}

static void put_bars(const struct row *row, const struct sim_span *spans,
		     size_t n)
{
	double from, to;

	for (size_t i = 0; i < n;) {
		i += next_bar(row, &spans[i], n - i, &from, &to);
		if (spans[i - 1].slots > 0)
			put_bar(row, from, to, spans[i - 1].slots - row->extra);
	}
}

/* A line where it is parked, else the number of ranks; and what has changed. */
static void put_marks(const struct row *row, const struct sim_span *spans,
		      size_t n)
{
	unsigned before = 0;
	double from, to;

	for (size_t i = 0; i < n;) {
		unsigned slots;

		i += next_bar(row, &spans[i], n - i, &from, &to);
		slots = spans[i - 1].slots;
		if (before > 0 && slots > 0 && slots != before)
			put_mark(row, from, slots > before);
		if (slots > 0)
			put_number(row, from, to, slots - row->extra);
		else
			put_wait(row, from, to);
		before = slots > 0 ? slots : before;
	}
}

static void draw_row(const struct row *row, const struct sim_span *spans,
		     size_t n)
{
	const struct gantt_panel *panel = row->panel;
	const struct sim_spans_job *job = &panel->run->spans.jobs[row->job];

	fputs("<g>", panel->to);
	gantt_put_title(panel, row->job, spans, n);
	if (job->started >= 0)
		put_wait(row, gantt_x(panel, job->submitted),
			 gantt_x(panel, job->started));
	fprintf(panel->to, "<path class=\"p%u\" d=\"",
		gantt_shade(panel->shades, job->priority));
	put_bars(row, spans, n);
	fputs("\"/>\n", panel->to);
	put_marks(row, spans, n);
	fputs("</g>\n", panel->to);
}

static void put_name(const struct row *row)
{
	const struct gantt *gantt = row->panel->gantt;
	double room = row->panel->time.low - 20;
	char name[96];

	if (row->job % 2)
		fprintf(row->panel->to,
			"<rect class=\"stripe\" x=\"12\" y=\"%.1f\" "
			"width=\"%.1f\" height=\"%.1f\"/>",
			row->top, row->panel->time.high - 12, row->height);
	svg_text(row->panel->to, row->panel->time.low - 8, row->middle + 4,
		 "end", "",
		 svg_cut(gantt->name(gantt->user, row->job, name, sizeof(name)),
			 (unsigned)(room / svg_text_width("m")))
			 .s);
}

int gantt_draw_rows(const struct gantt_panel *panel)
{
	const struct sim_spans *spans = &panel->run->spans;
	const struct gantt *gantt = panel->gantt;
	CLEANUP(free) struct sim_span *by_job = sim_spans_by_job(spans);
	struct row row = {.panel = panel, .extra = gantt->launcher_slots};
	size_t at = 0, n;

	if (!by_job)
		return -ENOMEM;
	row.height = gantt_row_height(spans->n_jobs);
	for (; row.job < spans->n_jobs; row.job++) {
		row.top = panel->top + row.job * row.height;
		row.middle = row.top + row.height / 2;
		put_name(&row);
	}
	for (row.job = 0; row.job < spans->n_jobs; row.job++, at += n) {
		row.top = panel->top + row.job * row.height;
		row.middle = row.top + row.height / 2;
		row.max = gantt->max(gantt->user, row.job);
		for (n = 0; at + n < spans->n && by_job[at + n].job == row.job;)
			n++;
		draw_row(&row, &by_job[at], n);
	}
	return 0;
}
