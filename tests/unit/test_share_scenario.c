/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_planner.h"
#include "tests/check.h"

#include <math.h>

enum {
	TASKS = 4,
	LEVELS = 41,
	WORKLOADS = 401,
	STEPS = 200,
	LOOK = 6,
	SEEDS = 2
};

static const struct share_rules rules = {TASKS, 1000, 100, 60, 40, 15};

/* ---- a world of workloads that swing and jump, and its forecasts ---- */

static double seconds[TASKS][WORKLOADS][LEVELS];
static const double first[TASKS] = {10, 10, 10, 10};
static const double apart[TASKS] = {0.1, 0.1, 0.1, 0.1};
static const struct share_grid grid = {TASKS, WORKLOADS, LEVELS,
				       first, apart,     &seconds[0][0][0]};
static double workloads[STEPS + LOOK][TASKS];
static double forecasts[STEPS][LOOK][TASKS];

/* Work that is split among processors. */
static void make_grid(void)
{
	for (unsigned i = 0; i < TASKS; i++)
		for (unsigned w = 0; w < WORKLOADS; w++)
			for (unsigned k = 0; k < LEVELS; k++)
				seconds[i][w][k] =
					(10 + 0.1 * w) * 80 / (10 + k);
}

static double draw(unsigned *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) / (double)(1 << 24);
}

/* About normal. */
static double draw_noise(unsigned *seed)
{
	double sum = -6;

	for (unsigned i = 0; i < 12; i++)
		sum += draw(seed);
	return sum;
}

static void make_workloads(unsigned seed)
{
	double at[TASKS] = {0};

	for (unsigned s = 0; s < STEPS + LOOK; s++)
		for (unsigned i = 0; i < TASKS; i++) {
			if (draw(&seed) < 0.05)
				at[i] = 16 * draw(&seed) - 8;
			workloads[s][i] =
				30 + at[i] + 8 * sin(s * 0.13 * (i + 1) + i);
		}
}

/* Task 0 is above its forecasts by the bias; errors grow with the distance. */
static void make_forecasts(double bias, double noise, unsigned seed)
{
	for (unsigned s = 0; s < STEPS; s++)
		for (unsigned h = 0; h < LOOK; h++)
			for (unsigned i = 0; i < TASKS; i++)
				forecasts[s][h][i] =
					workloads[s + h][i] -
					(i == 0 ? bias : 0) +
					noise * sqrt(h + 1) * draw_noise(&seed);
}

static void make_world(unsigned seed, double bias, double noise)
{
	make_grid();
	make_workloads(seed);
	make_forecasts(bias, noise, seed + 1000);
}

/* ---- a run ---- */

static double room[SHARE_PAST_STEPS * TASKS * (LOOK + 1)];
static const double *rows[SHARE_LOOK_MAX * SHARE_SCENARIOS * TASKS];
static double ahead_cells[LOOK * TASKS * LEVELS];
static struct share_memory memory;

struct run {
	double seconds; /* with what the changes take */
	unsigned changes;
	unsigned levels[STEPS][TASKS]; /* that each step had */
};

static struct run run;

static void fill_table(unsigned step)
{
	for (unsigned h = 0; h < LOOK; h++)
		for (unsigned i = 0; i < TASKS; i++)
			memcpy(&ahead_cells[(h * TASKS + i) * LEVELS],
			       share_grid_row(&grid, i, forecasts[step][h][i]),
			       LEVELS * sizeof(double));
}

static double seconds_of(unsigned step, const unsigned *levels)
{
	double slowest = 0;

	for (unsigned i = 0; i < TASKS; i++)
		slowest = fmax(slowest,
			       share_grid_row(&grid, i,
					      workloads[step][i])[levels[i]]);
	return slowest;
}

static void take_step(const struct share_planner *planner,
		      struct share_past *past, unsigned step, unsigned *levels)
{
	const struct share_table ahead = {LOOK, TASKS, LEVELS, ahead_cells};
	struct share_view view = {
		.rules = &rules,
		.ahead = &ahead,
		.levels = step > 0 ? levels : NULL,
		.step = step,
		.steps = STEPS,
		.past = past,
		.grid = &grid,
	};
	unsigned next[TASKS];

	fill_table(step);
	share_past_forecast(past, &forecasts[step][0][0]);
	if (planner->plan(planner, &view, &memory, next)) {
		memcpy(levels, next, sizeof(next));
		run.changes += step > 0;
		run.seconds += step > 0 ? rules.cost : 0;
	}
	memcpy(run.levels[step], levels, sizeof(next));
	run.seconds += seconds_of(step, levels);
	share_past_ended(past, workloads[step]);
}

static void run_all(const char *name)
{
	struct share_planner planner;
	struct share_past past;
	unsigned levels[TASKS];

	run = (struct run){0};
	memset(&memory, 0, sizeof(memory));
	memory.rows = rows;
	if (!share_planner_find(&planner, name))
		return;
	planner.look = LOOK;
	share_past_init(&past, TASKS, LOOK, room);
	for (unsigned s = 0; s < STEPS; s++)
		take_step(&planner, &past, s, levels);
}

static double run_seconds(const char *name)
{
	run_all(name);
	return run.seconds;
}

/* ---- tests ---- */

static void with_exact_forecasts_it_is_as_good_as_mpc(void)
{
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		make_world(seed, 0, 0);
		CHECK(run_seconds("scenario") <= run_seconds("mpc"));
		CHECK(run.changes > 20);
	}
}

static void with_noise_it_is_better_than_mpc(void)
{
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		make_world(seed, 0, 2);
		CHECK(run_seconds("scenario") < 0.99 * run_seconds("mpc"));
	}
}

/* And hardly worse than with exact forecasts. */
static void with_bias_it_is_better_than_mpc(void)
{
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		double exact, biased;

		make_world(seed, 0, 0);
		exact = run_seconds("scenario");
		make_world(seed, 5, 0);
		biased = run_seconds("scenario");
		CHECK(biased < 0.95 * run_seconds("mpc"));
		CHECK(biased < 1.005 * exact);
	}
}

/* All that comes from step 100 on is another, but for the forecast that step
 * 100 has. */
static void the_same_past_gives_the_same_levels(void)
{
	struct run before;

	make_world(1, 0, 2);
	run_all("scenario");
	before = run;
	for (unsigned s = 100; s < STEPS; s++)
		for (unsigned i = 0; i < TASKS; i++) {
			workloads[s][i] = 60 - workloads[s][i];
			for (unsigned h = 0; h < LOOK && s > 100; h++)
				forecasts[s][h][i] = 60 - forecasts[s][h][i];
		}
	run_all("scenario");
	CHECK(memcmp(before.levels, run.levels, 101 * sizeof(*run.levels)) ==
	      0);
	CHECK(memcmp(before.levels[101], run.levels[101],
		     (STEPS - 101) * sizeof(*run.levels)) != 0);
}

static void all_increments_are_given_and_none_twice(void)
{
	make_world(2, 3, 3);
	run_all("scenario");
	for (unsigned s = 0; s < STEPS; s++) {
		unsigned sum = 0;

		for (unsigned i = 0; i < TASKS; i++) {
			CHECK(run.levels[s][i] <= rules.level_max);
			sum += run.levels[s][i];
		}
		CHECK(sum == rules.increments);
	}
}

/* But for those while the errors become known. */
static void steps_that_are_alike_need_no_change(void)
{
	make_world(1, 0, 0);
	for (unsigned s = 0; s < STEPS + LOOK; s++)
		for (unsigned i = 0; i < TASKS; i++)
			workloads[s][i] = 20 + 5 * i;
	make_forecasts(2, 0.5, 1);
	run_all("scenario");
	CHECK(run.changes <= 3);
	CHECK(memcmp(run.levels[20], run.levels[STEPS - 1],
		     sizeof(run.levels[20])) == 0);
}

/* Shares that fit the last step spare 10 s in each step. */
static void what_pays_only_behind_the_end_is_not_done(void)
{
	make_world(1, 0, 0);
	for (unsigned s = 0; s < STEPS + LOOK; s++)
		for (unsigned i = 0; i < TASKS; i++)
			workloads[s][i] = i == 0 && s >= STEPS - 1 ? 35 : 30;
	make_forecasts(0, 0, 1);
	run_all("scenario");
	CHECK(run.changes == 0);
	for (unsigned s = STEPS - 6; s < STEPS + LOOK; s++)
		workloads[s][0] = 35;
	make_forecasts(0, 0, 1);
	run_all("scenario");
	CHECK(run.changes == 1);
}

static void plans_that_are_followed_count_in_full(void)
{
	make_world(1, 0, 0);
	run_all("scenario");
	CHECK(memory.asked == STEPS - 1);
	CHECK(memory.followed > 0.95 * memory.asked);
	make_world(1, 0, 3);
	run_all("scenario");
	CHECK(memory.asked == STEPS - 1);
	CHECK(memory.followed < 0.85 * memory.asked);
}

RUN_TESTS(TEST(with_exact_forecasts_it_is_as_good_as_mpc),
	  TEST(with_noise_it_is_better_than_mpc),
	  TEST(with_bias_it_is_better_than_mpc),
	  TEST(the_same_past_gives_the_same_levels),
	  TEST(all_increments_are_given_and_none_twice),
	  TEST(steps_that_are_alike_need_no_change),
	  TEST(what_pays_only_behind_the_end_is_not_done),
	  TEST(plans_that_are_followed_count_in_full))
