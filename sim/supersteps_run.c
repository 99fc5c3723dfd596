/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/supersteps_run.h"

#include <errno.h>

static void run_step(struct supersteps_planning *planning, unsigned step,
		     const struct supersteps_settings *settings,
		     struct supersteps_result *result)
{
	bool is_changed = supersteps_plan(planning, step);
	double slowest = supersteps_ended(planning, step);
	const struct supersteps_step told = {
		.step = step,
		.is_changed = is_changed,
		.levels = planning->levels,
		.seconds = planning->seconds,
		.slowest = slowest,
		.workloads = planning->workloads,
		.outlook = &planning->outlook,
	};

	result->seconds += slowest;
	if (is_changed && step > 0)
		result->changes++;
	if (settings->on_step)
		settings->on_step(settings->user, &told);
}

int supersteps_run(const struct supersteps *supersteps,
		   const struct supersteps_settings *settings,
		   struct supersteps_result *result, struct error *err)
{
	CLEANUP(supersteps_planning_destroy)
	struct supersteps_planning *planning = NULL;
	int r = supersteps_planning_create(&planning, supersteps,
					   &settings->method, err);

	if (r < 0)
		return r;
	*result = (struct supersteps_result){.changes = 0};
	for (unsigned step = 0; step < supersteps->steps; step++)
		run_step(planning, step, settings, result);
	result->total =
		result->seconds + result->changes * supersteps->rules.cost;
	result->short_steps = planning->outlook.short_steps;
	return 0;
}

/* ---- the optimum ---- */

static void fill_all(const struct supersteps *supersteps, double *seconds)
{
	double *at = seconds;

	for (unsigned s = 0; s < supersteps->steps; s++)
		for (unsigned i = 0; i < supersteps->rules.tasks;
		     i++, at += supersteps->levels)
			supersteps_row(
				supersteps, i,
				supersteps_workload(&supersteps->tasks[i], s),
				at);
}

int supersteps_optimum(const struct supersteps *supersteps,
		       const struct share_progress *progress,
		       struct share_optimum *optimum, unsigned **levels,
		       struct error *err)
{
	size_t cells = (size_t)supersteps->steps * supersteps->rules.tasks;
	CLEANUP(free) void *room = NULL;
	CLEANUP(free)
	double *seconds = calloc(cells, supersteps->levels * sizeof(*seconds));
	const struct share_table table = {supersteps->steps,
					  supersteps->rules.tasks,
					  supersteps->levels, seconds};

	room = malloc(share_optimum_room(&table));
	*levels = calloc(cells, sizeof(**levels));
	if (!seconds || !room || !*levels)
		return error_set(err, -ENOMEM, "out of memory");
	fill_all(supersteps, seconds);
	share_optimum_find(optimum, &supersteps->rules, &table, progress, room,
			   *levels);
	return 0;
}
