/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_learned.h"
#include "tests/check.h"

#include <math.h>

enum { STEPS = 2, TASKS = 2, LEVELS = 4 };

/* First one task has five times the work of the other, and then the other. */
static const double work[STEPS][TASKS] = {{60, 12}, {12, 60}};
static double seconds[STEPS][TASKS][LEVELS], usually[TASKS][LEVELS];
static struct share_rules rules;
static struct share_memory memory;
static struct share_choices choices;
static double state[SHARE_STATE], told[SHARE_STATE], answer[SHARE_ACTIONS];
static const unsigned alike[TASKS] = {1, 1};

static const struct share_table ahead = {STEPS, TASKS, LEVELS,
					 &seconds[0][0][0]};
static const struct share_table usual = {1, TASKS, LEVELS, &usually[0][0]};

static void answer_with(void *user, const double *of, double *values)
{
	memcpy(told, of, sizeof(told));
	memcpy(values, user, sizeof(answer));
}

static const struct share_judge judge = {answer_with, answer};

static void reset(void)
{
	rules = (struct share_rules){
		.tasks = TASKS, .increments = 2, .level_max = 3, .cost = 10};
	for (unsigned level = 0; level < LEVELS; level++)
		for (unsigned i = 0; i < TASKS; i++) {
			for (unsigned s = 0; s < STEPS; s++)
				seconds[s][i][level] = work[s][i] / (1 + level);
			usually[i][level] = (i ? 100. : 1.) / (1 + level);
		}
	memset(state, 0x55, sizeof(state));
}

static struct share_view view_of(const unsigned *levels, unsigned steps)
{
	return (struct share_view){.rules = &rules,
				   .ahead = &ahead,
				   .usual = &usual,
				   .levels = levels,
				   .judge = &judge,
				   .step = 7,
				   .steps = 7 + steps};
}

static void look(const struct share_view *view)
{
	share_learned_choices(view, &memory.work, &choices);
	share_learned_state(view, &choices, state);
}

static bool gives(unsigned action, unsigned first, unsigned other)
{
	return choices.levels[action][0] == first &&
	       choices.levels[action][1] == other;
}

static bool is_cell(unsigned action, unsigned step, double value)
{
	return fabs(state[action * SHARE_LEARNED_LOOK + step] - value) < 1e-12;
}

static void an_action_gives_what_is_best_for_its_steps(void)
{
	const struct share_view view = view_of(alike, 9);

	reset();
	look(&view);
	CHECK(gives(0, 1, 1) && gives(1, 2, 0) && gives(2, 1, 1) &&
	      gives(3, 1, 1));
}

/* With 30, 20, 30 and 30 s, and then 30, 60, 30 and 30 s, a change is 10 s. */
static void a_state_has_what_each_action_loses(void)
{
	const struct share_view view = view_of(alike, 9);

	reset();
	look(&view);
	CHECK(is_cell(0, 0, 1 / 1.2) && is_cell(0, 1, 0));
	CHECK(is_cell(1, 0, 0) && is_cell(1, 1, 3 / 1.6));
	CHECK(is_cell(2, 0, 1 / 1.2) && is_cell(2, 1, 0));
	CHECK(is_cell(3, 0, 1 / 1.2) && is_cell(3, 1, 0));
	for (unsigned a = 0; a < SHARE_ACTIONS; a++)
		for (unsigned s = STEPS; s < SHARE_LEARNED_LOOK; s++)
			CHECK(is_cell(a, s, 0));
}

static void losses_are_counted_in_changes(void)
{
	const struct share_view view = view_of(alike, 9);

	reset();
	rules.cost = 5;
	look(&view);
	CHECK(is_cell(0, 0, 2 / 1.4));
	rules.cost = 0;
	look(&view);
	CHECK(is_cell(0, 0, 10 / 3.));
}

static void behind_the_last_step_nothing_is_lost(void)
{
	const struct share_view view = view_of(alike, 1);

	reset();
	look(&view);
	CHECK(is_cell(0, 0, 1 / 1.2) && is_cell(1, 1, 0));
}

/* Plans with the values; true: a change. */
static bool plan(const unsigned *present, const double *values,
		 unsigned *levels)
{
	const struct share_view view = view_of(present, 9);
	struct share_planner planner;

	reset();
	look(&view);
	memcpy(answer, values, sizeof(answer));
	return share_planner_find(&planner, "learned") &&
	       planner.plan(&planner, &view, &memory, levels);
}

static void the_action_of_the_greatest_value_is_taken(void)
{
	unsigned levels[TASKS];

	CHECK(plan(alike, (double[]){-3, -1, -2, -4}, levels));
	CHECK(levels[0] == 2 && levels[1] == 0);
	CHECK(memcmp(told, state, sizeof(state)) == 0);
	CHECK(plan((unsigned[]){0, 2}, (double[]){1, 2, 4, 3}, levels));
	CHECK(levels[0] == 1 && levels[1] == 1);
	CHECK(!plan(alike, (double[]){4, 1, 2, 3}, levels));
	CHECK(levels[0] == 1 && levels[1] == 1);
}

static void of_two_that_are_worth_the_same_the_first_is_taken(void)
{
	CHECK(share_learned_best((double[]){1, 1, 1, 1}) == 0);
	CHECK(share_learned_best((double[]){0, 2, 1, 2}) == 1);
	CHECK(share_learned_best((double[]){0, 0, 1, 2}) == 3);
}

static void before_the_first_step_to_keep_is_what_is_usual(void)
{
	unsigned levels[TASKS];

	CHECK(plan(NULL, (double[]){1, 0, 0, 0}, levels));
	CHECK(levels[0] == 0 && levels[1] == 2);
}

RUN_TESTS(TEST(an_action_gives_what_is_best_for_its_steps),
	  TEST(a_state_has_what_each_action_loses),
	  TEST(losses_are_counted_in_changes),
	  TEST(behind_the_last_step_nothing_is_lost),
	  TEST(the_action_of_the_greatest_value_is_taken),
	  TEST(of_two_that_are_worth_the_same_the_first_is_taken),
	  TEST(before_the_first_step_to_keep_is_what_is_usual))
