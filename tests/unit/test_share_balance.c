/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_balance.h"
#include "tests/check.h"

#include <math.h>

enum { TASKS = 3, LEVELS = 31, WORKLOADS = 41 };

static double seconds[TASKS][WORKLOADS][LEVELS];
static const double first[TASKS] = {10, 10, 10};
static const double apart[TASKS] = {1, 1, 1};
static const struct share_grid grid = {TASKS, WORKLOADS, LEVELS,
				       first, apart,     &seconds[0][0][0]};
static const struct share_rules rules = {TASKS, 1000, 100, 30, 25, 15};
static const double *rows[SHARE_LOOK_MAX * SHARE_SCENARIOS * TASKS];
static struct share_scenes scenes;

/* Seconds as those of work that is split among processors. */
static void begin(void)
{
	for (unsigned i = 0; i < TASKS; i++)
		for (unsigned w = 0; w < WORKLOADS; w++)
			for (unsigned k = 0; k < LEVELS; k++)
				seconds[i][w][k] = (10 + w) * 100.0 / (10 + k);
	scenes = (struct share_scenes){
		.tasks = TASKS, .levels = LEVELS, .weight = 1, .rows = rows};
}

static void add_scenario(unsigned step, double a, double b, double c)
{
	const double workloads[TASKS] = {a, b, c};
	unsigned k = scenes.n[step]++;

	for (unsigned i = 0; i < TASKS; i++)
		rows[(step * SHARE_SCENARIOS + k) * TASKS + i] =
			share_grid_row(&grid, i, workloads[i]);
}

static bool levels_are(const unsigned *levels, unsigned a, unsigned b,
		       unsigned c)
{
	return levels[0] == a && levels[1] == b && levels[2] == c;
}

static void a_row_is_that_of_the_nearest_workload(void)
{
	begin();
	CHECK(share_grid_row(&grid, 1, 10) == seconds[1][0]);
	CHECK(share_grid_row(&grid, 1, 12.4) == seconds[1][2]);
	CHECK(share_grid_row(&grid, 2, 12.6) == seconds[2][3]);
	CHECK(share_grid_row(&grid, 0, -100) == seconds[0][0]);
	CHECK(share_grid_row(&grid, 0, 1e12) == seconds[0][40]);
	CHECK(share_grid_row(&grid, 0, NAN) == seconds[0][0]);
}

static void increments_are_spread_evenly(void)
{
	struct share_rules odd = rules;
	unsigned levels[TASKS];

	share_spread(&rules, levels);
	CHECK(levels_are(levels, 10, 10, 10));
	odd.increments = 32;
	share_spread(&odd, levels);
	CHECK(levels_are(levels, 11, 11, 10));
	odd.level_max = 4;
	share_spread(&odd, levels);
	CHECK(levels_are(levels, 4, 4, 4));
}

static void one_scenario_makes_all_tasks_as_slow(void)
{
	unsigned levels[TASKS];

	begin();
	add_scenario(0, 10, 20, 30);
	share_spread(&rules, levels);
	CHECK(share_balance(&rules, &scenes, 0, 1, levels) == 100);
	CHECK(levels_are(levels, 0, 10, 20));
	CHECK(share_scenes_seconds(&scenes, 0, 1, levels) == 100);
}

/* Task 0 is as slow with some increments more, and faster with many. */
static void levels_that_gain_nothing_are_crossed(void)
{
	unsigned levels[TASKS];

	begin();
	for (unsigned k = 0; k < LEVELS; k++)
		seconds[0][0][k] = k < 16 ? 200 : 100;
	add_scenario(0, 10, 10, 10);
	share_spread(&rules, levels);
	CHECK(share_scenes_seconds(&scenes, 0, 1, levels) == 200);
	CHECK(share_balance(&rules, &scenes, 0, 1, levels) == 100);
	CHECK(levels[0] >= 16);
}

static void a_task_has_no_more_than_it_may(void)
{
	unsigned levels[TASKS];

	begin();
	add_scenario(0, 10, 10, 50);
	share_spread(&rules, levels);
	share_balance(&rules, &scenes, 0, 1, levels);
	CHECK(levels[2] == 25 && levels[0] + levels[1] == 5);
}

/* The one whose workload varies is as heavy on average. */
static void a_task_that_is_less_certain_gets_more(void)
{
	unsigned levels[TASKS];
	double even;

	begin();
	add_scenario(0, 20, 20, 10);
	add_scenario(0, 20, 20, 30);
	share_spread(&rules, levels);
	even = share_scenes_seconds(&scenes, 0, 1, levels);
	CHECK(share_balance(&rules, &scenes, 0, 1, levels) < even);
	CHECK(levels[2] > 10 && levels[0] < 10 && levels[1] < 10);
	CHECK(levels[0] + levels[1] + levels[2] == 30);
}

/* Of all levels, the shortest. */
static double find_best(void)
{
	double best = INFINITY;

	for (unsigned a = 0; a <= 25; a++)
		for (unsigned b = a < 5 ? 5 - a : 0; b <= 25 && a + b <= 30;
		     b++)
			best = fmin(best,
				    share_scenes_seconds(
					    &scenes, 0, 2,
					    (unsigned[]){a, b, 30 - a - b}));
	return best;
}

static double draw(unsigned *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return 10 + (*seed >> 16) % 41;
}

static void few_other_levels_are_better_and_by_little(void)
{
	unsigned levels[TASKS], seed = 1, best = 0;

	for (unsigned i = 0; i < 200; i++) {
		double ratio;

		begin();
		scenes.weight = 0.5;
		for (unsigned k = 0; k < 8; k++) {
			double a = draw(&seed), b = draw(&seed);

			add_scenario(k % 2, a, b, draw(&seed));
		}
		share_spread(&rules, levels);
		ratio = share_balance(&rules, &scenes, 0, 2, levels) /
			find_best();
		CHECK(ratio >= 1 - 1e-9 && ratio < 1.01);
		best += ratio < 1 + 1e-9;
	}
	CHECK(best >= 150);
}

static void a_later_step_counts_by_its_weight(void)
{
	const unsigned levels[TASKS] = {0, 0, 0};

	begin();
	add_scenario(0, 10, 10, 10);
	add_scenario(1, 30, 10, 10);
	add_scenario(1, 10, 20, 10);
	scenes.weight = 0.5;
	CHECK(share_scenes_seconds(&scenes, 0, 2, levels) == 100 + 125);
	CHECK(share_scenes_seconds(&scenes, 1, 2, levels) == 250);
}

RUN_TESTS(TEST(a_row_is_that_of_the_nearest_workload),
	  TEST(increments_are_spread_evenly),
	  TEST(one_scenario_makes_all_tasks_as_slow),
	  TEST(levels_that_gain_nothing_are_crossed),
	  TEST(a_task_has_no_more_than_it_may),
	  TEST(a_task_that_is_less_certain_gets_more),
	  TEST(few_other_levels_are_better_and_by_little),
	  TEST(a_later_step_counts_by_its_weight))
