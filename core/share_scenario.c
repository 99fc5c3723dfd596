/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_planner.h"

#include <math.h>
#include <string.h>

/*
 * Scenario: plans like mpc (core/share_mpc.c), but for what forecasts are worth
 *
 * Each step has scenarios: its forecast, and the errors that forecasts like it
 * had.  Windows are balanced over the scenarios, and the times that are
 * compared are means over them.
 *
 * A plan that is likely to be changed soon is worth less than it says.  So what
 * lies a step ahead counts as much as plans were followed so far: the share of
 * the steps in which a change was made if the step before had planned it, and
 * no other.  With exact forecasts that is about 1, and the plans are mpc's.
 */

struct planning {
	const struct share_view *view;
	struct share_memory *memory;
	unsigned horizon;                /* steps that are planned */
	double best[SHARE_LOOK_MAX + 1]; /* seconds from a step on */
	unsigned window;                 /* that begins at step 0 */
};

/* One workload of each scenario. */
static void add_task(struct planning *at, unsigned step, unsigned task)
{
	const struct share_past *past = at->view->past;
	struct share_scenes *scenes = &at->memory->scenes;
	double value = share_past_value(past, step, task);
	double errors[SHARE_SCENARIOS] = {0};
	unsigned n =
		share_past_errors(past, step, task, SHARE_SCENARIOS, errors);

	scenes->n[step] = n > 0 ? n : 1;
	for (unsigned k = 0; k < scenes->n[step]; k++)
		scenes->rows[((size_t)step * SHARE_SCENARIOS + k) *
				     scenes->tasks +
			     task] =
			share_grid_row(at->view->grid, task, value + errors[k]);
}

static void make_scenes(struct planning *at)
{
	struct share_memory *memory = at->memory;
	struct share_scenes *scenes = &memory->scenes;

	scenes->tasks = at->view->rules->tasks;
	scenes->levels = at->view->grid->levels;
	scenes->rows = memory->rows;
	scenes->weight = (1.0 + memory->followed) / (1.0 + memory->asked);
	for (unsigned s = 0; s < at->horizon; s++)
		for (unsigned i = 0; i < scenes->tasks; i++)
			add_task(at, s, i);
}

/* What comes behind a window of so many steps. */
static double behind(const struct planning *at, unsigned from, unsigned to)
{
	if (to == at->horizon)
		return 0;
	return (at->best[to] + at->view->rules->cost) *
	       pow(at->memory->scenes.weight, to - from);
}

/* The best window that begins at the step, and its levels.
 * `first` has the levels of the window of one step behind it, and gets those of
 * the window of one step. */
static void plan_from(struct planning *at, unsigned from, unsigned *first,
		      unsigned *levels)
{
	const struct share_rules *rules = at->view->rules;
	size_t size = rules->tasks * sizeof(*levels);
	unsigned *trial = at->memory->trial;

	memcpy(trial, first, size);
	at->best[from] = INFINITY;
	for (unsigned to = from + 1; to <= at->horizon; to++) {
		double seconds = share_balance(rules, &at->memory->scenes, from,
					       to, trial) +
				 behind(at, from, to);

		if (to == from + 1)
			memcpy(first, trial, size);
		if (seconds >= at->best[from])
			continue;
		at->best[from] = seconds;
		at->window = to;
		memcpy(levels, trial, size);
	}
}

/* The best of keeping the present shares for 1, 2, ... steps. */
static double keep_seconds(const struct planning *at, unsigned *steps)
{
	double best = INFINITY;

	for (unsigned to = 1; to <= at->horizon; to++) {
		double seconds = share_scenes_seconds(&at->memory->scenes, 0,
						      to, at->view->levels) +
				 behind(at, 0, to);

		if (seconds >= best)
			continue;
		best = seconds;
		*steps = to;
	}
	return best;
}

static bool wants_change(struct planning *at)
{
	unsigned steps = 0;

	if (!at->view->levels)
		return true;
	if (keep_seconds(at, &steps) >= at->best[0] + at->view->rules->cost)
		return true;
	at->window = steps;
	return false;
}

bool share_plan_scenario(const struct share_planner *planner,
			 const struct share_view *view,
			 struct share_memory *memory, unsigned *levels)
{
	unsigned left = view->steps - view->step;
	struct planning at = {
		.view = view,
		.memory = memory,
		.horizon = left < planner->look ? left : planner->look,
	};
	bool change;

	make_scenes(&at);
	share_spread(view->rules, memory->first);
	for (unsigned from = at.horizon; from-- > 0;)
		plan_from(&at, from, memory->first, levels);
	change = wants_change(&at);
	if (view->levels) {
		memory->asked++;
		memory->followed += change == (memory->until == view->step);
	}
	memory->until = view->step + at.window;
	return change;
}
