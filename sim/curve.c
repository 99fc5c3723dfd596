/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/curve.h"

#include <math.h>
#include <string.h>

struct curve curve_constant(double seconds)
{
	return (struct curve){.offset = seconds};
}

struct curve curve_through(const struct curve_point *points, size_t n)
{
	struct curve curve = {.n = n};

	if (n == 1)
		return curve_constant(points[0].seconds);
	memcpy(curve.at, points, n * sizeof(*points));
	return curve;
}

struct curve curve_line(const struct curve_point *points, size_t n)
{
	double x = 0, y = 0, xy = 0, xx = 0, slope;

	for (size_t i = 0; i < n; i++) {
		x += points[i].ranks / (double)n;
		y += points[i].seconds / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		double dx = points[i].ranks - x;

		xy += dx * (points[i].seconds - y);
		xx += dx * dx;
	}
	slope = xy / xx;
	return (struct curve){.slope = slope, .offset = y - slope * x};
}

struct curve curve_amdahl(double sequential, double parallel)
{
	return (struct curve){.offset = sequential, .parallel = parallel};
}

double curve_at(const struct curve *curve, unsigned ranks)
{
	const struct curve_point *at = curve->at;
	size_t i = 1;
	double slope;

	if (curve->n == 0)
		return curve->slope * ranks + curve->offset +
		       curve->parallel / ranks;
	while (i + 1 < curve->n && at[i].ranks < ranks)
		i++;
	slope = (at[i].seconds - at[i - 1].seconds) /
		(at[i].ranks - at[i - 1].ranks);
	return at[i - 1].seconds + slope * (ranks - at[i - 1].ranks);
}

/* The extremes of straight lines are at ends and corners, and Amdahl's law only
 * falls. */
static double extreme(const struct curve *curve, unsigned from, unsigned to,
		      double (*of)(double, double))
{
	double value = of(curve_at(curve, from), curve_at(curve, to));

	for (size_t i = 0; i < curve->n; i++)
		if (curve->at[i].ranks > from && curve->at[i].ranks < to)
			value = of(value, curve->at[i].seconds);
	return value;
}

double curve_least(const struct curve *curve, unsigned from, unsigned to)
{
	return extreme(curve, from, to, fmin);
}

double curve_most(const struct curve *curve, unsigned from, unsigned to)
{
	return extreme(curve, from, to, fmax);
}
