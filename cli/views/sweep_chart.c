/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/sweep_chart.h"

#include "base/list.h"
#include "cli/views/svg.h"

#include <math.h>
#include <string.h>

/* Pixels. */
enum {
	WIDTH = 1000,
	MARGIN = 24,
	HEAD = 60,
	LEGEND_ROW = 20,
	LINE = 34, /* a sample of a line */
	PANEL_WIDTH = 476,
	PANEL_HEIGHT = 290,
	LEFT = 64, /* of a panel */
	TOP = 30,
	TICKS = 8,
	VALUES_MAX = 400, /* of a line; more are thinned out */
	MARKS_MAX = 40,   /* on a line */
};

/* The colours are those of Okabe and Ito, which can be told apart by
 * colour-blind people too.  The marks differ as well, and then the dashes. */
static const char *const colors[] = {
	"#0072b2", "#d55e00", "#009e73", "#cc79a7",
	"#e69f00", "#56b4e9", "#24292f",
};
static const char *const marks[] = {
	"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", /* disc */
	"m-3.5 -3.5h7v7h-7z",                  /* square */
	"m0 -5l4.5 8h-9z",                     /* triangle */
	"m0 -5l4.5 5l-4.5 5l-4.5 -5z",         /* diamond */
	"m0 5l4.5 -8h-9z",                     /* triangle, downwards */
	"m-4 -1h3v-3h2v3h3v2h-3v3h-2v-3h-3z",  /* cross */
};
static const char *const dashes[] = {"none", "7 3", "2 3", "9 3 2 3"};

struct panel {
	const char *title, *unit;
	double (*value)(const struct sim_metrics *metrics);
};

static double total(const struct sim_metrics *metrics)
{
	return metrics->total;
}

static double utilisation(const struct sim_metrics *metrics)
{
	return 100 * metrics->utilisation;
}

static double response(const struct sim_metrics *metrics)
{
	return metrics->response;
}

static double completion(const struct sim_metrics *metrics)
{
	return metrics->completion;
}

static const struct panel panels[] = {
	{"total time (s)", "", total},
	{"utilisation", " %", utilisation},
	{"response time, weighted by priority (s)", "", response},
	{"completion time, weighted by priority (s)", "", completion},
};

static void put_style(char *style, size_t n)
{
	size_t used = (size_t)snprintf(
		style, n,
		".panel { font-size: 13px; font-weight: bold }\n"
		".line { fill: none; stroke-width: 1.8 }\n");

	for (size_t i = 0; i < LENGTH(colors) && used < n; i++)
		used += (size_t)snprintf(style + used, n - used,
					 ".l%zu { stroke: %s }\n"
					 ".m%zu { fill: %s }\n",
					 i, colors[i], i, colors[i]);
}

static void put_line_begin(FILE *to, size_t policy)
{
	size_t dash = policy / LENGTH(colors) % LENGTH(dashes);

	fprintf(to, "<path class=\"line l%zu\"", policy % LENGTH(colors));
	if (dash > 0)
		fprintf(to, " stroke-dasharray=\"%s\"", dashes[dash]);
	fputs(" d=\"", to);
}

static void put_mark(FILE *to, size_t policy, double x, double y)
{
	fprintf(to, "<path class=\"m%zu\" d=\"M%.1f %.1f%s\"/>",
		policy % LENGTH(colors), x, y, marks[policy % LENGTH(marks)]);
}

/* ---- legend ---- */

struct legend {
	size_t columns, rows;
	double width; /* of a column */
};

static struct legend lay_out_legend(const struct sweep_chart *chart)
{
	struct legend legend = {.width = 0};

	for (size_t i = 0; i < chart->n_policies; i++)
		legend.width =
			fmax(legend.width,
			     svg_text_width(chart->rows[i].policy) + LINE + 30);
	legend.columns = (size_t)((WIDTH - 2 * MARGIN) / legend.width);
	legend.rows = (chart->n_policies + legend.columns - 1) / legend.columns;
	return legend;
}

static void put_legend(FILE *to, const struct sweep_chart *chart,
		       const struct legend *legend)
{
	for (size_t i = 0; i < chart->n_policies; i++) {
		double x =
			MARGIN + (double)(i % legend->columns) * legend->width;
		double y =
			HEAD + 14 + (double)(i / legend->columns) * LEGEND_ROW;

		put_line_begin(to, i);
		fprintf(to, "M%.1f %.1fh%d\"/>", x, y - 4, LINE);
		put_mark(to, i, x + LINE / 2.0, y - 4);
		svg_text(to, x + LINE + 8, y, "start", "",
			 chart->rows[i].policy);
	}
}

/* ---- panels ---- */

static double value_at(const struct sweep_chart *chart,
		       const struct panel *panel, size_t value, size_t policy)
{
	return panel->value(
		&chart->rows[value * chart->n_policies + policy].metrics);
}

/* From the tick below the smallest value to the one above the largest; from 0
 * if that is not far. */
static struct svg_axis measure(const struct sweep_chart *chart,
			       const struct panel *panel, double low,
			       double high)
{
	double least = value_at(chart, panel, 0, 0), most = least, step;
	struct svg_axis axis;

	for (size_t v = 0; v < chart->n_values; v++)
		for (size_t p = 0; p < chart->n_policies; p++) {
			double at = value_at(chart, panel, v, p);

			least = fmin(least, at);
			most = fmax(most, at);
		}
	if (least < most / 3)
		least = 0;
	if (most - least < 1e-3 * fmax(1, most))
		most = least + fmax(1, most) * 0.1;
	step = svg_step(most - least, TICKS);
	axis = svg_axis(floor(least / step) * step, ceil(most / step) * step,
			low, high, TICKS);
	axis.step = step;
	return axis;
}

static struct svg_axis measure_values(const struct sweep_chart *chart,
				      double low, double high)
{
	unsigned from = chart->rows[0].value;
	unsigned to =
		chart->rows[(chart->n_values - 1) * chart->n_policies].value;

	return from < to ? svg_axis(from, to, low, high, TICKS)
			 : svg_axis(from - 1.0, from + 1.0, low, high, 2);
}

/* Every so many values are drawn. */
static size_t stride_of(const struct sweep_chart *chart, size_t most)
{
	return (chart->n_values + most - 1) / most;
}

static void put_line(FILE *to, const struct sweep_chart *chart,
		     const struct panel *panel, size_t policy,
		     const struct svg_axis *x, const struct svg_axis *y)
{
	size_t stride = stride_of(chart, VALUES_MAX);

	put_line_begin(to, policy);
	for (size_t v = 0; v < chart->n_values; v += stride)
		fprintf(to, "%s%.1f %.1f", v ? "L" : "M",
			svg_at(x, chart->rows[v * chart->n_policies].value),
			svg_at(y, value_at(chart, panel, v, policy)));
	fputs("\"/>\n", to);
	stride *= stride_of(chart, MARKS_MAX * stride);
	for (size_t v = 0; v < chart->n_values; v += stride)
		put_mark(to, policy,
			 svg_at(x, chart->rows[v * chart->n_policies].value),
			 svg_at(y, value_at(chart, panel, v, policy)));
	fputc('\n', to);
}

static void put_panel(FILE *to, const struct sweep_chart *chart,
		      const struct panel *panel, double left, double top)
{
	double bottom = top + PANEL_HEIGHT - SVG_AXIS_HEIGHT - MARGIN;
	double right = left + PANEL_WIDTH - MARGIN;
	struct svg_axis x = measure_values(chart, left + LEFT, right);
	struct svg_axis y = measure(chart, panel, bottom, top + TOP);

	svg_text(to, left + LEFT, top + 16, "start", "panel", panel->title);
	svg_draw_x_axis(to, &x, bottom, top + TOP,
			strcmp(chart->rows[0].what, "T") == 0
				? "rescale gap T (s)"
				: "gap between two submissions (s)");
	svg_draw_y_axis(to, &y, x.low, x.high, panel->unit);
	for (size_t i = 0; i < chart->n_policies; i++)
		put_line(to, chart, panel, i, &x, &y);
}

void sweep_chart_draw(FILE *to, const struct sweep_chart *chart)
{
	const char *slash = strrchr(chart->source, '/');
	const struct legend legend = lay_out_legend(chart);
	double top = HEAD + 8 + (double)legend.rows * LEGEND_ROW;
	size_t stride = stride_of(chart, VALUES_MAX);
	char style[1024], title[600], below[300];

	snprintf(title, sizeof(title), "%s: policies over %s",
		 svg_cut(slash ? slash + 1 : chart->source, 60).s,
		 strcmp(chart->rows[0].what, "T") == 0
			 ? "the rescale gap T"
			 : "the gap between submissions");
	snprintf(below, sizeof(below), "%.200s", chart->below);
	if (stride > 1)
		snprintf(below + strlen(below), sizeof(below) - strlen(below),
			 "; one of %zu values is drawn", stride);
	put_style(style, sizeof(style));
	svg_begin(to, WIDTH, (int)top + 2 * PANEL_HEIGHT, style, title);
	svg_text(to, MARGIN, 28, "start", "title", title);
	svg_text(to, MARGIN, 48, "start", "", below);
	put_legend(to, chart, &legend);
	for (size_t i = 0; i < LENGTH(panels); i++)
		put_panel(to, chart, &panels[i],
			  i % 2 ? WIDTH - PANEL_WIDTH : 0.0,
			  top + (double)(i / 2) * PANEL_HEIGHT);
	fputs("</svg>\n", to);
}
