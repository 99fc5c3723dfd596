/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_windows.h"

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

/* One workload of each scenario. */
static void add_task(const struct share_view *view, struct share_scenes *scenes,
		     unsigned step, unsigned task)
{
	const struct share_past *past = view->past;
	double value = share_past_value(past, step, task);
	double errors[SHARE_SCENARIOS] = {0};
	unsigned n =
		share_past_errors(past, step, task, SHARE_SCENARIOS, errors);

	scenes->n[step] = n > 0 ? n : 1;
	for (unsigned k = 0; k < scenes->n[step]; k++)
		scenes->rows[((size_t)step * SHARE_SCENARIOS + k) *
				     scenes->tasks +
			     task] =
			share_grid_row(view->grid, task, value + errors[k]);
}

static void make_scenes(const struct share_view *view,
			struct share_memory *memory, unsigned horizon)
{
	struct share_scenes *scenes = &memory->scenes;

	scenes->tasks = view->rules->tasks;
	scenes->levels = view->grid->levels;
	scenes->rows = memory->rows;
	scenes->weight = (1.0 + memory->followed) / (1.0 + memory->asked);
	for (unsigned s = 0; s < horizon; s++)
		for (unsigned i = 0; i < scenes->tasks; i++)
			add_task(view, scenes, s, i);
}

static double take(const struct share_windows *windows, unsigned from,
		   unsigned to, const unsigned *levels)
{
	return share_scenes_seconds(&windows->memory->scenes, from, to, levels);
}

static double fit(const struct share_windows *windows, unsigned from,
		  unsigned to, unsigned *levels)
{
	return share_balance(windows->view->rules, &windows->memory->scenes,
			     from, to, levels);
}

bool share_plan_scenario(const struct share_planner *planner,
			 const struct share_view *view,
			 struct share_memory *memory, unsigned *levels)
{
	unsigned left = view->steps - view->step;
	struct share_windows windows = {
		.view = view,
		.memory = memory,
		.take = take,
		.fit = fit,
		.horizon = left < planner->look ? left : planner->look,
		.penalty = 1,
	};
	bool change;

	make_scenes(view, memory, windows.horizon);
	windows.weight = memory->scenes.weight;
	share_windows_plan(&windows, levels);
	change = share_windows_change(&windows);
	if (view->levels) {
		memory->asked++;
		memory->followed += change == (memory->until == view->step);
	}
	memory->until = view->step + windows.window;
	return change;
}
