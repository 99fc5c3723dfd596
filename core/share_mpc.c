/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_windows.h"

static double take(const struct share_windows *windows, unsigned from,
		   unsigned to, const unsigned *levels)
{
	return share_window_seconds(windows->view->ahead, from, to, levels);
}

static double fit(const struct share_windows *windows, unsigned from,
		  unsigned to, unsigned *levels)
{
	const struct share_view *view = windows->view;

	share_configure(view->rules, view->ahead, from, to,
			&windows->memory->work, levels);
	return take(windows, from, to, levels);
}

static struct share_windows plan_ahead(const struct share_planner *planner,
				       const struct share_view *view,
				       struct share_memory *memory,
				       unsigned *levels)
{
	unsigned left = view->steps - view->step;
	struct share_windows windows = {
		.view = view,
		.memory = memory,
		.take = take,
		.fit = fit,
		.horizon =
			left < view->ahead->steps ? left : view->ahead->steps,
		.penalty = planner->penalty,
		.weight = 1,
	};

	share_windows_plan(&windows, levels);
	return windows;
}

bool share_plan_dynamic(const struct share_planner *planner,
			const struct share_view *view,
			struct share_memory *memory, unsigned *levels)
{
	if (view->levels && view->step < memory->until)
		return false;
	memory->until =
		view->step + plan_ahead(planner, view, memory, levels).window;
	return true;
}

bool share_plan_mpc(const struct share_planner *planner,
		    const struct share_view *view, struct share_memory *memory,
		    unsigned *levels)
{
	struct share_windows windows =
		plan_ahead(planner, view, memory, levels);

	return share_windows_change(&windows);
}
