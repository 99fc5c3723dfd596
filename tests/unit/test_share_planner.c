/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_planner.h"
#include "tests/check.h"
#include "tests/unit/share_tables.h"

#include <math.h>

/* Workloads of an application: which task has much to do changes slowly. */
static struct share_numbers numbers, usual;
static struct share_memory memory;
static struct share_rules rules;
static unsigned levels[TABLE_TASKS], next[TABLE_TASKS];
static char changes[TABLE_STEPS + 1]; /* of each step: 'x', or '.' */
static double total;                  /* seconds */

static void reset(double cost)
{
	uint32_t seed = 7;

	rules = (struct share_rules){.tasks = TABLE_TASKS,
				     .increments = 24,
				     .level_max = 1000,
				     .cost = cost};
	for (unsigned s = 0; s < TABLE_STEPS; s++)
		for (unsigned i = 0; i < TABLE_TASKS; i++)
			put_work(&numbers, s, i,
				 40 + (s / 6 % TABLE_TASKS == i ? 200 : 0) +
					 20 * drawn(&seed));
	for (unsigned i = 0; i < TABLE_TASKS; i++)
		put_work(&usual, 0, i, 50);
}

static struct share_table part_of(const struct share_numbers *all,
				  unsigned from, unsigned steps)
{
	struct share_table table = table_of(all, steps);

	table.seconds = &all->seconds[from][0][0];
	return table;
}

/* Plans one step, of which all that comes is known; true: a change. */
static bool plan_step(const struct share_planner *planner, unsigned step)
{
	unsigned left = TABLE_STEPS - step;
	const struct share_table average = table_of(&usual, 1);
	const struct share_table ahead = part_of(
		&numbers, step, planner->look < left ? planner->look : left);
	const struct share_table ended =
		part_of(&numbers, step > 0 ? step - 1 : 0, 1);
	const struct share_view view = {
		.rules = &rules,
		.ahead = &ahead,
		.usual = &average,
		.ended = step > 0 ? &ended : NULL,
		.levels = step > 0 ? levels : NULL,
		.step = step,
		.steps = TABLE_STEPS,
	};

	if (!planner->plan(planner, &view, &memory, next))
		return false;
	memcpy(levels, next, sizeof(levels));
	return true;
}

static bool run(const char *name)
{
	const struct share_table table = table_of(&numbers, TABLE_STEPS);
	struct share_planner planner;

	memset(&memory, 0, sizeof(memory));
	total = 0;
	if (!share_planner_find(&planner, name))
		return false;
	for (unsigned s = 0; s < TABLE_STEPS; s++) {
		bool is_change = plan_step(&planner, s);

		changes[s] = is_change ? 'x' : '.';
		total += share_step_seconds(&table, s, levels) +
			 (is_change && s > 0 ? rules.cost : 0);
	}
	return true;
}

static void static_plans_once_for_what_is_usual(void)
{
	reset(1);
	CHECK(run("static"));
	CHECK_TEXT(changes, "x.......................................");
	for (unsigned i = 0; i < TABLE_TASKS; i++)
		CHECK(levels[i] == 3);
}

static void a_window_plans_every_so_many_steps(void)
{
	reset(1);
	CHECK(run("window-7"));
	CHECK_TEXT(changes, "x......x......x......x......x......x....");
	CHECK(run("window-1"));
	CHECK_TEXT(changes, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
}

static void a_change_that_costs_more_than_it_spares_is_not_made(void)
{
	reset(1e6);
	CHECK(run("mpc"));
	CHECK_TEXT(changes, "x.......................................");
	CHECK(run("dynamic"));
	CHECK_TEXT(changes, "x...................x...................");
	CHECK(run("reactive"));
	CHECK_TEXT(changes, "x.......................................");
}

static void planners_change_the_shares_when_the_work_moves(void)
{
	reset(10);
	CHECK(run("mpc"));
	CHECK_TEXT(changes, "x.....x.....x.....x.....x.....x.....x...");
	CHECK(run("dynamic"));
	CHECK_TEXT(changes, "x.....x.....x.....x.....x.....x.....x...");
}

static void a_reactive_planner_changes_when_it_has_lost_a_change(void)
{
	reset(100);
	CHECK(run("reactive"));
	CHECK_TEXT(changes, "x..x....x.....x.....x.....x.....x.....x.");
}

/* Of all plans of `left` steps, by trying each next window. */
static double best_of_all(const struct share_table *table, unsigned from)
{
	struct share_work work;
	unsigned trial[TABLE_TASKS];
	double best = INFINITY;

	if (from == table->steps)
		return -rules.cost;
	for (unsigned to = from + 1; to <= table->steps; to++) {
		share_configure(&rules, table, from, to, &work, trial);
		best = fmin(best, share_window_seconds(table, from, to, trial) +
					  rules.cost + best_of_all(table, to));
	}
	return best;
}

static void a_dynamic_plan_is_the_best_of_all_windows(void)
{
	struct share_planner planner;

	for (unsigned cost = 0; cost < 60; cost += 7) {
		struct share_table table;
		unsigned window;
		double rest;

		reset(cost);
		table = table_of(&numbers, 9);
		CHECK(share_planner_find(&planner, "dynamic"));
		planner.look = 9;
		memset(&memory, 0, sizeof(memory));
		CHECK(plan_step(&planner, 0));
		window = memory.until;
		CHECK(window >= 1 && window <= 9);
		rest = window < 9 ? rules.cost + best_of_all(&table, window)
				  : 0;
		CHECK(fabs(share_window_seconds(&table, 0, window, levels) +
			   rest - best_of_all(&table, 0)) < 1e-9);
	}
}

static void a_penalty_for_long_plans_makes_more_changes(void)
{
	unsigned n = 0;

	reset(60);
	CHECK(run("mpc"));
	for (unsigned s = 0; s < TABLE_STEPS; s++)
		n += changes[s] == 'x';
	CHECK(run("mpc-1.02"));
	for (unsigned s = 0; s < TABLE_STEPS; s++)
		n -= changes[s] == 'x';
	CHECK((int)n < 0);
}

static void planners_are_found_by_their_names(void)
{
	struct share_planner planner;

	for (unsigned i = 0; share_planner_names[i]; i++) {
		CHECK(share_planner_find(&planner, share_planner_names[i]));
		CHECK_TEXT(planner.name, share_planner_names[i]);
	}
	CHECK(share_planner_find(&planner, "window-20"));
	CHECK(planner.look == 20);
	CHECK(!share_planner_find(&planner, "window-21"));
	CHECK(!share_planner_find(&planner, "window-0"));
	CHECK(!share_planner_find(&planner, "window-"));
	CHECK(!share_planner_find(&planner, "window-3x"));
	CHECK(!share_planner_find(&planner, ""));
	CHECK(!share_planner_find(&planner, "best"));
}

RUN_TESTS(TEST(static_plans_once_for_what_is_usual),
	  TEST(a_window_plans_every_so_many_steps),
	  TEST(a_change_that_costs_more_than_it_spares_is_not_made),
	  TEST(planners_change_the_shares_when_the_work_moves),
	  TEST(a_reactive_planner_changes_when_it_has_lost_a_change),
	  TEST(a_dynamic_plan_is_the_best_of_all_windows),
	  TEST(a_penalty_for_long_plans_makes_more_changes),
	  TEST(planners_are_found_by_their_names))
