/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "cli/views/svg.h"
#include "cli/views/timeline.h"

#include <math.h>

/* The picture, in pixels; the plot lies within the margins. */
enum {
	WIDTH = 860,
	HEIGHT = 400,
	LEFT = 64,
	RIGHT = 24,
	TOP = 72,
	BOTTOM = 56,
	LABEL_ROWS = 3, /* labels of pauses that are close together */
	LABEL_WIDTH = 72,
	ROW_HEIGHT = 14,
	TICKS = 8,
};

struct scale {
	double unit; /* milliseconds of one unit of the time axis */
	const char *unit_name;
	double span;   /* milliseconds from the left to the right */
	unsigned most; /* ranks at the top */
};

static double x_of(const struct scale *scale, double ms)
{
	return LEFT + ms / scale->span * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct scale *scale, double ranks)
{
	return HEIGHT - BOTTOM - ranks / scale->most * (HEIGHT - TOP - BOTTOM);
}

static struct scale measure(const Bellows__V1__Job *job)
{
	struct scale scale = {1e3, "s", job->age > 0 ? (double)job->age : 1, 1};

	for (size_t i = 0; i < job->n_spans; i++) {
		double end = (double)timeline_end(job, i);

		if (job->spans[i]->ranks > scale.most)
			scale.most = job->spans[i]->ranks;
		if (end > scale.span)
			scale.span = end;
	}
	if (scale.span > (double)MINUTES(60) * 2) {
		scale.unit = (double)MINUTES(60);
		scale.unit_name = "h";
	} else if (scale.span > (double)MINUTES(5)) {
		scale.unit = (double)MINUTES(1);
		scale.unit_name = "min";
	}
	return scale;
}

static void put_head(FILE *to, const Bellows__V1__Job *job)
{
	static const char style[] =
		".ranks { stroke: #0969da; stroke-width: 2.5; fill: none }\n"
		".pause { fill: #cf222e; fill-opacity: 0.25 }\n"
		".mark { stroke: #cf222e; fill: none }\n"
		"@media (prefers-color-scheme: dark) {\n"
		"text { fill: #e6edf3 }\n"
		".paper { fill: #0d1117 }\n"
		".axis { stroke: #8b949e }\n"
		".grid { stroke: #30363d }\n"
		".ranks { stroke: #58a6ff }\n"
		".pause { fill: #ff7b72 }\n"
		".mark { stroke: #ff7b72 }\n"
		"}\n";
	char title[600], below[256];

	snprintf(title, sizeof(title), "%s: ranks over time",
		 text_safe(job->name).s);
	snprintf(below, sizeof(below),
		 "%s after %s, %u rescale%s, paused %s "
		 "in all",
		 state_name(job->state), text_duration((msec_t)job->age).s,
		 job->rescales, text_plural(job->rescales),
		 text_pause(job_paused(job)).s);
	svg_begin(to, WIDTH, HEIGHT, style, title);
	svg_text(to, LEFT, 28, "start", "title", title);
	svg_text(to, LEFT, 48, "start", "", below);
}

static void put_time_axis(FILE *to, const struct scale *scale)
{
	double last = scale->span / scale->unit;
	double step = svg_step(last, TICKS);
	int bottom = HEIGHT - BOTTOM;

	for (int i = 0; i * step <= last * (1 + 1e-9); i++) {
		double x = x_of(scale, i * step * scale->unit);

		fprintf(to,
			"<path class=\"axis\" d=\"M%.1f %dv5\"/>"
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g"
			"</text>\n",
			x, bottom, x, bottom + 20, i * step);
	}
	fprintf(to,
		"<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">time (%s)"
		"</text>\n",
		(LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, scale->unit_name);
}

static void put_rank_axis(FILE *to, const struct scale *scale)
{
	double step = fmax(1, svg_step(scale->most, TICKS));

	for (int i = 0; i * step <= scale->most; i++) {
		double y = y_of(scale, i * step);

		if (i > 0)
			fprintf(to, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>",
				LEFT, y, WIDTH - RIGHT);
		fprintf(to,
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g"
			"</text>\n",
			LEFT - 8, y + 4, i * step);
	}
	svg_text_up(to, 18, (TOP + HEIGHT - BOTTOM) / 2.0, "ranks");
}

/* Labels take the lowest row that is free where they begin. */
static int row_for(double free_from[LABEL_ROWS], double x)
{
	int row = 0;

	while (row < LABEL_ROWS - 1 && x - LABEL_WIDTH / 2.0 < free_from[row])
		row++;
	free_from[row] = x + LABEL_WIDTH / 2.0;
	return row;
}

static void put_pauses(FILE *to, const Bellows__V1__Job *job,
		       const struct scale *scale)
{
	double free_from[LABEL_ROWS] = {0};

	for (size_t i = 0; i < job->n_spans; i++) {
		double from = x_of(scale, (double)job->spans[i]->from);
		double end = x_of(scale, (double)timeline_end(job, i));
		double middle = (from + end) / 2;
		msec_t length = timeline_pause(job, i);
		int y;

		if (timeline_kind(job, i) != SPAN_PAUSE)
			continue;
		y = TOP + ROW_HEIGHT * (row_for(free_from, middle) + 1);
		fprintf(to,
			"<rect class=\"pause\" x=\"%.1f\" y=\"%d\" "
			"width=\"%.1f\" height=\"%d\"/>"
			"<path class=\"mark\" d=\"M%.1f %dV%d\"/>"
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s"
			"</text>\n",
			from, y + 4, fmax(end - from, 1.5),
			HEIGHT - BOTTOM - y - 4, middle, y + 4, HEIGHT - BOTTOM,
			middle, y, length < 0 ? "" : text_pause(length).s);
	}
}

/* A line for each stretch of computing; gaps are left out. */
static void put_ranks(FILE *to, const Bellows__V1__Job *job,
		      const struct scale *scale)
{
	bool down = false;

	fputs("<path class=\"ranks\" d=\"", to);
	for (size_t i = 0; i < job->n_spans; i++) {
		const Bellows__V1__Span *span = job->spans[i];
		double y = y_of(scale, span->ranks);

		if (span->ranks && down)
			fprintf(to, "V%.1f", y);
		else if (span->ranks)
			fprintf(to, "M%.1f %.1f",
				x_of(scale, (double)span->from), y);
		if (span->ranks)
			fprintf(to, "H%.1f",
				x_of(scale, (double)timeline_end(job, i)));
		down = span->ranks > 0;
	}
	if (job->n_spans == 0)
		fprintf(to, "M%d %d", LEFT, HEIGHT - BOTTOM);
	fputs("\"/>\n", to);
}

void timeline_draw(FILE *to, const Bellows__V1__Job *job)
{
	const struct scale scale = measure(job);

	put_head(to, job);
	put_rank_axis(to, &scale);
	put_time_axis(to, &scale);
	fprintf(to, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP,
		HEIGHT - BOTTOM, WIDTH - RIGHT);
	put_pauses(to, job, &scale);
	put_ranks(to, job, &scale);
	fputs("</svg>\n", to);
}

static int draw(FILE *to, const void *job)
{
	timeline_draw(to, job);
	return 0;
}

int timeline_save(const char *path, const Bellows__V1__Job *job,
		  struct error *err)
{
	return svg_save(path, draw, job, err);
}
