/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SHARE_PERIOD_H
#define CORE_SHARE_PERIOD_H

/*
 * Period: after how many values a series is likely to do the same again
 *
 * Rises over a few values are correlated with those some values earlier; a
 * period is a number of values for which that is more than for its neighbours.
 * Rises are taken, as a series may drift.
 */

enum {
	SHARE_PERIOD_HISTORY = 2000, /* the last values; others are not read */
	SHARE_PERIODS = 2,
};

/* The best one, and the shortest that is nearly as good; a day may be in a
 * week. */
struct share_periods {
	unsigned n; /* 0: there is none */
	unsigned at[SHARE_PERIODS];
};

struct share_periods share_find_periods(const double *values, unsigned n);

#endif
