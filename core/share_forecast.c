/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_forecast.h"

#include "base/list.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Changes from value to value that a regression has. */
enum { CHANGES = 3 };

/* The fewest whole periods, in values, that are more than ahead + room. */
static unsigned whole_periods(unsigned period, unsigned ahead, unsigned room)
{
	unsigned lag = period;

	while (lag <= ahead + room)
		lag += period;
	return lag;
}

/* ---- last ---- */

static void learn_nothing(struct share_forecast *forecast,
			  const double *history, unsigned n)
{
	(void)forecast;
	(void)history;
	(void)n;
}

static bool say_last(const struct share_forecast *forecast,
		     const double *history, unsigned n, unsigned ahead,
		     double *value)
{
	(void)forecast;
	(void)ahead;
	*value = history[n - 1];
	return true;
}

/* ---- seasonal ---- */

static void learn_season(struct share_forecast *forecast, const double *history,
			 unsigned n)
{
	unsigned period = forecast->periods.at[0];
	double now, before;

	if (forecast->periods.n == 0 || n < period + 2)
		return;
	now = history[n - 1] - history[n - 1 - period];
	before = history[n - 2] - history[n - 2 - period];
	forecast->products += now * before;
	forecast->squares += before * before;
}

static bool say_season(const struct share_forecast *forecast,
		       const double *history, unsigned n, unsigned ahead,
		       double *value)
{
	unsigned period = forecast->periods.at[0], lag;
	double kept = 0;

	if (forecast->periods.n == 0)
		return false;
	if (forecast->squares > 0)
		kept = forecast->products / forecast->squares;
	lag = whole_periods(period, ahead, 0);
	if (lag > n)
		return false;
	kept = fmax(0, fmin(kept, 1));
	*value = history[n + ahead - lag] +
		 pow(kept, ahead + 1) *
			 (history[n - 1] - history[n - 1 - period]);
	return true;
}

/* ---- autoregressive ---- */

/* Values that have to be there before a step can be said. */
static unsigned count_needed(const struct share_forecast *forecast,
			     unsigned ahead)
{
	unsigned needed = CHANGES + 1;

	for (unsigned i = 0; i < forecast->periods.n; i++) {
		unsigned lag =
			whole_periods(forecast->periods.at[i], ahead, 1) + 2;

		if (lag > needed)
			needed = lag;
	}
	return needed;
}

/* What is known behind n values; in units of the deviation. */
static void fill_row(const struct share_forecast *forecast,
		     const double *history, unsigned n, unsigned ahead,
		     double *row)
{
	const double *now = history + n;
	double last = now[-1];

	*row++ = forecast->deviation;
	*row++ = last - forecast->mean;
	for (int i = 1; i <= CHANGES; i++)
		*row++ = now[-i] - now[-i - 1];
	for (unsigned i = 0; i < forecast->periods.n; i++) {
		const double *then =
			now - whole_periods(forecast->periods.at[i], ahead, 1);

		*row++ = then[ahead] - last;
		*row++ = then[ahead + 1] - then[ahead];
		*row++ = then[(int)ahead - 1] - then[ahead];
		*row++ = then[-1] - last;
		*row++ = then[-2] - now[-2];
	}
}

static unsigned count_factors(const struct share_forecast *forecast)
{
	return 2 + CHANGES + 5 * forecast->periods.n;
}

static void make_row(const struct share_forecast *forecast,
		     const double *history, unsigned n, unsigned ahead,
		     double *row)
{
	fill_row(forecast, history, n, ahead, row);
	for (unsigned i = 0; i < count_factors(forecast); i++)
		row[i] /= forecast->deviation;
}

/* The new value is what came some steps ahead of values before it. */
static void learn_regressions(struct share_forecast *forecast,
			      const double *history, unsigned n)
{
	double row[SHARE_FACTORS_MAX];

	for (unsigned ahead = 0; ahead < SHARE_LOOK_MAX; ahead++) {
		struct share_regression *regression =
			&forecast->regressions[ahead];
		unsigned known = n - 1 - ahead;

		if (n < 1 + ahead + count_needed(forecast, ahead))
			continue;
		if (regression->n == 0)
			share_regression_init(regression,
					      count_factors(forecast));
		make_row(forecast, history, known, ahead, row);
		share_regression_add(regression, row,
				     (history[n - 1] - history[known - 1]) /
					     forecast->deviation);
	}
}

static bool say_regression(const struct share_forecast *forecast,
			   const double *history, unsigned n, unsigned ahead,
			   double *value)
{
	const struct share_regression *regression =
		&forecast->regressions[ahead];
	double row[SHARE_FACTORS_MAX];

	if (regression->n == 0 || regression->rows < 2 * regression->n)
		return false;
	make_row(forecast, history, n, ahead, row);
	*value = history[n - 1] +
		 share_regression_result(regression, row) * forecast->deviation;
	return true;
}

/* ---- all of them ---- */

static const struct share_forecaster forecasters[] = {
	{"last", learn_nothing, say_last},
	{"seasonal", learn_season, say_season},
	{"autoregressive", learn_regressions, say_regression},
};

const char *const share_forecaster_names[] = {
	"last",
	"seasonal",
	"autoregressive",
	NULL,
};

const struct share_forecaster *share_forecaster_find(const char *name)
{
	for (size_t i = 0; i < LENGTH(forecasters); i++)
		if (strcmp(forecasters[i].name, name) == 0)
			return &forecasters[i];
	return NULL;
}

static bool are_finite(const double *values, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		if (!isfinite(values[i]))
			return false;
	return true;
}

/* Begins anew, with what the history is like. */
static void search(struct share_forecast *forecast, const double *history,
		   unsigned n)
{
	double sum = 0, squares = 0;

	*forecast = (struct share_forecast){
		.kind = forecast->kind,
		.searched = n,
		.periods = share_find_periods(history, n),
	};
	for (unsigned i = 0; i < n; i++)
		sum += history[i];
	forecast->mean = sum / n;
	for (unsigned i = 0; i < n; i++)
		squares += pow(history[i] - forecast->mean, 2);
	forecast->deviation = squares > 0 ? sqrt(squares / n) : 1;
}

int share_forecast(struct share_forecast *forecast, const double *history,
		   unsigned n, unsigned look, double *ahead)
{
	int result = 0;

	if (n == 0 || !are_finite(history, forecast->seen, n))
		return -EINVAL;
	if (n >= 2 * forecast->searched)
		search(forecast, history, n);
	while (forecast->seen < n)
		forecast->kind->learn(forecast, history, ++forecast->seen);
	for (unsigned i = 0; i < look; i++)
		if (!forecast->kind->say(forecast, history, n, i, &ahead[i])) {
			ahead[i] = history[n - 1];
			result = 1;
		}
	return result;
}
