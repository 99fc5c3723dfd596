/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SHARE_FORECAST_H
#define CORE_SHARE_FORECAST_H

/*
 * Forecasts of the workloads of one task
 *
 *   last            what it was
 *   seasonal        what it was one period ago, and what is left of the
 *                   difference that there is now
 *   autoregressive  for each step ahead a linear regression on the last
 *                   changes and on what the workload was around the step one
 *                   period ago; it learns from each workload
 *
 * The periods are found in the history (core/share_period.h).  They are looked
 * for again, and all is learnt anew, whenever the history is twice as long.
 *
 * Pure; a zero share_forecast with a kind is at its beginning.
 */

#include "core/share.h"
#include "core/share_period.h"
#include "core/share_regression.h"

#include <stdbool.h>

struct share_forecaster;

struct share_forecast {
	const struct share_forecaster *kind;
	unsigned seen, searched; /* values */
	struct share_periods periods;
	double mean, deviation; /* of the values that were searched */
	/* Differences from one period ago: each with the one before it, and
	 * with itself. */
	double products, squares;
	struct share_regression regressions[SHARE_LOOK_MAX];
};

struct share_forecaster {
	char name[16];
	/* Value n - 1 is new. */
	void (*learn)(struct share_forecast *forecast, const double *history,
		      unsigned n);
	/* False: nothing is known about that step. */
	bool (*say)(const struct share_forecast *forecast,
		    const double *history, unsigned n, unsigned ahead,
		    double *value);
};

/* NULL: there is none. */
const struct share_forecaster *share_forecaster_find(const char *name);

/* The names, for a help; NULL behind the last. */
extern const char *const share_forecaster_names[];

/*
 * What comes behind n values, `look` steps, at most SHARE_LOOK_MAX.  From call
 * to call the history grows and is the same otherwise.  0; 1: the history is
 * too short, and some steps, or all, are what the last one was; -EINVAL: a
 * value is no finite number, or there is none.
 */
int share_forecast(struct share_forecast *forecast, const double *history,
		   unsigned n, unsigned look, double *ahead);

#endif
