/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/supersteps_run.h"

#include <errno.h>
#include <string.h>

/* Workloads of a grid, from the first to the last one of a profile. */
enum { GRID_WORKLOADS = 256 };

struct run {
	const struct supersteps *of;
	const struct supersteps_settings *settings;
	struct supersteps_outlook outlook;
	struct share_memory memory;
	unsigned levels[SHARE_TASKS_MAX], next[SHARE_TASKS_MAX];
	double seconds[SHARE_TASKS_MAX], workloads[SHARE_TASKS_MAX];
	/* Tables of seconds: of the steps to come, on average, of the last
	 * step. */
	double *ahead, *usual, *ended;
	/* For a planner that wants the past; else NULL. */
	double *past_room, *grid_room;
	struct share_past past;
	struct share_grid grid;
};

static void run_destroy(struct run *run)
{
	if (!run)
		return;
	supersteps_outlook_fini(&run->outlook);
	free(run->ahead);
	free(run->past_room);
	free(run->grid_room);
	free(run->memory.rows);
	free(run);
}

DEFINE_CLEANUP(struct run, run_destroy)

/* ---- tables ---- */

static double *cell_of(const struct run *run, double *table, unsigned step,
		       unsigned task)
{
	return table +
	       ((size_t)step * run->of->rules.tasks + task) * run->of->levels;
}

static void fill(const struct run *run, unsigned task, double workload,
		 double *seconds)
{
	const struct share_rules *rules = &run->of->rules;

	share_profile_row(&run->of->tasks[task].profile, workload, rules->least,
			  rules->increment, run->of->levels, seconds);
}

static struct share_table table_of(const struct run *run, unsigned steps,
				   const double *seconds)
{
	return (struct share_table){steps, run->of->rules.tasks,
				    run->of->levels, seconds};
}

static struct share_table look_ahead(struct run *run)
{
	const struct supersteps_outlook *outlook = &run->outlook;
	unsigned tasks = run->of->rules.tasks;

	for (unsigned s = 0; s < outlook->steps; s++)
		for (unsigned i = 0; i < tasks; i++)
			fill(run, i, outlook->ahead[s * tasks + i],
			     cell_of(run, run->ahead, s, i));
	return table_of(run, outlook->steps, run->ahead);
}

/* ---- the past, and the grid ---- */

static void fill_grid(struct run *run)
{
	unsigned tasks = run->of->rules.tasks, levels = run->of->levels;
	double *first = run->grid_room, *apart = first + tasks;
	double *seconds = apart + tasks;

	for (unsigned i = 0; i < tasks; i++) {
		const struct share_axis *at =
			&run->of->tasks[i].profile.workloads;

		first[i] = at->at[0];
		apart[i] =
			(at->at[at->n - 1] - first[i]) / (GRID_WORKLOADS - 1);
		for (unsigned w = 0; w < GRID_WORKLOADS; w++)
			fill(run, i, first[i] + apart[i] * w,
			     seconds +
				     ((size_t)i * GRID_WORKLOADS + w) * levels);
	}
	run->grid = (struct share_grid){tasks, GRID_WORKLOADS, levels,
					first, apart,          seconds};
}

static int begin_past(struct run *run)
{
	unsigned tasks = run->of->rules.tasks;
	unsigned look = run->settings->planner.look;

	run->past_room =
		calloc(share_past_room(tasks, look), sizeof(*run->past_room));
	run->grid_room = calloc(
		(size_t)tasks * (2 + (size_t)GRID_WORKLOADS * run->of->levels),
		sizeof(*run->grid_room));
	run->memory.rows =
		calloc(share_rows_room(tasks), sizeof(*run->memory.rows));
	if (!run->past_room || !run->grid_room || !run->memory.rows)
		return -ENOMEM;
	share_past_init(&run->past, tasks, look, run->past_room);
	fill_grid(run);
	return 0;
}

/* Near the end of known workloads the last one stands for those behind it. */
static void remember_forecast(struct run *run)
{
	struct supersteps_outlook *outlook = &run->outlook;
	size_t tasks = run->of->rules.tasks;

	for (size_t s = outlook->steps; s < outlook->look; s++)
		memcpy(&outlook->ahead[s * tasks],
		       &outlook->ahead[(s - 1) * tasks],
		       tasks * sizeof(*outlook->ahead));
	share_past_forecast(&run->past, outlook->ahead);
}

/* ---- begin ---- */

static int run_init(struct run *run, const struct supersteps *supersteps,
		    const struct supersteps_settings *settings)
{
	size_t row = (size_t)supersteps->rules.tasks * supersteps->levels;
	size_t look = settings->planner.look;
	int r = supersteps_outlook_init(&run->outlook, supersteps,
					&settings->forecast,
					settings->planner.look);

	if (r < 0)
		return r;
	run->of = supersteps;
	run->settings = settings;
	run->ahead = calloc((look + 2) * row, sizeof(*run->ahead));
	if (!run->ahead)
		return -ENOMEM;
	run->usual = run->ahead + look * row;
	run->ended = run->usual + row;
	for (unsigned i = 0; i < supersteps->rules.tasks; i++)
		fill(run, i, supersteps->tasks[i].usual,
		     cell_of(run, run->usual, 0, i));
	return settings->planner.wants_past ? begin_past(run) : 0;
}

/* ---- steps ---- */

/* True: the shares change. */
static bool plan(struct run *run, unsigned step)
{
	const struct share_planner *planner = &run->settings->planner;
	const struct share_table usual = table_of(run, 1, run->usual);
	const struct share_table ended = table_of(run, 1, run->ended);
	struct share_table ahead = {.steps = 0};
	struct share_view view = {
		.rules = &run->of->rules,
		.ahead = &ahead,
		.usual = &usual,
		.ended = step > 0 ? &ended : NULL,
		.levels = step > 0 ? run->levels : NULL,
		.judge = &run->settings->judge,
		.step = step,
		.steps = run->of->steps,
		.past = &run->past,
		.grid = &run->grid,
	};

	if (run->settings->best)
		view.best = run->settings->best +
			    (size_t)step * run->of->rules.tasks;
	supersteps_outlook_look(&run->outlook, step);
	if (planner->wants_past)
		remember_forecast(run);
	else
		ahead = look_ahead(run);
	if (!planner->plan(planner, &view, &run->memory, run->next))
		return false;
	memcpy(run->levels, run->next, sizeof(run->levels));
	return true;
}

/* Seconds of the slowest task. */
static double compute(struct run *run, unsigned step)
{
	const struct share_table ended = table_of(run, 1, run->ended);

	for (unsigned i = 0; i < run->of->rules.tasks; i++) {
		run->workloads[i] =
			supersteps_workload(&run->of->tasks[i], step);
		fill(run, i, run->workloads[i], cell_of(run, run->ended, 0, i));
		run->seconds[i] = share_seconds(&ended, 0, i, run->levels[i]);
	}
	return share_step_seconds(&ended, 0, run->levels);
}

static void run_step(struct run *run, unsigned step,
		     struct supersteps_result *result)
{
	bool is_changed = plan(run, step);
	double slowest = compute(run, step);
	const struct supersteps_step told = {
		.step = step,
		.is_changed = is_changed,
		.levels = run->levels,
		.seconds = run->seconds,
		.slowest = slowest,
		.workloads = run->workloads,
		.outlook = &run->outlook,
	};

	if (run->settings->planner.wants_past)
		share_past_ended(&run->past, run->workloads);
	result->seconds += slowest;
	if (is_changed && step > 0)
		result->changes++;
	if (run->settings->on_step)
		run->settings->on_step(run->settings->user, &told);
}

/* ---- the whole ---- */

int supersteps_run(const struct supersteps *supersteps,
		   const struct supersteps_settings *settings,
		   struct supersteps_result *result, struct error *err)
{
	const struct supersteps_task *without =
		supersteps_without_forecast(supersteps);
	CLEANUP(run_destroy) struct run *run = calloc(1, sizeof(*run));

	if (settings->forecast.source == SUPERSTEPS_GIVEN && without)
		return error_set(err, -EINVAL,
				 "the task %s has no 'forecast' file",
				 without->name);
	if (settings->planner.wants_judge && !settings->judge.values)
		return error_set(err, -EINVAL, "the planner %s needs weights",
				 settings->planner.name);
	if (!run || run_init(run, supersteps, settings) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	*result = (struct supersteps_result){.changes = 0};
	for (unsigned step = 0; step < supersteps->steps; step++)
		run_step(run, step, result);
	result->total =
		result->seconds + result->changes * supersteps->rules.cost;
	result->short_steps = run->outlook.short_steps;
	return 0;
}

/* ---- the optimum ---- */

static void fill_all(const struct supersteps *supersteps, double *seconds)
{
	const struct run run = {.of = supersteps};

	for (unsigned s = 0; s < supersteps->steps; s++)
		for (unsigned i = 0; i < supersteps->rules.tasks; i++)
			fill(&run, i,
			     supersteps_workload(&supersteps->tasks[i], s),
			     cell_of(&run, seconds, s, i));
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
