/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/supersteps_run.h"

#include <errno.h>
#include <string.h>

struct run {
	const struct supersteps *of;
	const struct supersteps_settings *settings;
	struct share_memory memory;
	unsigned levels[SHARE_TASKS_MAX], next[SHARE_TASKS_MAX];
	double seconds[SHARE_TASKS_MAX];
	/* Tables of seconds: of the steps to come, on average, of the last
	 * step. */
	double *ahead, *usual, *ended;
};

static void run_destroy(struct run *run)
{
	if (run)
		free(run->ahead);
	free(run);
}

DEFINE_CLEANUP(struct run, run_destroy)

static struct run *run_create(const struct supersteps *supersteps,
			      const struct supersteps_settings *settings)
{
	CLEANUP(run_destroy) struct run *run = calloc(1, sizeof(*run));
	size_t row = (size_t)supersteps->rules.tasks * supersteps->levels;
	size_t look = settings->planner.look;

	if (!run)
		return NULL;
	run->of = supersteps;
	run->settings = settings;
	run->ahead = calloc((look + 2) * row, sizeof(*run->ahead));
	if (!run->ahead)
		return NULL;
	run->usual = run->ahead + look * row;
	run->ended = run->usual + row;
	return STEAL(run);
}

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

/* How many steps from this one on the planner can see. */
static unsigned steps_ahead(const struct run *run, unsigned step)
{
	bool known = run->settings->forecast == SUPERSTEPS_KNOWN;
	size_t ahead = run->settings->planner.look;

	for (unsigned i = 0; i < run->of->rules.tasks; i++) {
		const struct supersteps_task *task = &run->of->tasks[i];
		size_t most = known ? task->n - step : task->columns;

		ahead = most < ahead ? most : ahead;
	}
	return (unsigned)ahead;
}

static double expected(const struct run *run, unsigned task, unsigned step,
		       unsigned ahead)
{
	const struct supersteps_task *at = &run->of->tasks[task];

	return run->settings->forecast == SUPERSTEPS_KNOWN
		       ? supersteps_workload(at, step + ahead)
		       : at->forecast[(size_t)step * at->columns + ahead];
}

static struct share_table look_ahead(struct run *run, unsigned step)
{
	unsigned steps = steps_ahead(run, step);

	for (unsigned s = 0; s < steps; s++)
		for (unsigned i = 0; i < run->of->rules.tasks; i++)
			fill(run, i, expected(run, i, step, s),
			     cell_of(run, run->ahead, s, i));
	return table_of(run, steps, run->ahead);
}

/* ---- steps ---- */

/* True: the shares change. */
static bool plan(struct run *run, unsigned step)
{
	const struct share_planner *planner = &run->settings->planner;
	const struct share_table ahead = look_ahead(run, step);
	const struct share_table usual = table_of(run, 1, run->usual);
	const struct share_table ended = table_of(run, 1, run->ended);
	const struct share_view view = {
		.rules = &run->of->rules,
		.ahead = &ahead,
		.usual = &usual,
		.ended = step > 0 ? &ended : NULL,
		.levels = step > 0 ? run->levels : NULL,
		.step = step,
		.steps = run->of->steps,
	};

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
		fill(run, i, supersteps_workload(&run->of->tasks[i], step),
		     cell_of(run, run->ended, 0, i));
		run->seconds[i] = share_seconds(&ended, 0, i, run->levels[i]);
	}
	return share_step_seconds(&ended, 0, run->levels);
}

static void run_step(struct run *run, unsigned step,
		     struct supersteps_result *result)
{
	bool is_changed = plan(run, step);
	double slowest = compute(run, step);

	result->seconds += slowest;
	if (is_changed && step > 0)
		result->changes++;
	if (run->settings->on_step)
		run->settings->on_step(
			run->settings->user,
			&(struct supersteps_step){step, is_changed, run->levels,
						  run->seconds, slowest});
}

/* ---- the whole ---- */

static const struct supersteps_task *
without_forecast(const struct supersteps *supersteps)
{
	for (unsigned i = 0; i < supersteps->rules.tasks; i++)
		if (!supersteps->tasks[i].forecast)
			return &supersteps->tasks[i];
	return NULL;
}

bool supersteps_has_forecast(const struct supersteps *supersteps)
{
	return !without_forecast(supersteps);
}

int supersteps_run(const struct supersteps *supersteps,
		   const struct supersteps_settings *settings,
		   struct supersteps_result *result, struct error *err)
{
	const struct supersteps_task *task = without_forecast(supersteps);
	CLEANUP(run_destroy) struct run *run = NULL;

	if (settings->forecast == SUPERSTEPS_GIVEN && task)
		return error_set(err, -EINVAL,
				 "the task %s has no 'forecast' file",
				 task->name);
	run = run_create(supersteps, settings);
	if (!run)
		return error_set(err, -ENOMEM, "out of memory");
	*result = (struct supersteps_result){.changes = 0};
	for (unsigned i = 0; i < supersteps->rules.tasks; i++)
		fill(run, i, supersteps->tasks[i].usual,
		     cell_of(run, run->usual, 0, i));
	for (unsigned step = 0; step < supersteps->steps; step++)
		run_step(run, step, result);
	result->total =
		result->seconds + result->changes * supersteps->rules.cost;
	return 0;
}
