/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "core/interval.h"
#include "tests/check.h"

#include <math.h>

static msec_t best(msec_t cost, msec_t mtbf, unsigned nodes)
{
	const struct interval_facts facts = {
		.cost = cost, .mtbf = mtbf, .nodes = nodes};

	return interval_best(&facts);
}

/* Part of all time that goes to checkpoints, to work that is repeated and to
 * starts after failures, which come as a Poisson process: Daly 2006, equation
 * 20, with a restart that costs what a checkpoint does. */
static double waste(double interval, double cost, double mtbf)
{
	double whole = mtbf * exp(cost / mtbf) *
		       (exp((interval + cost) / mtbf) - 1) / interval;

	return whole - 1;
}

static void it_is_youngs_where_checkpoints_are_cheap(void)
{
	double young = sqrt(2.0 * 1000 * (double)MINUTES(60 * 24 * 365));
	double is = (double)best(1000, MINUTES(60 * 24 * 365), 1);

	CHECK(fabs(is - young) < 1000);
}

/* Young's alone would be 14.142 s, less the cost; Daly's adds 2.41 % to it. */
static void it_is_dalys_where_they_are_not(void)
{
	CHECK(best(1000, SECONDS(100), 1) == 13483);
}

static void nothing_near_it_wastes_less(void)
{
	static const struct {
		msec_t cost, mtbf;
		unsigned nodes;
	} cases[] = {
		{SECONDS(1), MINUTES(60), 1},
		{SECONDS(60), MINUTES(60 * 24), 4},
		{MINUTES(5), MINUTES(60 * 24 * 30), 100},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		double cost = (double)cases[i].cost;
		double mtbf = (double)cases[i].mtbf / cases[i].nodes;
		double at = (double)best(cases[i].cost, cases[i].mtbf,
					 cases[i].nodes);
		double least = waste(at, cost, mtbf);

		for (double other = at / 8; other < at * 8; other *= 1.05)
			CHECK(waste(other, cost, mtbf) > least * 0.999);
	}
}

static void more_nodes_fail_more_often(void)
{
	msec_t one = best(1000, MINUTES(60 * 24 * 365), 1);
	msec_t hundred = best(1000, MINUTES(60 * 24 * 365), 100);

	CHECK(hundred > one / 11 && hundred < one / 9);
	CHECK(best(1000, MINUTES(60), 0) == best(1000, MINUTES(60), 1));
}

static void checkpoints_never_take_more_than_a_tenth(void)
{
	static const msec_t costs[] = {10, 1000, MINUTES(1), MINUTES(60)};

	for (size_t i = 0; i < LENGTH(costs); i++)
		for (msec_t mtbf = 1; mtbf < MINUTES(60 * 24 * 365);
		     mtbf *= 3) {
			msec_t at = best(costs[i], mtbf, 7);

			CHECK(costs[i] * INTERVAL_SHARE <= at + costs[i]);
			CHECK(at >= INTERVAL_LEAST && at <= INTERVAL_MOST);
		}
}

static void they_take_a_tenth_where_failures_never_cease(void)
{
	CHECK(best(1000, 1, 1) == 9000);
}

static void a_cost_that_is_not_known_is_guessed(void)
{
	CHECK(best(1, MINUTES(60), 1) < best(2, MINUTES(60), 1));
	CHECK(best(0, MINUTES(60), 1) ==
	      best(INTERVAL_COST_GUESS, MINUTES(60), 1));
}

RUN_TESTS(TEST(it_is_youngs_where_checkpoints_are_cheap),
	  TEST(it_is_dalys_where_they_are_not),
	  TEST(nothing_near_it_wastes_less), TEST(more_nodes_fail_more_often),
	  TEST(checkpoints_never_take_more_than_a_tenth),
	  TEST(they_take_a_tenth_where_failures_never_cease),
	  TEST(a_cost_that_is_not_known_is_guessed))
