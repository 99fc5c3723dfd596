/* SPDX-License-Identifier: Apache-2.0 */
#include "supersteps/planning.h"

#include <errno.h>
#include <string.h>

/* Workloads of a grid, from the first to the last one of a profile. */
enum { GRID_WORKLOADS = 256 };

/* ---- tables ---- */

static double *cell_of(const struct supersteps_planning *planning,
		       double *table, unsigned step, unsigned task)
{
	return table + ((size_t)step * planning->of->rules.tasks + task) *
			       planning->of->levels;
}

void supersteps_row(const struct supersteps *supersteps, unsigned task,
		    double workload, double *seconds)
{
	const struct share_rules *rules = &supersteps->rules;

	share_profile_row(&supersteps->tasks[task].profile, workload,
			  rules->least, rules->increment, supersteps->levels,
			  seconds);
}

static struct share_table table_of(const struct supersteps_planning *planning,
				   unsigned steps, const double *seconds)
{
	return (struct share_table){steps, planning->of->rules.tasks,
				    planning->of->levels, seconds};
}

static struct share_table look_ahead(struct supersteps_planning *planning)
{
	const struct supersteps_outlook *outlook = &planning->outlook;
	unsigned tasks = planning->of->rules.tasks;

	for (unsigned s = 0; s < outlook->steps; s++)
		for (unsigned i = 0; i < tasks; i++)
			supersteps_row(
				planning->of, i, outlook->ahead[s * tasks + i],
				cell_of(planning, planning->ahead, s, i));
	return table_of(planning, outlook->steps, planning->ahead);
}

/* ---- the past, and the grid ---- */

static void fill_grid(struct supersteps_planning *planning)
{
	unsigned tasks = planning->of->rules.tasks,
		 levels = planning->of->levels;
	double *first = planning->grid_room, *apart = first + tasks;
	double *seconds = apart + tasks;

	for (unsigned i = 0; i < tasks; i++) {
		const struct share_axis *at =
			&planning->of->tasks[i].profile.workloads;

		first[i] = at->at[0];
		apart[i] =
			(at->at[at->n - 1] - first[i]) / (GRID_WORKLOADS - 1);
		for (unsigned w = 0; w < GRID_WORKLOADS; w++)
			supersteps_row(planning->of, i, first[i] + apart[i] * w,
				       seconds + ((size_t)i * GRID_WORKLOADS +
						  w) * levels);
	}
	planning->grid = (struct share_grid){tasks, GRID_WORKLOADS, levels,
					     first, apart,          seconds};
}

static int begin_past(struct supersteps_planning *planning)
{
	unsigned tasks = planning->of->rules.tasks;
	unsigned look = planning->method.planner.look;

	planning->past_room = calloc(share_past_room(tasks, look),
				     sizeof(*planning->past_room));
	planning->grid_room =
		calloc((size_t)tasks * (2 + (size_t)GRID_WORKLOADS *
						    planning->of->levels),
		       sizeof(*planning->grid_room));
	planning->memory.rows =
		calloc(share_rows_room(tasks), sizeof(*planning->memory.rows));
	if (!planning->past_room || !planning->grid_room ||
	    !planning->memory.rows)
		return -ENOMEM;
	share_past_init(&planning->past, tasks, look, planning->past_room);
	fill_grid(planning);
	return 0;
}

/* Near the end of known workloads the last one stands for those behind it. */
static void remember_forecast(struct supersteps_planning *planning)
{
	struct supersteps_outlook *outlook = &planning->outlook;
	size_t tasks = planning->of->rules.tasks;

	for (size_t s = outlook->steps; s < outlook->look; s++)
		memcpy(&outlook->ahead[s * tasks],
		       &outlook->ahead[(s - 1) * tasks],
		       tasks * sizeof(*outlook->ahead));
	share_past_forecast(&planning->past, outlook->ahead);
}

/* ---- begin ---- */

static int check(const struct supersteps *supersteps,
		 const struct supersteps_method *method, struct error *err)
{
	const struct supersteps_task *without =
		supersteps_without_forecast(supersteps);

	if (method->forecast.source == SUPERSTEPS_GIVEN && without)
		return error_set(err, -EINVAL,
				 "the task %s has no 'forecast' file",
				 without->name);
	if (method->planner.wants_judge && !method->judge.values)
		return error_set(err, -EINVAL, "the planner %s needs weights",
				 method->planner.name);
	return 0;
}

static int init(struct supersteps_planning *planning,
		const struct supersteps *supersteps,
		const struct supersteps_method *method)
{
	size_t row = (size_t)supersteps->rules.tasks * supersteps->levels;
	size_t look = method->planner.look;
	int r = supersteps_outlook_init(&planning->outlook, supersteps,
					&method->forecast,
					method->planner.look);

	if (r < 0)
		return r;
	planning->of = supersteps;
	planning->method = *method;
	planning->ahead = calloc((look + 2) * row, sizeof(*planning->ahead));
	if (!planning->ahead)
		return -ENOMEM;
	planning->usual = planning->ahead + look * row;
	planning->ended = planning->usual + row;
	for (unsigned i = 0; i < supersteps->rules.tasks; i++)
		supersteps_row(supersteps, i, supersteps->tasks[i].usual,
			       cell_of(planning, planning->usual, 0, i));
	return method->planner.wants_past ? begin_past(planning) : 0;
}

int supersteps_planning_create(struct supersteps_planning **out,
			       const struct supersteps *supersteps,
			       const struct supersteps_method *method,
			       struct error *err)
{
	CLEANUP(supersteps_planning_destroy)
	struct supersteps_planning *planning = NULL;
	int r = check(supersteps, method, err);

	if (r < 0)
		return r;
	planning = calloc(1, sizeof(*planning));
	if (!planning || init(planning, supersteps, method) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	*out = STEAL(planning);
	return 0;
}

void supersteps_planning_destroy(struct supersteps_planning *planning)
{
	if (!planning)
		return;
	supersteps_outlook_fini(&planning->outlook);
	free(planning->ahead);
	free(planning->past_room);
	free(planning->grid_room);
	free(planning->memory.rows);
	free(planning);
}

/* ---- steps ---- */

bool supersteps_plan(struct supersteps_planning *planning, unsigned step)
{
	const struct share_planner *planner = &planning->method.planner;
	const struct share_table usual = table_of(planning, 1, planning->usual);
	const struct share_table ended = table_of(planning, 1, planning->ended);
	struct share_table ahead = {.steps = 0};
	struct share_view view = {
		.rules = &planning->of->rules,
		.ahead = &ahead,
		.usual = &usual,
		.ended = step > 0 ? &ended : NULL,
		.levels = step > 0 ? planning->levels : NULL,
		.judge = &planning->method.judge,
		.step = step,
		.steps = planning->of->steps,
		.past = &planning->past,
		.grid = &planning->grid,
	};

	if (planning->method.best)
		view.best = planning->method.best +
			    (size_t)step * planning->of->rules.tasks;
	supersteps_outlook_look(&planning->outlook, step);
	if (planner->wants_past)
		remember_forecast(planning);
	else
		ahead = look_ahead(planning);
	if (!planner->plan(planner, &view, &planning->memory, planning->next))
		return false;
	memcpy(planning->levels, planning->next, sizeof(planning->levels));
	return true;
}

double supersteps_ended(struct supersteps_planning *planning, unsigned step)
{
	const struct share_table ended = table_of(planning, 1, planning->ended);

	for (unsigned i = 0; i < planning->of->rules.tasks; i++) {
		planning->workloads[i] =
			supersteps_workload(&planning->of->tasks[i], step);
		supersteps_row(planning->of, i, planning->workloads[i],
			       cell_of(planning, planning->ended, 0, i));
		planning->seconds[i] =
			share_seconds(&ended, 0, i, planning->levels[i]);
	}
	if (planning->method.planner.wants_past)
		share_past_ended(&planning->past, planning->workloads);
	return share_step_seconds(&ended, 0, planning->levels);
}
