/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_forecast.h"
#include "tests/check.h"

#include <errno.h>
#include <math.h>

enum { VALUES = 900, LOOK = 20 };

static double values[VALUES + LOOK];
static double ahead[LOOK];
static struct share_forecast forecast;

static void begin(const char *name)
{
	forecast = (struct share_forecast){.kind = share_forecaster_find(name)};
}

static double draw(unsigned *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) / (double)(1 << 24);
}

static void make_sinus(unsigned period, double drift, double noise)
{
	unsigned seed = 1;

	for (unsigned i = 0; i < VALUES + LOOK; i++)
		values[i] = 100 + 20 * sin(2 * M_PI * i / period) +
			    3 * cos(6 * M_PI * i / period) + drift * i +
			    noise * (draw(&seed) - 0.5);
}

/* Of the steps that are forecast, the one that is missed most. */
static double find_worst(unsigned n)
{
	double worst = 0;

	for (unsigned i = 0; i < LOOK; i++) {
		double off = fabs(ahead[i] - values[n + i]);

		if (!(off <= worst))
			worst = off;
	}
	return worst;
}

static void the_period_of_a_sinus_is_found(void)
{
	const unsigned periods[] = {12, 24, 48, 144};

	for (unsigned i = 0; i < 4; i++) {
		struct share_periods found;

		make_sinus(periods[i], 0.1, 2);
		found = share_find_periods(values, VALUES);
		CHECK(found.n == 1 && found.at[0] == periods[i]);
	}
}

/* Each seventh day is another one. */
static void a_day_is_found_in_a_week(void)
{
	struct share_periods found;

	make_sinus(24, 0, 1);
	for (unsigned i = 0; i < VALUES; i++)
		if (i / 24 % 7 == 6)
			values[i] = 100 + 0.3 * (values[i] - 100);
	found = share_find_periods(values, VALUES);
	CHECK(found.n == 2 && found.at[0] == 168 && found.at[1] == 24);
}

static void a_series_without_a_period_has_none(void)
{
	unsigned seed = 1;

	for (unsigned i = 0; i < VALUES; i++)
		values[i] = draw(&seed);
	CHECK(share_find_periods(values, VALUES).n == 0);
	for (unsigned i = 0; i < VALUES; i++)
		values[i] = 7;
	CHECK(share_find_periods(values, VALUES).n == 0);
	CHECK(share_find_periods(values, 3).n == 0);
	CHECK(share_find_periods(values, 0).n == 0);
}

static void a_period_is_repeated(void)
{
	for (unsigned i = 1; i < 3; i++) {
		begin(share_forecaster_names[i]);
		make_sinus(48, 0, 0);
		CHECK(share_forecast(&forecast, values, VALUES, LOOK, ahead) ==
		      0);
		CHECK(find_worst(VALUES) < 0.5);
	}
	begin("last");
	CHECK(share_forecast(&forecast, values, VALUES, LOOK, ahead) == 0);
	CHECK(ahead[0] == values[VALUES - 1] && ahead[19] == ahead[0]);
	CHECK(find_worst(VALUES) > 10);
}

static void a_period_may_be_shorter_than_the_look(void)
{
	for (unsigned i = 1; i < 3; i++) {
		double then[LOOK];

		begin(share_forecaster_names[i]);
		make_sinus(12, 0, 0);
		memcpy(then, values + VALUES, sizeof(then));
		for (unsigned k = 0; k < LOOK; k++)
			values[VALUES + k] = 1e9;
		CHECK(share_forecast(&forecast, values, VALUES, LOOK, ahead) ==
		      0);
		memcpy(values + VALUES, then, sizeof(then));
		CHECK(find_worst(VALUES) < 0.5);
	}
}

/* The difference from one period ago halves from step to step. */
static void what_is_left_of_a_difference_is_added(void)
{
	double shock = 0, off;
	unsigned seed = 3;

	make_sinus(48, 0, 0);
	begin("seasonal");
	for (unsigned i = 0; i < VALUES; i++) {
		shock = 0.5 * shock + draw(&seed) - 0.5;
		values[i] += shock;
	}
	CHECK(share_forecast(&forecast, values, VALUES, LOOK, ahead) == 0);
	CHECK(forecast.periods.at[0] % 48 == 0);
	off = values[VALUES - 1] - values[VALUES - 1 - forecast.periods.at[0]];
	CHECK(fabs(off) > 0.1);
	for (unsigned i = 0; i < 4; i++) {
		double kept = (ahead[i] -
			       values[VALUES + i - forecast.periods.at[0]]) /
			      off;

		CHECK(fabs(kept - pow(0.5, i + 1)) < 0.1);
	}
}

static void a_ramp_goes_on(void)
{
	for (unsigned i = 0; i < VALUES + LOOK; i++)
		values[i] = 10 + 0.25 * i;
	begin("autoregressive");
	CHECK(share_forecast(&forecast, values, VALUES, LOOK, ahead) == 0);
	CHECK(find_worst(VALUES) < 0.01);
}

static void what_is_constant_stays(void)
{
	for (unsigned i = 0; i < VALUES + LOOK; i++)
		values[i] = 42;
	for (unsigned k = 0; share_forecaster_names[k]; k++) {
		begin(share_forecaster_names[k]);
		share_forecast(&forecast, values, VALUES, LOOK, ahead);
		CHECK(find_worst(VALUES) < 1e-9);
	}
}

static void a_value_that_is_no_number_is_refused(void)
{
	for (unsigned k = 0; share_forecaster_names[k]; k++) {
		make_sinus(24, 0, 1);
		begin(share_forecaster_names[k]);
		CHECK(share_forecast(&forecast, values, 0, LOOK, ahead) ==
		      -EINVAL);
		values[17] = NAN;
		CHECK(share_forecast(&forecast, values, 100, LOOK, ahead) ==
		      -EINVAL);
		CHECK(share_forecast(&forecast, values, 17, 1, ahead) >= 0);
		values[17] = INFINITY;
		CHECK(share_forecast(&forecast, values, 18, LOOK, ahead) ==
		      -EINVAL);
		values[17] = 100;
		CHECK(share_forecast(&forecast, values, 18, 1, ahead) >= 0);
	}
}

static void too_short_a_history_gives_the_last_value(void)
{
	make_sinus(24, 0, 0);
	for (unsigned k = 1; k < 3; k++) {
		begin(share_forecaster_names[k]);
		for (unsigned n = 1; n < 12; n++) {
			CHECK(share_forecast(&forecast, values, n, LOOK,
					     ahead) == 1);
			for (unsigned i = 0; i < LOOK; i++)
				CHECK(ahead[i] == values[n - 1]);
		}
		/* Twice as long: all is looked for again. */
		CHECK(share_forecast(&forecast, values, 480, LOOK, ahead) == 0);
		CHECK(find_worst(480) < 0.5);
	}
}

/* Values come one by one, or all at once. */
static void it_learns_as_values_come(void)
{
	static struct share_forecast other;
	double same[LOOK], before = 0, after = 0;

	make_sinus(24, 0, 10);
	begin("autoregressive");
	for (unsigned n = 500; n <= VALUES; n++) {
		share_forecast(&forecast, values, n, LOOK, ahead);
		if (n < 600)
			before += pow(ahead[0] - values[n], 2);
		if (n >= 800 && n < VALUES)
			after += pow(ahead[0] - values[n], 2);
	}
	CHECK(after < before * 1.1);
	CHECK(forecast.searched == 500 && forecast.seen == VALUES);
	other = (struct share_forecast){.kind = forecast.kind};
	share_forecast(&other, values, 500, LOOK, same);
	share_forecast(&other, values, VALUES, LOOK, same);
	CHECK(memcmp(same, ahead, sizeof(same)) == 0);
}

static void a_name_that_is_none_is_not_found(void)
{
	for (unsigned k = 0; share_forecaster_names[k]; k++)
		CHECK_TEXT(
			share_forecaster_find(share_forecaster_names[k])->name,
			share_forecaster_names[k]);
	CHECK(!share_forecaster_find("lstm"));
}

RUN_TESTS(TEST(the_period_of_a_sinus_is_found), TEST(a_day_is_found_in_a_week),
	  TEST(a_series_without_a_period_has_none), TEST(a_period_is_repeated),
	  TEST(a_period_may_be_shorter_than_the_look),
	  TEST(what_is_left_of_a_difference_is_added), TEST(a_ramp_goes_on),
	  TEST(what_is_constant_stays),
	  TEST(a_value_that_is_no_number_is_refused),
	  TEST(too_short_a_history_gives_the_last_value),
	  TEST(it_learns_as_values_come),
	  TEST(a_name_that_is_none_is_not_found))
