/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/svg.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- axes ---- */

double svg_step(double range, int n)
{
	double step = pow(10, floor(log10(range / n)));

	if (range / step <= n)
		return step;
	if (range / (2 * step) <= n)
		return 2 * step;
	return range / (5 * step) <= n ? 5 * step : 10 * step;
}

struct svg_axis svg_axis(double from, double to, double low, double high,
			 int ticks)
{
	return (struct svg_axis){from, to, low, high,
				 svg_step(to - from, ticks)};
}

double svg_at(const struct svg_axis *axis, double value)
{
	return axis->low + (value - axis->from) / (axis->to - axis->from) *
				   (axis->high - axis->low);
}

/* The ticks are first to last times the step; a value that is a tick but for
 * rounding is one. */
static long first_tick(const struct svg_axis *axis)
{
	return lround(ceil(axis->from / axis->step - 1e-9));
}

static long last_tick(const struct svg_axis *axis)
{
	return lround(floor(axis->to / axis->step + 1e-9));
}

void svg_draw_x_axis(FILE *to, const struct svg_axis *axis, double y,
		     double top, const char *label)
{
	char value[32];

	for (long i = first_tick(axis); i <= last_tick(axis); i++) {
		double x = svg_at(axis, (double)i * axis->step);

		fprintf(to,
			"<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>"
			"<path class=\"axis\" d=\"M%.1f %.1fv4\"/>",
			x, y, top, x, y);
		snprintf(value, sizeof(value), "%.10g", (double)i * axis->step);
		svg_text(to, x, y + 17, "middle", "", value);
	}
	fprintf(to, "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/>", axis->low,
		y, axis->high);
	svg_text(to, (axis->low + axis->high) / 2, y + 34, "middle", "", label);
}

void svg_draw_y_axis(FILE *to, const struct svg_axis *axis, double x,
		     double right, const char *unit)
{
	char value[48];

	for (long i = first_tick(axis); i <= last_tick(axis); i++) {
		double y = svg_at(axis, (double)i * axis->step);

		fprintf(to, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", x,
			y, right);
		snprintf(value, sizeof(value), "%.10g%s",
			 (double)i * axis->step, unit);
		svg_text(to, x - 6, y + 4, "end", "", value);
	}
	fprintf(to, "<path class=\"axis\" d=\"M%.1f %.1fV%.1f\"/>", x,
		axis->low, axis->high);
}

/* ---- text ---- */

static bool is_of_xml(const char *s, size_t n)
{
	unsigned value = 0;

	utf8_decode(s, n, &value);
	return value != 0xfffe && value != 0xffff;
}

static const char *entity(char c)
{
	return c == '<'   ? "&lt;"
	       : c == '>' ? "&gt;"
	       : c == '&' ? "&amp;"
	       : c == '"' ? "&quot;"
			  : NULL;
}

void svg_escape(FILE *to, const char *text)
{
	const struct text safe = text_safe(text);

	for (const char *at = safe.s; *at;) {
		size_t n = utf8_decode(at, strlen(at), NULL);

		if (entity(*at))
			fputs(entity(*at), to);
		else if (is_of_xml(at, n))
			fwrite(at, 1, n, to);
		else
			fputc('?', to);
		at += n;
	}
}

void svg_text(FILE *to, double x, double y, const char *anchor,
	      const char *class, const char *text)
{
	fprintf(to, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
	if (strcmp(anchor, "start") != 0)
		fprintf(to, " text-anchor=\"%s\"", anchor);
	if (*class)
		fprintf(to, " class=\"%s\"", class);
	fputc('>', to);
	svg_escape(to, text);
	fputs("</text>\n", to);
}

void svg_text_up(FILE *to, double x, double y, const char *text)
{
	fprintf(to,
		"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
		"transform=\"rotate(-90 %.1f %.1f)\">",
		x, y, x, y);
	svg_escape(to, text);
	fputs("</text>\n", to);
}

double svg_text_width(const char *text)
{
	return 7.2 * text_columns(text);
}

/* Where the text goes on after so many characters. */
static const char *skip(const char *text, unsigned characters)
{
	while (characters-- > 0)
		text += utf8_decode(text, strlen(text), NULL);
	return text;
}

struct text svg_cut(const char *text, unsigned columns)
{
	const struct text whole = text_safe(text);
	unsigned all = text_columns(whole.s), end = columns / 2;
	char cut[2 * sizeof(whole.s) + 4];

	if (all <= columns)
		return whole;
	snprintf(cut, sizeof(cut), "%.*s\xe2\x80\xa6%s",
		 (int)(skip(whole.s, columns - end - 1) - whole.s), whole.s,
		 skip(whole.s, all - end));
	return text_safe(cut);
}

/* ---- the whole ---- */

void svg_begin(FILE *to, int width, int height, const char *style,
	       const char *title)
{
	fprintf(to,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n",
		width, height, width, height);
	fprintf(to,
		"<style>\n"
		"text { font: 12px sans-serif; fill: #24292f }\n"
		".title { font-size: 16px; font-weight: bold }\n"
		".paper { fill: #ffffff }\n"
		".axis { stroke: #57606a; fill: none }\n"
		".grid { stroke: #d0d7de; fill: none }\n"
		"%s</style>\n",
		style);
	fputs("<title>", to);
	svg_escape(to, title);
	fprintf(to,
		"</title>\n"
		"<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n",
		width, height);
}

int svg_save(const char *path, int (*draw)(FILE *to, const void *user),
	     const void *user, struct error *err)
{
	CLEANUP(free) char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	int r;

	if (!to)
		return error_set(err, -ENOMEM, "out of memory");
	r = draw(to, user);
	if (fclose(to) != 0 || r < 0)
		return error_set(err, -ENOMEM, "out of memory");
	return file_replace(path, 0644, text, n, err);
}
