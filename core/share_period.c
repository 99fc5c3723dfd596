/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_period.h"

#include <stdbool.h>

enum {
	RISE = 4, /* values that a rise is over */
	NEAR = 5, /* neighbours on either side that a peak has to top */
};

#define LEAST   0.2  /* correlation of a period */
#define NEARLY  0.7  /* of the highest */
#define AS_GOOD 0.02 /* below the highest */

struct correlations {
	unsigned n;
	double at[SHARE_PERIOD_HISTORY / 2 + 1]; /* by lag */
};

static double find_mean(const double *values, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += values[i];
	return sum / n;
}

static double correlate(const double *values, unsigned n, unsigned lag)
{
	double sum = 0;

	for (unsigned i = lag; i < n; i++)
		sum += values[i] * values[i - lag];
	return sum / (n - lag);
}

/* Of rises, whose mean is taken off; all are 0 if the rises are alike. */
static void find_correlations(const double *values, unsigned n,
			      struct correlations *correlations)
{
	double rises[SHARE_PERIOD_HISTORY], mean, variance = 0;
	unsigned count = n - RISE;

	for (unsigned i = 0; i < count; i++)
		rises[i] = values[i + RISE] - values[i];
	mean = find_mean(rises, count);
	for (unsigned i = 0; i < count; i++) {
		rises[i] -= mean;
		variance += rises[i] * rises[i] / count;
	}
	correlations->n = count / 2;
	for (unsigned lag = 0; lag < correlations->n; lag++)
		correlations->at[lag] =
			variance > 0 ? correlate(rises, count, lag) / variance
				     : 0;
}

static bool is_peak(const struct correlations *of, unsigned lag)
{
	if (of->at[lag] < LEAST || lag + NEAR >= of->n)
		return false;
	for (unsigned i = lag > NEAR ? lag - NEAR : 1; i <= lag + NEAR; i++)
		if (of->at[i] > of->at[lag])
			return false;
	return true;
}

/* The first lag whose rises have nothing in common any more. */
static unsigned skip_same(const struct correlations *of)
{
	unsigned lag = 1;

	while (lag < of->n && of->at[lag] > 0)
		lag++;
	return lag;
}

/* Of the highest peak; 0: there is none. */
static double find_highest(const struct correlations *of, unsigned from)
{
	double highest = 0;

	for (unsigned lag = from; lag < of->n; lag++)
		if (is_peak(of, lag) && of->at[lag] > highest)
			highest = of->at[lag];
	return highest;
}

/* The first peak that is so high. */
static unsigned find_peak(const struct correlations *of, unsigned from,
			  double height)
{
	while (!is_peak(of, from) || of->at[from] < height)
		from++;
	return from;
}

struct share_periods share_find_periods(const double *values, unsigned n)
{
	struct correlations of;
	unsigned from, best, shortest;
	double highest;

	if (n > SHARE_PERIOD_HISTORY) {
		values += n - SHARE_PERIOD_HISTORY;
		n = SHARE_PERIOD_HISTORY;
	}
	if (n <= 2 * RISE)
		return (struct share_periods){0};
	find_correlations(values, n, &of);
	from = skip_same(&of);
	highest = find_highest(&of, from);
	if (highest == 0)
		return (struct share_periods){0};
	best = find_peak(&of, from, highest - AS_GOOD);
	shortest = find_peak(&of, from, NEARLY * highest);
	if (shortest >= best)
		return (struct share_periods){1, {best}};
	return (struct share_periods){2, {best, shortest}};
}
