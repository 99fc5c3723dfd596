/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_planner.h"

#include <math.h>
#include <string.h>

/*
 * Plans of the steps that are forecast: from the last step to the first, the
 * best window that begins at it, and what is best behind that window (equations
 * 1 to 3).
 */

struct planning {
	const struct share_view *view;
	unsigned horizon; /* steps that are planned */
	double penalty;
	struct share_memory *memory;
	double best[SHARE_LOOK_MAX + 1]; /* seconds from a step on */
	unsigned window;                 /* that begins at step 0 */
};

/* What a window takes, and what is best behind it. */
static double seconds_of(const struct planning *at, unsigned from, unsigned to,
			 const unsigned *levels)
{
	double seconds =
		share_window_seconds(at->view->ahead, from, to, levels) *
		pow(at->penalty, to - from);

	return to < at->horizon ? seconds + at->best[to] + at->view->rules->cost
				: seconds;
}

/* The best window that begins at the step; its levels, if that is step 0. */
static void plan_from(struct planning *at, unsigned from, unsigned *levels)
{
	const struct share_view *view = at->view;
	unsigned *trial = at->memory->trial;

	at->best[from] = INFINITY;
	for (unsigned to = from + 1; to <= at->horizon; to++) {
		double seconds;

		share_configure(view->rules, view->ahead, from, to,
				&at->memory->work, trial);
		seconds = seconds_of(at, from, to, trial);
		if (seconds >= at->best[from])
			continue;
		at->best[from] = seconds;
		if (from > 0)
			continue;
		at->window = to;
		memcpy(levels, trial, view->rules->tasks * sizeof(*levels));
	}
}

static struct planning plan_ahead(const struct share_planner *planner,
				  const struct share_view *view,
				  struct share_memory *memory, unsigned *levels)
{
	unsigned left = view->steps - view->step;
	struct planning at = {
		.view = view,
		.horizon =
			left < view->ahead->steps ? left : view->ahead->steps,
		.penalty = planner->penalty,
		.memory = memory,
	};

	for (unsigned from = at.horizon; from-- > 0;)
		plan_from(&at, from, levels);
	return at;
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

/* The best of keeping the present shares for 1, 2, ... steps. */
static double keep_seconds(const struct planning *at)
{
	double best = INFINITY;

	for (unsigned to = 1; to <= at->horizon; to++)
		best = fmin(best, seconds_of(at, 0, to, at->view->levels));
	return best;
}

bool share_plan_mpc(const struct share_planner *planner,
		    const struct share_view *view, struct share_memory *memory,
		    unsigned *levels)
{
	struct planning at = plan_ahead(planner, view, memory, levels);

	return !view->levels ||
	       keep_seconds(&at) >= at.best[0] + view->rules->cost;
}
