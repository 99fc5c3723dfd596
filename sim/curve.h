/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_CURVE_H
#define SIM_CURVE_H

/*
 * Seconds as a function of the number of ranks: a straight line, or points with
 * straight lines between neighbours, of which the first and the last one go on;
 * or Amdahl's law
 */

#include <stddef.h>

enum { CURVE_POINTS_MAX = 64 };

struct curve_point {
	double ranks, seconds;
};

struct curve {
	size_t n; /* points; 0: offset + slope * ranks + parallel / ranks */
	struct curve_point at[CURVE_POINTS_MAX];
	double slope, offset, parallel;
};

/* The same for every number of ranks. */
struct curve curve_constant(double seconds);

/* Through points in increasing order of ranks; n is 1 to CURVE_POINTS_MAX. */
struct curve curve_through(const struct curve_point *points, size_t n);

/* The line with the least squares; two points at least, not all of the same
 * number of ranks. */
struct curve curve_line(const struct curve_point *points, size_t n);

/* A part takes the same time on every number of ranks, and the ranks share the
 * other, which takes `parallel` seconds on one of them (Amdahl, "Validity of
 * the single processor approach", AFIPS 1967). */
struct curve curve_amdahl(double sequential, double parallel);

double curve_at(const struct curve *curve, unsigned ranks);

/* The smallest and the largest value between two numbers of ranks. */
double curve_least(const struct curve *curve, unsigned from, unsigned to);
double curve_most(const struct curve *curve, unsigned from, unsigned to);

#endif
