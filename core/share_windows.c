/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_windows.h"

#include <math.h>
#include <string.h>

/* With what is best behind a window that takes so long. */
static double with_rest(const struct share_windows *windows, unsigned from,
			unsigned to, double seconds)
{
	seconds *= pow(windows->penalty, to - from);
	if (to == windows->horizon)
		return seconds;
	return seconds + (windows->best[to] + windows->view->rules->cost) *
				 pow(windows->weight, to - from);
}

/* The best window that begins at the step, and its levels.
 * `first` has the levels of the window of one step behind it, and gets those of
 * the window of one step. */
static void plan_from(struct share_windows *windows, unsigned from,
		      unsigned *first, unsigned *levels)
{
	size_t size = windows->view->rules->tasks * sizeof(*levels);
	unsigned *trial = windows->memory->trial;

	memcpy(trial, first, size);
	windows->best[from] = INFINITY;
	for (unsigned to = from + 1; to <= windows->horizon; to++) {
		double seconds =
			with_rest(windows, from, to,
				  windows->fit(windows, from, to, trial));

		if (to == from + 1)
			memcpy(first, trial, size);
		if (seconds >= windows->best[from])
			continue;
		windows->best[from] = seconds;
		windows->window = to - from;
		memcpy(levels, trial, size);
	}
}

void share_windows_plan(struct share_windows *windows, unsigned *levels)
{
	unsigned *first = windows->memory->first;

	share_spread(windows->view->rules, first);
	for (unsigned from = windows->horizon; from-- > 0;)
		plan_from(windows, from, first, levels);
}

bool share_windows_change(struct share_windows *windows)
{
	const struct share_view *view = windows->view;
	double best = INFINITY;
	unsigned steps = 0;

	if (!view->levels)
		return true;
	for (unsigned to = 1; to <= windows->horizon; to++) {
		double seconds =
			with_rest(windows, 0, to,
				  windows->take(windows, 0, to, view->levels));

		if (seconds >= best)
			continue;
		best = seconds;
		steps = to;
	}
	if (best >= windows->best[0] + view->rules->cost)
		return true;
	windows->window = steps;
	return false;
}
