/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/gantt.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/views/gantt_panel.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Pixels. */
enum {
	WIDTH = 1000,
	MARGIN = 24,
	HEAD = 88,     /* title and legend */
	POLICY = 24,   /* its name and figures */
	USED = 80,     /* utilisation */
	WAITING = 60,  /* jobs that wait */
	SPACE = 18,    /* between two panels */
	AREAS = 480,   /* a chart over the slots */
	LEFT_OUT = 24, /* a sentence in its place */
	LEFT_LEAST = 84,
	LEFT_MOST = 170,
	AREAS_MOST = 30000, /* about 1 MB */
	TICKS = 10,
};

/* Light enough for black numbers, darker with the priority, and to be told
 * apart by those who see fewer colours. */
static const char style[] =
	".policy { font-size: 14px; font-weight: bold }\n"
	".used { fill: #0072b2; fill-opacity: 0.45 }\n"
	".waits { fill: #d55e00; fill-opacity: 0.45 }\n"
	".mean { stroke: #24292f; stroke-dasharray: 5 4; fill: none }\n"
	".wait { stroke: #57606a; stroke-width: 1.5; fill: none }\n"
	".stripe { fill: #57606a; fill-opacity: 0.07 }\n"
	".grow { stroke: #24292f; stroke-width: 1.5 }\n"
	".shrink { stroke: #d55e00; stroke-width: 2.5 }\n"
	".over { paint-order: stroke; stroke: #ffffff; stroke-width: 3px }\n"
	".p0, .p1, .p2, .p3, .p4 { stroke: #57606a; stroke-width: 0.5 }\n"
	".a { stroke: none }\n"
	".p0 { fill: #e3eda9 }\n"
	".p1 { fill: #a8dcb0 }\n"
	".p2 { fill: #66c2c6 }\n"
	".p3 { fill: #4a9dd0 }\n"
	".p4 { fill: #5b78cf }\n";

/* ---- priorities ---- */

static int compare_int(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Different priorities in increasing order, at the beginning of the array. */
static size_t sort_priorities(int *at, size_t n)
{
	size_t different = n > 0;

	qsort(at, n, sizeof(*at), compare_int);
	for (size_t i = 1; i < n; i++)
		if (at[i] != at[different - 1])
			at[different++] = at[i];
	return different;
}

static int find_shades(struct gantt_shades *shades,
		       const struct sim_spans *spans)
{
	CLEANUP(free) int *at = calloc(spans->n_jobs, sizeof(*at));
	size_t n;

	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < spans->n_jobs; i++)
		at[i] = spans->jobs[i].priority;
	n = sort_priorities(at, spans->n_jobs);
	shades->n = n < GANTT_SHADES ? n : GANTT_SHADES;
	for (size_t i = 0; i < shades->n; i++) {
		shades->from[i] = at[i * n / shades->n];
		shades->to[i] = at[(i + 1) * n / shades->n - 1];
	}
	return 0;
}

unsigned gantt_color(const struct gantt_shades *shades, size_t i)
{
	return shades->n == 1
		       ? GANTT_SHADES / 2
		       : (unsigned)(i * (GANTT_SHADES - 1) / (shades->n - 1));
}

unsigned gantt_shade(const struct gantt_shades *shades, int priority)
{
	size_t i = 0;

	while (i + 1 < shades->n && priority > shades->to[i])
		i++;
	return gantt_color(shades, i);
}

/* ---- what the panels share ---- */

double gantt_x(const struct gantt_panel *panel, usec_t at)
{
	return svg_at(&panel->time, fmax(0, (double)at / 1e6));
}

static double seconds(usec_t time)
{
	return (double)time / 1e6;
}

/* When it ran, and on how many ranks. */
static void put_spans(const struct gantt_panel *panel,
		      const struct sim_spans_job *at,
		      const struct sim_span *spans, size_t n)
{
	unsigned extra = panel->gantt->launcher_slots;
	unsigned least = spans[0].slots, most = least;

	for (size_t i = 1; i < n; i++) {
		unsigned slots = spans[i].slots;

		if (slots > 0 && (least == 0 || slots < least))
			least = slots;
		most = slots > most ? slots : most;
	}
	fprintf(panel->to, ", %.10g s to %.10g s, %u", seconds(at->started),
		seconds(spans[n - 1].to), least - extra);
	if (most > least)
		fprintf(panel->to, " to %u", most - extra);
	fprintf(panel->to, " ranks, %u rescale%s", at->rescales,
		text_plural(at->rescales));
	if (at->parks > 0)
		fprintf(panel->to, ", parked %u time%s", at->parks,
			text_plural(at->parks));
}

void gantt_put_title(const struct gantt_panel *panel, unsigned job,
		     const struct sim_span *spans, size_t n)
{
	const struct sim_spans_job *at = &panel->run->spans.jobs[job];
	const struct gantt *gantt = panel->gantt;
	char name[96];

	fputs("<title>", panel->to);
	svg_escape(panel->to,
		   gantt->name(gantt->user, job, name, sizeof(name)));
	fprintf(panel->to, ": priority %d, submitted %.10g s", at->priority,
		seconds(at->submitted));
	if (n > 0)
		put_spans(panel, at, spans, n);
	fputs("</title>", panel->to);
}

/* ---- layout ---- */

struct layout {
	bool rows, areas;
	double left, chart, block; /* block: all of one policy */
	int height;
	double unit; /* seconds of one unit of time */
	const char *unit_name;
	double end; /* of the longest run, in seconds */
};

static double name_width(const struct gantt *gantt)
{
	double most = 0;
	char name[96];

	for (size_t i = 0; i < gantt->runs->spans.n_jobs; i++)
		most = fmax(most,
			    svg_text_width(gantt->name(gantt->user, (unsigned)i,
						       name, sizeof(name))));
	return most;
}

static void choose_unit(struct layout *layout)
{
	bool days = layout->end > 3 * 24 * 3600;
	bool hours = layout->end > 2 * 3600;

	layout->unit = days ? 24 * 3600 : hours ? 3600 : 1;
	layout->unit_name = days    ? "time (days)"
			    : hours ? "time (h)"
				    : "time (s)";
}

static struct layout lay_out(const struct gantt *gantt)
{
	size_t jobs = gantt->runs->spans.n_jobs;
	struct layout layout = {
		.rows = jobs <= GANTT_ROWS_MAX,
		.areas = jobs <= GANTT_AREAS_MAX / gantt->n_runs,
		.left = LEFT_LEAST,
	};

	if (layout.rows)
		layout.left = fmin(LEFT_MOST,
				   fmax(LEFT_LEAST, name_width(gantt) + 28));
	layout.chart = layout.rows    ? (double)jobs * gantt_row_height(jobs)
		       : layout.areas ? AREAS
				      : LEFT_OUT;
	layout.block =
		POLICY + USED + SPACE + layout.chart + SVG_AXIS_HEIGHT + MARGIN;
	if (!layout.rows)
		layout.block += WAITING + SPACE;
	layout.height = (int)(HEAD + (double)gantt->n_runs * layout.block);
	for (size_t i = 0; i < gantt->n_runs; i++)
		layout.end = fmax(layout.end, gantt->runs[i].total);
	if (layout.end <= 0)
		layout.end = 1;
	choose_unit(&layout);
	return layout;
}

/* ---- head ---- */

static void put_title(FILE *to, const struct gantt *gantt,
		      const struct layout *layout)
{
	svg_begin(to, WIDTH, layout->height, style, gantt->title);
	svg_text(to, MARGIN, 28, "start", "title", svg_cut(gantt->title, 90).s);
	svg_text(to, MARGIN, 48, "start", "", gantt->below);
}

/* A sample of that class and what it stands for; returns where the next one
 * begins. */
static double put_sample(FILE *to, double x, const char *class,
			 const char *path, const char *text)
{
	enum { Y = 72, SAMPLE = 24 };

	fprintf(to, "<path class=\"%s\" d=\"M%.1f %d%s\"/>", class, x, Y - 4,
		path);
	svg_text(to, x + SAMPLE, Y, "start", "", text);
	return x + SAMPLE + svg_text_width(text) + 18;
}

static void put_legend(FILE *to, const struct gantt_shades *shades, bool rows)
{
	double x = MARGIN + svg_text_width("priority") + 8;
	char class[8], text[40];

	svg_text(to, MARGIN, 72, "start", "", "priority");
	for (size_t i = 0; i < shades->n; i++) {
		snprintf(class, sizeof(class), "p%u", gantt_color(shades, i));
		if (shades->from[i] == shades->to[i])
			snprintf(text, sizeof(text), "%d", shades->from[i]);
		else
			snprintf(text, sizeof(text), "%d\xe2\x80\x93%d",
				 shades->from[i], shades->to[i]);
		x = put_sample(to, x, class, "m0 -6h18v12h-18z", text);
	}
	x = put_sample(to, x, "mean", "h18", "mean");
	if (!rows)
		return;
	x = put_sample(to, x, "wait", "m0 -3v6m0 -3h18", "waits");
	x = put_sample(to, x, "shrink", "m9 -9v18", "shrinks");
	x = put_sample(to, x, "grow", "m9 -9v18", "grows");
	svg_text(to, x, 72, "start", "", "height and number: ranks");
}

/* ---- one policy ---- */

static void put_figures(FILE *to, const struct gantt_run *run, double top)
{
	svg_text(to, MARGIN, top + 12, "start", "policy", run->policy);
	svg_text(to, WIDTH - MARGIN, top + 12, "end", "", run->figures);
}

static int draw_chart(struct gantt_panel *panel, const struct layout *layout)
{
	const struct gantt *gantt = panel->gantt;
	char text[96];

	if (layout->rows)
		return gantt_draw_rows(panel);
	if (layout->areas)
		return gantt_draw_areas(panel, AREAS_MOST / gantt->n_runs);
	snprintf(text, sizeof(text),
		 "The chart of single jobs is left out: there are more than "
		 "%d jobs.",
		 GANTT_AREAS_MAX);
	svg_text(panel->to, panel->time.low + 8, panel->top + 16, "start", "",
		 text);
	return 0;
}

static int draw_run(struct gantt_panel *panel, const struct layout *layout,
		    double top)
{
	struct svg_axis ticks =
		svg_axis(0, layout->end / layout->unit, panel->time.low,
			 panel->time.high, TICKS);
	double bottom = top + layout->block - SVG_AXIS_HEIGHT - MARGIN;
	int r;

	put_figures(panel->to, panel->run, top);
	svg_draw_x_axis(panel->to, &ticks, bottom, top + POLICY,
			layout->unit_name);
	panel->top = top + POLICY;
	panel->height = USED;
	r = gantt_draw_utilisation(panel);
	panel->top += USED + SPACE;
	if (r == 0 && !layout->rows) {
		panel->height = WAITING;
		r = gantt_draw_waiting(panel);
		panel->top += WAITING + SPACE;
	}
	panel->height = layout->chart;
	return r < 0 ? r : draw_chart(panel, layout);
}

int gantt_draw(FILE *to, const struct gantt *gantt)
{
	const struct layout layout = lay_out(gantt);
	struct gantt_shades shades;
	int r = find_shades(&shades, &gantt->runs->spans);

	if (r < 0)
		return r;
	put_title(to, gantt, &layout);
	put_legend(to, &shades, layout.rows);
	for (size_t i = 0; i < gantt->n_runs && r == 0; i++) {
		struct gantt_panel panel = {
			.to = to,
			.gantt = gantt,
			.run = &gantt->runs[i],
			.shades = &shades,
			.time = {0, layout.end, layout.left, WIDTH - MARGIN, 0},
		};

		r = draw_run(&panel, &layout, HEAD + (double)i * layout.block);
	}
	fputs("</svg>\n", to);
	return r;
}
