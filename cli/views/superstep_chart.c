/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/superstep_chart.h"

#include "base/cleanup.h"
#include "base/list.h"
#include "cli/views/svg.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Pixels. */
enum {
	WIDTH = 1000,
	MARGIN = 24,
	LEFT = 64,
	HEAD = 64,
	LEGEND_ROW = 20,
	LEGEND_COLUMN = 118,
	PANEL_HEIGHT = 250,
	TITLE = 30, /* of a panel */
	TICKS = 6,
	COLUMNS_MAX = 880,
};

/* Of tasks that are drawn each, in the colours of Okabe and Ito, which
 * colour-blind people can tell apart too.  Of more tasks only the slowest one
 * of each step is drawn. */
static const char *const colors[] = {
	"#0072b2", "#d55e00", "#009e73", "#cc79a7",
	"#e69f00", "#56b4e9", "#8b6508", "#6a737d",
};

static unsigned tasks_of(const struct superstep_chart *chart)
{
	return chart->supersteps->rules.tasks;
}

static unsigned columns_of(const struct superstep_chart *chart)
{
	unsigned steps = chart->supersteps->steps;

	return steps < COLUMNS_MAX ? steps : COLUMNS_MAX;
}

static bool draws_tasks(const struct superstep_chart *chart)
{
	return tasks_of(chart) <= LENGTH(colors);
}

/* ---- what happens ---- */

int superstep_chart_begin(struct superstep_chart *chart, struct error *err)
{
	struct superstep_panel *panels =
		realloc(chart->panels, (chart->n + 1) * sizeof(*chart->panels));
	struct superstep_panel *panel;

	if (!panels)
		return error_set(err, -ENOMEM, "out of memory");
	chart->panels = panels;
	panel = &panels[chart->n++];
	*panel = (struct superstep_panel){
		.seconds = calloc((size_t)columns_of(chart) * tasks_of(chart),
				  sizeof(double)),
		.changes = calloc(columns_of(chart), sizeof(bool)),
	};
	if (!panel->seconds || !panel->changes)
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

void superstep_chart_add(struct superstep_chart *chart,
			 const struct supersteps_step *step)
{
	struct superstep_panel *panel = &chart->panels[chart->n - 1];
	unsigned tasks = tasks_of(chart);
	size_t column = (size_t)step->step * columns_of(chart) /
			chart->supersteps->steps;

	for (unsigned i = 0; i < tasks; i++) {
		double *seconds = &panel->seconds[column * tasks + i];

		*seconds = fmax(*seconds, step->seconds[i]);
	}
	if (step->is_changed && step->step > 0)
		panel->changes[column] = true;
}

void superstep_chart_end(struct superstep_chart *chart,
			 const struct superstep_row *row)
{
	chart->panels[chart->n - 1].row = *row;
}

void superstep_chart_fini(struct superstep_chart *chart)
{
	for (size_t i = 0; i < chart->n; i++) {
		free(chart->panels[i].seconds);
		free(chart->panels[i].changes);
	}
	free(chart->panels);
}

/* ---- drawing ---- */

static double slowest_in(const struct superstep_chart *chart,
			 const struct superstep_panel *panel, size_t column)
{
	const double *seconds = &panel->seconds[column * tasks_of(chart)];
	double slowest = 0;

	for (unsigned i = 0; i < tasks_of(chart); i++)
		slowest = fmax(slowest, seconds[i]);
	return slowest;
}

/* The same for all panels, so that they can be compared. */
static double most_seconds(const struct superstep_chart *chart)
{
	double most = 0;

	for (size_t i = 0; i < chart->n; i++)
		for (size_t c = 0; c < columns_of(chart); c++)
			most = fmax(most,
				    slowest_in(chart, &chart->panels[i], c));
	return most;
}

struct axes {
	struct svg_axis x, y;
};

/* task: or -1, the slowest one. */
static void put_line(FILE *to, const struct superstep_chart *chart,
		     const struct superstep_panel *panel,
		     const struct axes *axes, int task)
{
	unsigned columns = columns_of(chart), tasks = tasks_of(chart);

	if (task < 0)
		fputs("<path class=\"line slowest\" d=\"", to);
	else
		fprintf(to, "<path class=\"line t%d\" d=\"", task);
	for (size_t c = 0; c < columns; c++) {
		double seconds =
			task < 0 ? slowest_in(chart, panel, c)
				 : panel->seconds[c * tasks + (size_t)task];

		fprintf(to, "%s%.1f %.1f", c ? "L" : "M",
			svg_at(&axes->x,
			       (double)c * chart->supersteps->steps / columns),
			svg_at(&axes->y, seconds));
	}
	fputs("\"/>\n", to);
}

static void put_changes(FILE *to, const struct superstep_chart *chart,
			const struct superstep_panel *panel,
			const struct axes *axes)
{
	unsigned columns = columns_of(chart);

	fputs("<path class=\"change\" d=\"", to);
	for (size_t c = 0; c < columns; c++)
		if (panel->changes[c])
			fprintf(to, "M%.1f %.1fv-7",
				svg_at(&axes->x,
				       (double)c * chart->supersteps->steps /
					       columns),
				axes->y.high - 1);
	fputs("\"/>\n", to);
}

static void put_title(FILE *to, const struct superstep_row *row, double top)
{
	char title[256], forecast[64] = "", gain[64] = "", above[64] = "";

	if (strcmp(row->forecast, "none") != 0)
		snprintf(forecast, sizeof(forecast), " (%s)", row->forecast);
	if (row->result.changes > 0)
		snprintf(gain, sizeof(gain), ", %.1f %% %s than unchanged",
			 100 * fabs(superstep_gain(row)),
			 superstep_gain(row) < 0 ? "more" : "less");
	if (superstep_above(row) >= 0)
		snprintf(above, sizeof(above), ", %.1f %% above the bound",
			 100 * superstep_above(row));
	snprintf(title, sizeof(title),
		 "%.24s%.20s: %.0f s and %u changes, in total %.0f s%s%s",
		 row->planner, forecast, row->result.seconds,
		 row->result.changes, row->result.total, gain, above);
	svg_text(to, LEFT, top + 14, "start", "panel", title);
}

static void put_panel(FILE *to, const struct superstep_chart *chart,
		      const struct superstep_panel *panel, double most,
		      double top)
{
	double bottom = top + PANEL_HEIGHT - SVG_AXIS_HEIGHT - MARGIN;
	const struct axes axes = {
		svg_axis(0, chart->supersteps->steps, LEFT, WIDTH - MARGIN, 10),
		svg_axis(0, most, bottom, top + TITLE, TICKS),
	};

	put_title(to, &panel->row, top);
	svg_draw_x_axis(to, &axes.x, bottom, top + TITLE, "superstep");
	svg_draw_y_axis(to, &axes.y, axes.x.low, axes.x.high, " s");
	for (unsigned i = 0; draws_tasks(chart) && i < tasks_of(chart); i++)
		put_line(to, chart, panel, &axes, (int)i);
	put_line(to, chart, panel, &axes, -1);
	put_changes(to, chart, panel, &axes);
}

static void put_style(char *style, size_t n)
{
	size_t used = (size_t)snprintf(
		style, n,
		".panel { font-size: 13px; font-weight: bold }\n"
		".line { fill: none; stroke-width: 1 }\n"
		".slowest { stroke: #24292f; stroke-width: 1.6 }\n"
		".change { stroke: #24292f; stroke-width: 1 }\n");

	for (size_t i = 0; i < LENGTH(colors) && used < n; i++)
		used += (size_t)snprintf(style + used, n - used,
					 ".t%zu { stroke: %s }\n", i,
					 colors[i]);
}

static void put_sample(FILE *to, size_t at, double y, const char *class,
		       const char *name)
{
	double x = MARGIN + (double)at * LEGEND_COLUMN;

	fprintf(to, "<path class=\"line %s\" d=\"M%.1f %.1fh24\"/>", class, x,
		y - 4);
	svg_text(to, x + 30, y, "start", "", svg_cut(name, 11).s);
}

static void put_legend(FILE *to, const struct superstep_chart *chart)
{
	const struct supersteps_task *tasks = chart->supersteps->tasks;
	char class[16];

	put_sample(to, 0, HEAD + 14, "slowest", "slowest");
	fprintf(to, "<path class=\"change\" d=\"M%d %dv-7\"/>",
		MARGIN + LEGEND_COLUMN + 12, HEAD + 14);
	svg_text(to, MARGIN + LEGEND_COLUMN + 30, HEAD + 14, "start", "",
		 "change of the shares");
	for (size_t i = 0; draws_tasks(chart) && i < tasks_of(chart); i++) {
		snprintf(class, sizeof(class), "t%zu", i);
		put_sample(to, i, HEAD + 14 + LEGEND_ROW, class, tasks[i].name);
	}
}

static int draw(FILE *to, const void *user)
{
	const struct superstep_chart *chart = user;
	const char *slash = strrchr(chart->source, '/');
	double most = most_seconds(chart);
	double top = HEAD + 2 * LEGEND_ROW + 20;
	char style[1024], title[600];

	snprintf(title, sizeof(title), "%s: supersteps of %u tasks",
		 svg_cut(slash ? slash + 1 : chart->source, 60).s,
		 tasks_of(chart));
	put_style(style, sizeof(style));
	svg_begin(to, WIDTH, (int)(top + (double)chart->n * PANEL_HEIGHT),
		  style, title);
	svg_text(to, MARGIN, 28, "start", "title", title);
	svg_text(to, MARGIN, 48, "start", "",
		 "time of each task, and of the slowest one, for which all "
		 "others wait");
	put_legend(to, chart);
	for (size_t i = 0; i < chart->n; i++)
		put_panel(to, chart, &chart->panels[i], most,
			  top + (double)i * PANEL_HEIGHT);
	fputs("</svg>\n", to);
	return 0;
}

int superstep_chart_save(const struct superstep_chart *chart, const char *path,
			 struct error *err)
{
	return svg_save(path, draw, chart, err);
}
