/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_learned.h"

#include <math.h>
#include <string.h>

/* Changes that no loss in a state reaches. */
#define LOSS_MAX 5.0

void share_learned_choices(const struct share_view *view,
			   struct share_work *work,
			   struct share_choices *choices)
{
	if (view->levels)
		memcpy(choices->levels[0], view->levels,
		       view->rules->tasks * sizeof(*view->levels));
	else
		share_configure(view->rules, view->usual, 0, 1, work,
				choices->levels[0]);
	for (unsigned a = 1; a < SHARE_ACTIONS; a++) {
		unsigned steps = view->ahead->steps;

		share_configure(view->rules, view->ahead, 0,
				a < steps ? a : steps, work,
				choices->levels[a]);
	}
}

double share_learned_unit(const struct share_rules *rules)
{
	/* where a change costs nothing, no number of them is a measure */
	return rules->cost > 0 ? rules->cost : 1;
}

/* How many steps from this one on there are, and are foreseen. */
static unsigned steps_of(const struct share_view *view)
{
	unsigned steps = view->ahead->steps, left = view->steps - view->step;

	return left < steps ? left : steps;
}

/* That a loss is enormous says no more than that it is great. */
static double mild(double changes)
{
	return changes / (1 + changes / LOSS_MAX);
}

static void fill_column(const struct share_view *view,
			const struct share_choices *choices, unsigned step,
			double *state)
{
	double least = INFINITY, unit = share_learned_unit(view->rules);

	for (unsigned a = 0; a < SHARE_ACTIONS; a++) {
		double seconds = share_step_seconds(view->ahead, step,
						    choices->levels[a]);

		state[a * SHARE_LEARNED_LOOK + step] = seconds;
		least = fmin(least, seconds);
	}
	for (unsigned a = 0; a < SHARE_ACTIONS; a++) {
		double *cell = &state[a * SHARE_LEARNED_LOOK + step];

		*cell = mild((*cell - least) / unit);
	}
}

void share_learned_state(const struct share_view *view,
			 const struct share_choices *choices, double *state)
{
	unsigned steps = steps_of(view);

	memset(state, 0, SHARE_STATE * sizeof(*state));
	for (unsigned s = 0; s < steps && s < SHARE_LEARNED_LOOK; s++)
		fill_column(view, choices, s, state);
}

unsigned share_learned_best(const double *values)
{
	unsigned best = 0;

	for (unsigned a = 1; a < SHARE_ACTIONS; a++)
		if (values[a] > values[best])
			best = a;
	return best;
}

bool share_plan_learned(const struct share_planner *planner,
			const struct share_view *view,
			struct share_memory *memory, unsigned *levels)
{
	struct share_choices *choices = &memory->choices;
	double state[SHARE_STATE], values[SHARE_ACTIONS];
	unsigned best;

	share_learned_choices(view, &memory->work, choices);
	share_learned_state(view, choices, state);
	view->judge->values(view->judge->user, state, values);
	best = share_learned_best(values);
	memcpy(levels, choices->levels[best],
	       view->rules->tasks * sizeof(*levels));
	return best > 0 || !view->levels;
}
