/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_profile.h"
#include "tests/check.h"

#include <math.h>

enum { ROWS = 5, COLUMNS = 6 };

static const double workloads[] = {10, 13, 17, 24, 30};
static const double shares[] = {1000, 1500, 1700, 2500, 4000, 8000};
static double seconds[ROWS * COLUMNS], room[3 * ROWS * COLUMNS];
static struct share_profile profile;

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

/* Of degree 3 along either axis, with mixed terms. */
static double cubic(double workload, double share)
{
	double x = workload / 10, y = share / 1000;

	return 50 + x * x * x - 2 * x * x * y + x * y * y -
	       0.1 * x * x * x * y * y * y + y * y * y / 7;
}

static void make(double (*f)(double, double), unsigned rows, unsigned columns)
{
	const struct share_axis along = {rows, workloads};
	const struct share_axis across = {columns, shares};

	for (unsigned i = 0; i < rows; i++)
		for (unsigned k = 0; k < columns; k++)
			seconds[i * columns + k] = f(workloads[i], shares[k]);
	share_profile_init(&profile, &along, &across, seconds, room);
}

static void a_polynomial_of_degree_three_is_met_everywhere(void)
{
	make(cubic, ROWS, COLUMNS);
	for (double w = 10; w <= 30; w += 0.7)
		for (double s = 1000; s <= 8000; s += 130)
			CHECK(near(share_profile_seconds(&profile, w, s),
				   cubic(w, s)));
}

static double wave(double workload, double share)
{
	return 20 + workload * sin(share / 900) + cos(workload / 3);
}

static void measured_cells_are_met_exactly(void)
{
	make(wave, ROWS, COLUMNS);
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned k = 0; k < COLUMNS; k++)
			CHECK(near(share_profile_seconds(&profile, workloads[i],
							 shares[k]),
				   wave(workloads[i], shares[k])));
}

static void outside_of_the_profile_it_takes_as_long_as_at_the_edge(void)
{
	make(cubic, ROWS, COLUMNS);
	CHECK(near(share_profile_seconds(&profile, 2, 500), cubic(10, 1000)));
	CHECK(near(share_profile_seconds(&profile, 99, 1600), cubic(30, 1600)));
	CHECK(near(share_profile_seconds(&profile, 20, 1e6), cubic(20, 8000)));
}

/* The second derivative along the shares on either side of a value. */
static double bend(double share, double step)
{
	double a = share_profile_seconds(&profile, 15, share);
	double b = share_profile_seconds(&profile, 15, share + step);
	double c = share_profile_seconds(&profile, 15, share + 2 * step);

	return (a - 2 * b + c) / (step * step);
}

static void the_spline_bends_alike_on_both_sides_of_a_measured_value(void)
{
	make(wave, ROWS, COLUMNS);
	for (unsigned k = 1; k < COLUMNS - 1; k++)
		CHECK(fabs(bend(shares[k], 0.5) - bend(shares[k], -0.5)) <
		      1e-6);
}

static double parabola(double workload, double share)
{
	return workload * share * share / 1e6;
}

static double plane(double workload, double share)
{
	return workload + share / 100 + workload * share / 5000;
}

static double constant(double workload, double share)
{
	return 7;
}

static void few_values_make_a_parabola_a_line_or_a_constant(void)
{
	make(parabola, 2, 3);
	CHECK(near(share_profile_seconds(&profile, 11, 1234),
		   parabola(11, 1234)));
	make(plane, 2, 2);
	CHECK(near(share_profile_seconds(&profile, 12, 1300), plane(12, 1300)));
	make(constant, 1, 1);
	CHECK(near(share_profile_seconds(&profile, 12, 1300), 7));
}

static void a_row_has_the_same_values_as_single_cells(void)
{
	double row[80];

	make(wave, ROWS, COLUMNS);
	share_profile_row(&profile, 18.5, 900, 100, 80, row);
	for (unsigned i = 0; i < 80; i++)
		CHECK(row[i] ==
		      share_profile_seconds(&profile, 18.5, 900 + 100.0 * i));
}

RUN_TESTS(TEST(a_polynomial_of_degree_three_is_met_everywhere),
	  TEST(measured_cells_are_met_exactly),
	  TEST(outside_of_the_profile_it_takes_as_long_as_at_the_edge),
	  TEST(the_spline_bends_alike_on_both_sides_of_a_measured_value),
	  TEST(few_values_make_a_parabola_a_line_or_a_constant),
	  TEST(a_row_has_the_same_values_as_single_cells))
