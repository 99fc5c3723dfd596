/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_SVG_H
#define CLI_VIEWS_SVG_H

/*
 * The pen of the drawings: SVG 1.1 without a script, a font or a file beside it
 *
 * A drawing is written into a stream by a function of its own, and becomes a
 * file by svg_save().  Lengths are pixels, y grows downwards.
 */

#include "base/error.h"
#include "base/text.h"

#include <stdio.h>

/* From values to pixels, with ticks at round values. */
struct svg_axis {
	double from, to;  /* values; to is above from */
	double low, high; /* pixels of the two */
	double step;      /* between two ticks */
};

/* At most `ticks` steps between the two ends. */
struct svg_axis svg_axis(double from, double to, double low, double high,
			 int ticks);
double svg_at(const struct svg_axis *axis, double value);

/* 1, 2 or 5 times a power of ten, so that at most n steps make up range. */
double svg_step(double range, int n);

/* style: rules of CSS beside those for text, .title, .paper, .axis and .grid.
 * Ends with "</svg>", which the caller writes. */
void svg_begin(FILE *to, int width, int height, const char *style,
	       const char *title);

/* Text of any origin, for an element or an attribute in double quotes: what is
 * no character of XML becomes '?'. */
void svg_escape(FILE *to, const char *text);

/* anchor: "start", "middle" or "end"; class may be "". */
void svg_text(FILE *to, double x, double y, const char *anchor,
	      const char *class, const char *text);

/* Upwards, its middle at the point. */
void svg_text_up(FILE *to, double x, double y, const char *text);

/* About what a text of 12 px is wide at most: fonts differ. */
double svg_text_width(const char *text);

/* Its beginning, an ellipsis and its end if it has more columns. */
struct text svg_cut(const char *text, unsigned columns);

/* A line of ticks with their values below y, and lines of the grid up to
 * `top`; the label in the middle below.  It takes SVG_AXIS_HEIGHT below y. */
enum { SVG_AXIS_HEIGHT = 40 };
void svg_draw_x_axis(FILE *to, const struct svg_axis *axis, double y,
		     double top, const char *label);

/* Values to the left of x, each with the unit behind it, and lines of the grid
 * up to `right`. */
void svg_draw_y_axis(FILE *to, const struct svg_axis *axis, double x,
		     double right, const char *unit);

/* Replaces the file by what draw() writes, whole or not at all; -errno with a
 * sentence.  draw() returns 0 or -ENOMEM. */
int svg_save(const char *path, int (*draw)(FILE *to, const void *user),
	     const void *user, struct error *err);

#endif
