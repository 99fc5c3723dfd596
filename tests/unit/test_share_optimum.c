/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_optimum.h"
#include "core/share_stay.h"
#include "tests/check.h"

#include <math.h>
#include <stdint.h>

/* Tiny applications, of which all plans can be tried. */
enum { STEPS = 5, TASKS = 3, LEVELS = 5, INCREMENTS = 4 };
/* Larger ones. */
enum { MANY_STEPS = 100, MANY_TASKS = 6, MANY_LEVELS = 40 };

static double seconds[MANY_STEPS * MANY_TASKS * MANY_LEVELS];
static struct share_table table;
static struct share_rules rules;
static struct share_optimum optimum;
static unsigned levels[MANY_STEPS * MANY_TASKS];
static _Alignas(16) char room[1 << 20];
static uint64_t lot;

/* 0 to n - 1, by Knuth's generator. */
static unsigned draw(unsigned n)
{
	lot = lot * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(lot >> 33) % n;
}

static void reset(unsigned long seed)
{
	lot = seed;
	table = (struct share_table){STEPS, TASKS, LEVELS, seconds};
	rules = (struct share_rules){TASKS,      1000,       100,
				     INCREMENTS, INCREMENTS, 15};
}

static double *seconds_at(unsigned step, unsigned task, unsigned level)
{
	return &seconds[(step * table.tasks + task) * table.levels + level];
}

/* With more shares a task is faster, more or less; `rough` per cent. */
static void draw_seconds(unsigned rough)
{
	for (unsigned s = 0; s < table.steps; s++)
		for (unsigned i = 0; i < table.tasks; i++) {
			double work = 40 + draw(200);

			for (unsigned k = 0; k < table.levels; k++)
				*seconds_at(s, i, k) =
					work / (k + 2) *
					(1 + draw(rough + 1) / 100.0);
		}
}

/* Whole seconds without any order, many of them alike. */
static void draw_disorder(void)
{
	for (unsigned s = 0; s < table.steps; s++)
		for (unsigned i = 0; i < table.tasks; i++)
			for (unsigned k = 0; k < table.levels; k++)
				*seconds_at(s, i, k) = draw(12);
}

/* False: it does not keep to its room. */
static bool find(void)
{
	size_t used = share_optimum_room(&table);

	if (used + 64 > sizeof(room))
		return false;
	memset(room, 0, used);
	memset(room + used, 0x55, 64);
	share_optimum_find(&optimum, &rules, &table, NULL, room, levels);
	for (size_t i = used; i < used + 64; i++)
		if (room[i] != 0x55)
			return false;
	return true;
}

/* ---- all plans ---- */

static double step_seconds(unsigned step, const unsigned *plan)
{
	double slowest = 0;

	for (unsigned i = 0; i < table.tasks; i++) {
		unsigned k =
			plan[i] < table.levels ? plan[i] : table.levels - 1;

		slowest = fmax(slowest, *seconds_at(step, i, k));
	}
	return slowest;
}

static double stay_seconds(unsigned from, unsigned to, const unsigned *plan)
{
	double sum = 0;

	for (unsigned s = from; s < to; s++)
		sum += step_seconds(s, plan);
	return sum;
}

static bool is_allowed(const unsigned *plan)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < table.tasks; i++) {
		if (plan[i] > rules.level_max)
			return false;
		sum += plan[i];
	}
	return sum <= rules.increments;
}

/* Of three tasks. */
static double best_stay(unsigned from, unsigned to)
{
	double best = INFINITY;

	for (unsigned a = 0; a <= INCREMENTS; a++)
		for (unsigned b = 0; b <= INCREMENTS; b++)
			for (unsigned c = 0; c <= INCREMENTS; c++) {
				unsigned plan[] = {a, b, c};

				if (is_allowed(plan))
					best = fmin(best, stay_seconds(from, to,
								       plan));
			}
	return best;
}

/* A bit of `changes` is a change before the step behind its own. */
static double best_with(unsigned changes)
{
	double sum = 0;
	unsigned from = 0;

	for (unsigned to = 1; to <= STEPS; to++) {
		if (to < STEPS && !(changes & 1u << (to - 1)))
			continue;
		sum += best_stay(from, to) + (from > 0 ? rules.cost : 0);
		from = to;
	}
	return sum;
}

static double best_of_all(void)
{
	double best = INFINITY;

	for (unsigned changes = 0; changes < 1u << (STEPS - 1); changes++)
		best = fmin(best, best_with(changes));
	return best;
}

static double best_steps(void)
{
	double sum = 0;

	for (unsigned s = 0; s < table.steps; s++)
		sum += best_stay(s, s + 1);
	return sum;
}

/* ---- what a plan says of itself ---- */

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

static bool is_as_told(void)
{
	double sum = 0;
	unsigned changes = 0;

	for (unsigned s = 0; s < table.steps; s++) {
		const unsigned *plan = levels + s * table.tasks;

		if (!is_allowed(plan))
			return false;
		sum += step_seconds(s, plan);
		changes += s > 0 && memcmp(plan, plan - table.tasks,
					   table.tasks * sizeof(*plan)) != 0;
	}
	return changes <= optimum.changes &&
	       is_near(optimum.seconds, sum + optimum.changes * rules.cost) &&
	       optimum.bound <= optimum.seconds;
}

/* ---- the tests ---- */

static void a_plan_is_the_best_of_all(void)
{
	for (unsigned i = 0; i < 400; i++) {
		reset(i);
		rules.cost = draw(30);
		rules.level_max = 2 + draw(3);
		table.levels = 3 + draw(3);
		draw_seconds(10 * draw(6));
		CHECK(find());
		CHECK(is_as_told());
		CHECK(is_near(optimum.seconds, best_of_all()));
		CHECK(is_near(optimum.bound, optimum.seconds));
	}
}

static void more_shares_may_make_tasks_slower(void)
{
	for (unsigned i = 0; i < 400; i++) {
		reset(i);
		rules.cost = draw(8);
		rules.level_max = 2 + draw(3);
		draw_disorder();
		CHECK(find());
		CHECK(is_as_told());
		CHECK(is_near(optimum.seconds, best_of_all()));
		CHECK(is_near(optimum.bound, optimum.seconds));
	}
}

static void one_step_is_solved(void)
{
	for (unsigned i = 0; i < 200; i++) {
		reset(i);
		table.steps = 1;
		if (i % 2)
			draw_disorder();
		else
			draw_seconds(30);
		CHECK(find());
		CHECK(is_as_told());
		CHECK(is_near(optimum.seconds, best_stay(0, 1)));
		CHECK(is_near(optimum.bound, optimum.seconds));
		CHECK(optimum.changes == 0);
	}
}

static void changes_that_cost_nothing_come_before_each_step(void)
{
	reset(1);
	table.steps = 30;
	rules.cost = 0;
	draw_seconds(30);
	CHECK(find());
	CHECK(is_as_told());
	CHECK(is_near(optimum.seconds, best_steps()));
	CHECK(is_near(optimum.bound, optimum.seconds));
}

static void changes_that_cost_too_much_are_not_made(void)
{
	for (unsigned i = 0; i < 50; i++) {
		reset(i);
		rules.cost = 1e6;
		draw_seconds(30);
		CHECK(find());
		CHECK(is_as_told());
		CHECK(optimum.changes == 0);
		CHECK(is_near(optimum.seconds, best_stay(0, STEPS)));
		CHECK(is_near(optimum.bound, optimum.seconds));
	}
}

/* It is longer than the stays that are solved. */
static void steps_that_are_alike_are_one_stay(void)
{
	reset(1);
	table.steps = MANY_STEPS;
	draw_seconds(0);
	for (unsigned s = 1; s < MANY_STEPS; s++)
		memcpy(seconds_at(s, 0, 0), seconds,
		       TASKS * LEVELS * sizeof(double));
	CHECK((int)MANY_STEPS > (int)SHARE_STAY_MAX);
	CHECK(find());
	CHECK(is_as_told());
	CHECK(optimum.changes == 0);
	CHECK(is_near(optimum.seconds, MANY_STEPS * best_stay(0, 1)));
	CHECK(is_near(optimum.bound, optimum.seconds));
}

static void large_ones_are_solved(void)
{
	reset(1);
	table = (struct share_table){MANY_STEPS, MANY_TASKS, MANY_LEVELS,
				     seconds};
	rules = (struct share_rules){MANY_TASKS, 1000, 100, 60, 60, 1};
	draw_seconds(20);
	CHECK(find());
	CHECK(is_as_told());
	CHECK(is_near(optimum.bound, optimum.seconds));
	CHECK(optimum.changes > 0 && optimum.changes < MANY_STEPS);
}

/* No plan takes less than the best one whose changes cost nothing. */
static void what_takes_too_long_has_a_bound(void)
{
	double cheap;

	reset(1);
	table = (struct share_table){20, MANY_TASKS, MANY_LEVELS, seconds};
	rules = (struct share_rules){MANY_TASKS, 1000, 100, 60, 60, 0};
	draw_seconds(20);
	CHECK(find());
	cheap = optimum.seconds;
	rules.cost = 50;
	CHECK(find());
	CHECK(is_as_told());
	CHECK(optimum.bound < optimum.seconds - 1);
	CHECK(optimum.bound > cheap);
	CHECK(optimum.seconds < 2 * cheap);
	rules.cost = 1e6;
	CHECK(find());
	CHECK(is_as_told());
	CHECK(optimum.changes == 0);
	CHECK(optimum.bound > cheap);
}

/* ---- stays ---- */

static struct share_box boxes[SHARE_STAY_DEPTH];
static double bounds[STEPS * SHARE_STAY_MAX], first[STEPS], second[STEPS];
static unsigned slowest[STEPS], needed[SHARE_STAY_DEPTH * TASKS];
static unsigned able[TASKS * LEVELS], ables[TASKS], trial[TASKS], best[TASKS];

static struct share_stay a_stay(unsigned boxes_left)
{
	memset(bounds, 0, sizeof(bounds));
	return (struct share_stay){
		.rules = &rules,
		.table = &table,
		.bounds = bounds,
		.first = first,
		.second = second,
		.slowest = slowest,
		.boxes = boxes,
		.needed = needed,
		.able = able,
		.ables = ables,
		.trial = trial,
		.best = best,
		.boxes_left = boxes_left,
	};
}

static void a_search_that_is_cut_short_has_a_bound(void)
{
	unsigned below = 0;

	for (unsigned i = 0; i < 300; i++) {
		struct share_stay stay;
		double bound;

		reset(i);
		draw_disorder();
		stay = a_stay(1 + i % 4);
		bound = share_stay_find(&stay, 0, STEPS, INFINITY);
		CHECK(bound <= best_stay(0, STEPS) + 1e-6);
		CHECK(stay.seconds >= best_stay(0, STEPS) - 1e-6);
		CHECK(is_near(stay.seconds, stay_seconds(0, STEPS, best)));
		below += bound < stay.seconds - 1e-6;
	}
	CHECK(below > 30);
}

static void a_stay_that_is_too_slow_is_not_found(void)
{
	for (unsigned i = 0; i < 100; i++) {
		struct share_stay stay;
		double least;

		reset(i);
		draw_disorder();
		least = best_stay(1, 4);
		stay = a_stay(1000);
		CHECK(is_near(share_stay_find(&stay, 1, 4, least - 0.5),
			      least - 0.5));
		CHECK(is_near(stay.seconds, least - 0.5));
		CHECK(is_near(share_stay_find(&stay, 1, 4, least + 0.5),
			      least));
		CHECK(is_near(stay_seconds(1, 4, best), least));
	}
}

static void a_step_is_one_box(void)
{
	for (unsigned i = 0; i < 100; i++) {
		struct share_stay stay = a_stay(1);

		reset(i);
		draw_disorder();
		CHECK(is_near(share_stay_find(&stay, 2, 3, INFINITY),
			      best_stay(2, 3)));
		CHECK(stay.boxes_left == 0);
	}
}

/* Of a stay of all steps, with the best stays up to `most` steps known. */
static unsigned count_boxes(unsigned most)
{
	struct share_stay stay = a_stay(1000);

	for (unsigned n = 1; n <= most; n++)
		for (unsigned s = 0; s + n <= STEPS; s++)
			*share_stay_bound(&stay, s, s + n) =
				best_stay(s, s + n);
	share_stay_find(&stay, 0, STEPS, INFINITY);
	return 1000 - stay.boxes_left;
}

static void bounds_of_parts_spare_boxes(void)
{
	unsigned without = 0, with = 0;

	for (unsigned i = 0; i < 100; i++) {
		reset(i);
		draw_disorder();
		without += count_boxes(0);
		with += count_boxes(STEPS - 1);
	}
	CHECK(without < 1100);
	CHECK(with < 400);
}

static void exchanges_make_a_stay_shorter(void)
{
	unsigned shorter = 0;

	for (unsigned i = 0; i < 100; i++) {
		struct share_stay stay = a_stay(0);
		unsigned plan[TASKS] = {INCREMENTS};
		double before, after;

		reset(i);
		draw_seconds(20);
		before = stay_seconds(0, STEPS, plan);
		after = share_stay_improve(&stay, 0, STEPS, plan);
		CHECK(is_allowed(plan));
		CHECK(is_near(after, stay_seconds(0, STEPS, plan)));
		CHECK(after <= before);
		shorter += is_near(after, best_stay(0, STEPS));
	}
	CHECK(shorter > 80);
}

/* ---- progress ---- */

static void count_down(void *arg, unsigned steps_left)
{
	unsigned *left = arg;

	*left = *left == steps_left + 1 ? steps_left : 1000;
}

static void steps_that_are_left_are_told(void)
{
	unsigned left = STEPS + 1;
	const struct share_progress progress = {count_down, &left};

	reset(1);
	draw_seconds(0);
	share_optimum_find(&optimum, &rules, &table, &progress, room, levels);
	CHECK(left == 1);
}

RUN_TESTS(TEST(a_plan_is_the_best_of_all),
	  TEST(more_shares_may_make_tasks_slower), TEST(one_step_is_solved),
	  TEST(changes_that_cost_nothing_come_before_each_step),
	  TEST(changes_that_cost_too_much_are_not_made),
	  TEST(steps_that_are_alike_are_one_stay), TEST(large_ones_are_solved),
	  TEST(what_takes_too_long_has_a_bound),
	  TEST(a_search_that_is_cut_short_has_a_bound),
	  TEST(a_stay_that_is_too_slow_is_not_found), TEST(a_step_is_one_box),
	  TEST(bounds_of_parts_spare_boxes),
	  TEST(exchanges_make_a_stay_shorter),
	  TEST(steps_that_are_left_are_told))
