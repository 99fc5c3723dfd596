/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share.h"
#include "tests/check.h"
#include "tests/unit/share_tables.h"

#include <math.h>

static struct share_numbers numbers;
static struct share_work work;
static unsigned levels[TABLE_TASKS];
static const struct share_rules rules = {
	.tasks = TABLE_TASKS, .increments = 30, .level_max = 1000};

/* ---- Algorithm 1 as the paper writes it, without anything kept ---- */

static unsigned slowest_in(const struct share_table *table, unsigned step)
{
	unsigned slowest = 0;

	for (unsigned i = 1; i < TABLE_TASKS; i++)
		if (share_seconds(table, step, i, levels[i]) >
		    share_seconds(table, step, slowest, levels[slowest]))
			slowest = i;
	return slowest;
}

/* The best one of those that are slowest; the first one seen of two alike. */
static unsigned best_task(const struct share_table *table, unsigned from,
			  unsigned to)
{
	double gains[TABLE_TASKS] = {0};
	unsigned seen[TABLE_STEPS], n = 0, best;

	for (unsigned s = from; s < to; s++) {
		unsigned i = slowest_in(table, s);

		gains[i] += pow(0.95, s - from) *
			    (share_seconds(table, s, i, levels[i]) -
			     share_seconds(table, s, i, levels[i] + 1));
		seen[n++] = i;
	}
	best = seen[0];
	for (unsigned k = 1; k < n; k++)
		if (gains[seen[k]] > gains[best])
			best = seen[k];
	return best;
}

static void configure_plainly(const struct share_table *table, unsigned from,
			      unsigned to)
{
	memset(levels, 0, sizeof(levels));
	for (unsigned i = 0; i < rules.increments; i++)
		levels[best_task(table, from, to)]++;
}

/* ---- tests ---- */

static void fill_by_lot(uint32_t seed)
{
	for (unsigned s = 0; s < TABLE_STEPS; s++)
		for (unsigned i = 0; i < TABLE_TASKS; i++)
			for (unsigned k = 0; k < TABLE_LEVELS; k++)
				numbers.seconds[s][i][k] =
					(20 + 100 * floor(4 * drawn(&seed))) /
						(1 + k) +
					drawn(&seed);
}

static void increments_go_where_algorithm_1_gives_them(void)
{
	for (uint32_t seed = 1; seed <= 200; seed++) {
		unsigned from = seed % 5, to = from + 1 + seed % 20;
		struct share_table table;
		unsigned got[TABLE_TASKS];

		fill_by_lot(seed);
		table = table_of(&numbers, TABLE_STEPS);
		share_configure(&rules, &table, from, to, &work, got);
		configure_plainly(&table, from, to);
		CHECK(memcmp(got, levels, sizeof(got)) == 0);
	}
}

static void the_first_of_tasks_that_are_alike_comes_first(void)
{
	const struct share_table table = table_of(&numbers, 1);
	const struct share_rules few = {
		.tasks = TABLE_TASKS, .increments = 3, .level_max = 1000};

	for (unsigned i = 0; i < TABLE_TASKS; i++)
		put_work(&numbers, 0, i, 60);
	share_configure(&few, &table, 0, 1, &work, levels);
	for (unsigned i = 0; i < TABLE_TASKS; i++)
		CHECK(levels[i] == (i < 3));
}

static void no_task_gets_more_than_it_may(void)
{
	const struct share_table table = table_of(&numbers, 1);
	const struct share_rules narrow = {
		.tasks = TABLE_TASKS, .increments = 30, .level_max = 4};

	for (unsigned i = 0; i < TABLE_TASKS; i++)
		put_work(&numbers, 0, i, i == 2 ? 1000 : 10);
	share_configure(&narrow, &table, 0, 1, &work, levels);
	CHECK(levels[2] == 4);
}

static void a_single_task_gets_all(void)
{
	const double seconds[] = {30, 20, 10};
	const struct share_table table = {1, 1, 3, seconds};
	const struct share_rules lone = {
		.tasks = 1, .increments = 9, .level_max = 1000};

	share_configure(&lone, &table, 0, 1, &work, levels);
	CHECK(levels[0] == 9);
	CHECK(share_step_seconds(&table, 0, levels) == 10);
}

static void a_level_is_so_many_increments_above_the_least(void)
{
	const struct share_rules some = {.least = 80, .increment = 10};

	CHECK(share_at(&some, 0) == 80);
	CHECK(share_at(&some, 92) == 1000);
}

static void a_window_takes_what_its_slowest_tasks_take(void)
{
	const struct share_table table = table_of(&numbers, 3);

	memset(levels, 0, sizeof(levels));
	levels[1] = 1;
	for (unsigned s = 0; s < 3; s++)
		for (unsigned i = 0; i < TABLE_TASKS; i++)
			put_work(&numbers, s, i, 10 * s + i);
	put_work(&numbers, 2, 1, 100);
	CHECK(share_step_seconds(&table, 0, levels) == 7);
	CHECK(share_step_seconds(&table, 2, levels) == 50);
	CHECK(share_window_seconds(&table, 0, 3, levels) == 7 + 17 + 50);
}

RUN_TESTS(TEST(increments_go_where_algorithm_1_gives_them),
	  TEST(the_first_of_tasks_that_are_alike_comes_first),
	  TEST(no_task_gets_more_than_it_may), TEST(a_single_task_gets_all),
	  TEST(a_level_is_so_many_increments_above_the_least),
	  TEST(a_window_takes_what_its_slowest_tasks_take))
