/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_planner.h"

#include "base/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool plan_static(const struct share_planner *planner,
			const struct share_view *view,
			struct share_memory *memory, unsigned *levels)
{
	if (view->levels)
		return false;
	share_configure(view->rules, view->usual, 0, 1, &memory->work, levels);
	return true;
}

static bool plan_window(const struct share_planner *planner,
			const struct share_view *view,
			struct share_memory *memory, unsigned *levels)
{
	if (view->step % planner->look != 0)
		return false;
	share_configure(view->rules, view->ahead, 0, view->ahead->steps,
			&memory->work, levels);
	return true;
}

static bool plan_reactive(const struct share_planner *planner,
			  const struct share_view *view,
			  struct share_memory *memory, unsigned *levels)
{
	if (!view->levels)
		return plan_static(planner, view, memory, levels);
	share_configure(view->rules, view->ended, 0, 1, &memory->work, levels);
	memory->regret += share_step_seconds(view->ended, 0, view->levels) -
			  share_step_seconds(view->ended, 0, levels);
	if (memory->regret < view->rules->cost)
		return false;
	memory->regret = 0;
	return true;
}

static bool plan_exact(const struct share_planner *planner,
		       const struct share_view *view,
		       struct share_memory *memory, unsigned *levels)
{
	size_t size = view->rules->tasks * sizeof(*levels);

	memcpy(levels, view->best, size);
	return !view->levels || memcmp(levels, view->levels, size) != 0;
}

static const struct share_planner planners[] = {
	{"static", 0, 1, .plan = plan_static},
	{"dynamic", SHARE_LOOK_MAX, 1, .plan = share_plan_dynamic},
	{"mpc", 10, 1, .plan = share_plan_mpc},
	{"mpc-1.02", 10, 1.02, .plan = share_plan_mpc},
	{"scenario", 10, 1, .wants_past = true, .plan = share_plan_scenario},
	{"reactive", 0, 1, .plan = plan_reactive},
	{"learned", SHARE_LEARNED_LOOK, 1, .wants_judge = true,
	 .plan = share_plan_learned},
	{"exact", 0, 1, .wants_best = true, .plan = plan_exact},
};

const char *const share_planner_names[] = {
	"static",   "window-1", "dynamic", "mpc",   "mpc-1.02",
	"scenario", "reactive", "learned", "exact", NULL,
};

/* "window-3" */
static bool find_window(struct share_planner *planner, const char *name)
{
	char *end;
	unsigned long steps;

	if (strncmp(name, "window-", 7) != 0 || name[7] < '1' || name[7] > '9')
		return false;
	steps = strtoul(name + 7, &end, 10);
	if (*end || steps > SHARE_LOOK_MAX)
		return false;
	*planner = (struct share_planner){
		.look = (unsigned)steps, .penalty = 1, .plan = plan_window};
	snprintf(planner->name, sizeof(planner->name), "%s", name);
	return true;
}

bool share_planner_find(struct share_planner *planner, const char *name)
{
	for (size_t i = 0; i < LENGTH(planners); i++)
		if (strcmp(planners[i].name, name) == 0) {
			*planner = planners[i];
			return true;
		}
	return find_window(planner, name);
}
