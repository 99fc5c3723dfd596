/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/gantt_panel.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "cli/views/slot_map.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Changes of a job that are closer than this are drawn as one, and twice this
 * if there are too many of them, and so on; pixels. */
#define LEAST 0.2

struct area {
	unsigned job;
	double from, to; /* pixels */
	struct slot_range slots;
};

/* A job that has slots: since when, in the drawing. */
struct held {
	struct slot_ranges slots;
	double since;
};

struct packing {
	const struct gantt_panel *panel;
	size_t *ends; /* last spans of jobs, by their end */
	size_t n_ends, over;
	unsigned slots; /* that are needed */
	struct slot_map map;
	struct held *held; /* by job */
	struct area *areas;
	size_t n, room;
	double least; /* pixels */
};

static void forget(struct packing *packing)
{
	slot_map_fini(&packing->map);
	for (size_t i = 0;
	     packing->held && i < packing->panel->run->spans.n_jobs; i++)
		slot_ranges_fini(&packing->held[i].slots);
	free(packing->held);
	packing->held = NULL;
	packing->n = packing->over = 0;
}

static void packing_fini_at(struct packing *packing)
{
	forget(packing);
	free(packing->ends);
	free(packing->areas);
}

/* ---- in the order of time ---- */

static int compare_ends(const void *a, const void *b, void *user)
{
	const struct sim_span *spans = user;
	usec_t x = spans[*(const size_t *)a].to,
	       y = spans[*(const size_t *)b].to;

	return (x > y) - (x < y);
}

static int sort_ends(struct packing *packing)
{
	const struct sim_spans *spans = &packing->panel->run->spans;

	packing->ends = calloc(spans->n_jobs, sizeof(*packing->ends));
	if (!packing->ends)
		return -ENOMEM;
	for (size_t i = 0; i < spans->n_jobs; i++)
		if (spans->jobs[i].last != SIZE_MAX)
			packing->ends[packing->n_ends++] = spans->jobs[i].last;
	qsort_r(packing->ends, packing->n_ends, sizeof(*packing->ends),
		compare_ends, spans->at);
	return 0;
}

/* The next job that has ended by that time; NULL: there is none. */
static const struct sim_span *next_end(struct packing *packing, usec_t by)
{
	const struct sim_span *span =
		packing->over < packing->n_ends
			? &packing->panel->run->spans
				   .at[packing->ends[packing->over]]
			: NULL;

	if (!span || span->to > by)
		return NULL;
	packing->over++;
	return span;
}

/* The published simulator may give away more slots than there are. */
static int count_slots(struct packing *packing)
{
	const struct sim_spans *spans = &packing->panel->run->spans;
	CLEANUP(free)
	unsigned *has = calloc(spans->n_jobs, sizeof(*has));
	const struct sim_span *end;
	unsigned used = 0;

	if (!has)
		return -ENOMEM;
	packing->slots = packing->panel->gantt->slots;
	for (size_t i = 0; i < spans->n; i++) {
		const struct sim_span *span = &spans->at[i];

		while ((end = next_end(packing, span->from)))
			used -= end->slots;
		used += span->slots - has[span->job];
		has[span->job] = span->slots;
		if (used > packing->slots)
			packing->slots = used;
	}
	return 0;
}

/* ---- areas ---- */

static int add_area(struct packing *packing, const struct area *area)
{
	int r = ARRAY_RESERVE(packing->areas, packing->n, packing->room);

	if (r == 0)
		packing->areas[packing->n++] = *area;
	return r;
}

/* What the job held until now becomes areas. */
static int add_areas(struct packing *packing, unsigned job, double now)
{
	const struct held *held = &packing->held[job];
	int r = 0;

	for (size_t i = 0; i < held->slots.n && r == 0; i++) {
		const struct area area = {job, held->since, now,
					  held->slots.at[i]};

		r = add_area(packing, &area);
	}
	return r;
}

static int end_job(struct packing *packing, const struct sim_span *span)
{
	struct held *held = &packing->held[span->job];
	int r = add_areas(packing, span->job,
			  gantt_x(packing->panel, span->to));

	return r < 0 ? r : slot_map_resize(&packing->map, &held->slots, 0);
}

static int begin_span(struct packing *packing, const struct sim_span *span)
{
	struct held *held = &packing->held[span->job];
	double now = gantt_x(packing->panel, span->from);
	int r = 0;

	if (held->slots.n == 0 || now - held->since >= packing->least) {
		r = add_areas(packing, span->job, now);
		held->since = now;
	}
	return r < 0 ? r
		     : slot_map_resize(&packing->map, &held->slots,
				       span->slots);
}

/* Stops where there are more than `most` areas. */
static int pack(struct packing *packing, size_t most)
{
	const struct sim_spans *spans = &packing->panel->run->spans;
	const struct sim_span *end;
	int r;

	packing->held = calloc(spans->n_jobs, sizeof(*packing->held));
	if (!packing->held)
		return -ENOMEM;
	r = slot_map_init(&packing->map, packing->slots);
	for (size_t i = 0; r == 0 && i < spans->n && packing->n <= most; i++) {
		while (r == 0 && (end = next_end(packing, spans->at[i].from)))
			r = end_job(packing, end);
		if (r == 0)
			r = begin_span(packing, &spans->at[i]);
	}
	while (r == 0 && (end = next_end(packing, INT64_MAX)))
		r = end_job(packing, end);
	return r;
}

/* ---- the drawing ---- */

static int compare_areas(const void *a, const void *b)
{
	const struct area *x = a, *y = b;

	if (x->job != y->job)
		return x->job > y->job ? 1 : -1;
	return (x->from > y->from) - (x->from < y->from);
}

/* A line of the paper remains between two areas that are wide enough for it,
 * and what is too thin to be seen is drawn a tenth of a pixel wide. */
static double shorten(double length)
{
	return length > 2 ? length - 0.6 : fmax(length, 0.1);
}

static void put_area(const struct packing *packing, const struct area *area,
		     const struct svg_axis *slots)
{
	double top = svg_at(slots, area->slots.from + area->slots.n);
	double height = shorten(svg_at(slots, area->slots.from) - top);
	double width = shorten(area->to - area->from);

	fprintf(packing->panel->to, "M%.1f %.1fh%.1fv%.1fh%.1fz", area->from,
		top, width, height, -width);
}

static int put_jobs(const struct packing *packing, const struct svg_axis *axis)
{
	const struct gantt_panel *panel = packing->panel;
	const struct sim_spans *spans = &panel->run->spans;
	CLEANUP(free) struct sim_span *by_job = sim_spans_by_job(spans);
	size_t area = 0, span = 0;

	if (!by_job)
		return -ENOMEM;
	for (unsigned job = 0; job < spans->n_jobs; job++) {
		size_t first = span;

		while (span < spans->n && by_job[span].job == job)
			span++;
		if (span == first)
			continue;
		fprintf(panel->to, "<path class=\"a p%u\" d=\"",
			gantt_shade(panel->shades, spans->jobs[job].priority));
		for (; area < packing->n && packing->areas[area].job == job;
		     area++)
			put_area(packing, &packing->areas[area], axis);
		fputs("\">", panel->to);
		gantt_put_title(panel, job, &by_job[first], span - first);
		fputs("</path>\n", panel->to);
	}
	return 0;
}

static void put_thinned(const struct packing *packing, double bottom)
{
	const struct svg_axis *time = &packing->panel->time;
	char text[80];

	snprintf(text, sizeof(text),
		 "rescales of a job within %.2g s are drawn as one",
		 packing->least / (time->high - time->low) * time->to);
	svg_text(packing->panel->to, time->high, bottom + 34, "end", "", text);
}

int gantt_draw_areas(const struct gantt_panel *panel, size_t most)
{
	CLEANUP(packing_fini)
	struct packing packing = {.panel = panel, .least = LEAST};
	double bottom = panel->top + panel->height;
	struct svg_axis axis;
	int r = sort_ends(&packing);

	if (r == 0)
		r = count_slots(&packing);
	if (r < 0)
		return r;
	packing.over = 0;
	r = pack(&packing, most);
	while (r == 0 && packing.n > most && packing.least < panel->time.high) {
		forget(&packing);
		packing.least *= 2;
		r = pack(&packing, most);
	}
	if (r < 0)
		return r;
	qsort(packing.areas, packing.n, sizeof(*packing.areas), compare_areas);
	axis = svg_axis(0, packing.slots, bottom, panel->top, 8);
	axis.step = fmax(1, axis.step);
	svg_draw_y_axis(panel->to, &axis, panel->time.low, panel->time.high,
			"");
	svg_text_up(panel->to, 14, bottom - panel->height / 2, "slots");
	if (packing.least > LEAST)
		put_thinned(&packing, bottom);
	return put_jobs(&packing, &axis);
}
