/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/gantt_panel.h"

#include "base/cleanup.h"

#include <errno.h>
#include <math.h>

/* An amount over time in columns of half a pixel, each with the mean over its
 * time, so that a year and an hour take the same room. */
enum { COLUMNS_OF_PIXEL = 2 };

struct levels {
	size_t n;
	double *part; /* of each column, from what begins or ends in it */
	double *step; /* what the whole column has more than the one before */
	double most;
};

static void levels_fini_at(struct levels *levels)
{
	free(levels->part);
	free(levels->step);
}

static int levels_init(struct levels *levels, const struct svg_axis *time)
{
	levels->n = (size_t)lround(COLUMNS_OF_PIXEL * (time->high - time->low));
	levels->part = calloc(levels->n + 1, sizeof(*levels->part));
	levels->step = calloc(levels->n + 2, sizeof(*levels->step));
	return levels->part && levels->step ? 0 : -ENOMEM;
}

static double column_of(const struct levels *levels,
			const struct svg_axis *time, usec_t at)
{
	double share =
		((double)at / 1e6 - time->from) / (time->to - time->from);

	return fmax(0, fmin(share, 1)) * (double)levels->n;
}

static void levels_add(struct levels *levels, const struct svg_axis *time,
		       usec_t from, usec_t to, double amount)
{
	double begin = column_of(levels, time, from);
	double end = column_of(levels, time, to);
	size_t first = (size_t)begin, last = (size_t)end;

	if (first == last) {
		levels->part[first] += amount * (end - begin);
		return;
	}
	levels->part[first] += amount * ((double)first + 1 - begin);
	levels->part[last] += amount * (end - (double)last);
	levels->step[first + 1] += amount;
	levels->step[last] -= amount;
}

/* Makes part the level of each column. */
static void levels_sum(struct levels *levels)
{
	double whole = 0;

	for (size_t i = 0; i < levels->n; i++) {
		whole += levels->step[i];
		levels->part[i] += whole;
		levels->most = fmax(levels->most, levels->part[i]);
	}
}

/* Steps are drawn where the level differs by a tenth of a pixel. */
static void draw_levels(const struct gantt_panel *panel,
			const struct levels *levels,
			const struct svg_axis *axis, const char *class)
{
	const struct svg_axis *time = &panel->time;
	double y = axis->low;

	fprintf(panel->to, "<path class=\"%s\" d=\"M%.1f %.1f", class,
		time->low, axis->low);
	for (size_t i = 0; i < levels->n; i++) {
		double next = round(svg_at(axis, levels->part[i]) * 10) / 10;

		if (next == y)
			continue;
		fprintf(panel->to, "H%.1fV%.1f",
			time->low + (double)i / COLUMNS_OF_PIXEL, next);
		y = next;
	}
	fprintf(panel->to, "H%.1fV%.1fZ\"/>\n", time->high, axis->low);
}

int gantt_draw_utilisation(const struct gantt_panel *panel)
{
	const struct gantt_run *run = panel->run;
	double percent = 100 / (double)panel->gantt->slots;
	double bottom = panel->top + panel->height;
	CLEANUP(levels_fini) struct levels levels = {.n = 0};
	struct svg_axis axis;

	if (levels_init(&levels, &panel->time) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < run->spans.n; i++) {
		const struct sim_span *span = &run->spans.at[i];

		levels_add(&levels, &panel->time, span->from, span->to,
			   percent * span->slots);
	}
	levels_sum(&levels);
	axis = svg_axis(0, fmax(100, levels.most), bottom, panel->top, 4);
	svg_draw_y_axis(panel->to, &axis, panel->time.low, panel->time.high,
			" %");
	svg_text_up(panel->to, 14, bottom - panel->height / 2, "utilisation");
	draw_levels(panel, &levels, &axis, "used");
	fprintf(panel->to, "<path class=\"mean\" d=\"M%.1f %.1fH%.1f\"/>\n",
		panel->time.low, svg_at(&axis, 100 * run->utilisation),
		svg_at(&panel->time, run->total));
	return 0;
}

int gantt_draw_waiting(const struct gantt_panel *panel)
{
	const struct sim_spans *spans = &panel->run->spans;
	double bottom = panel->top + panel->height, step, most;
	CLEANUP(levels_fini) struct levels levels = {.n = 0};
	struct svg_axis axis;

	if (levels_init(&levels, &panel->time) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < spans->n_jobs; i++)
		levels_add(&levels, &panel->time, spans->jobs[i].submitted,
			   spans->jobs[i].started, 1);
	for (size_t i = 0; i < spans->n; i++)
		if (spans->at[i].slots == 0)
			levels_add(&levels, &panel->time, spans->at[i].from,
				   spans->at[i].to, 1);
	levels_sum(&levels);
	step = fmax(1, svg_step(fmax(1, levels.most), 3));
	most = step * fmax(1, ceil(levels.most / step));
	axis = svg_axis(0, most, bottom, panel->top, 3);
	axis.step = step;
	svg_draw_y_axis(panel->to, &axis, panel->time.low, panel->time.high,
			"");
	svg_text_up(panel->to, 14, bottom - panel->height / 2, "waiting");
	draw_levels(panel, &levels, &axis, "waits");
	return 0;
}
