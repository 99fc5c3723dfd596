/* SPDX-License-Identifier: Apache-2.0 */
#include "supersteps/outlook.h"

#include <errno.h>
#include <string.h>

bool supersteps_forecast_find(struct supersteps_forecast *forecast,
			      const char *name)
{
	*forecast = (struct supersteps_forecast){.source = SUPERSTEPS_KNOWN};
	if (strcmp(name, "known") == 0)
		return true;
	forecast->source = SUPERSTEPS_GIVEN;
	if (strcmp(name, "given") == 0)
		return true;
	forecast->source = SUPERSTEPS_MADE;
	forecast->forecaster = share_forecaster_find(name);
	return forecast->forecaster;
}

const char *supersteps_forecast_name(const struct supersteps_forecast *forecast)
{
	return forecast->forecaster ? forecast->forecaster->name
	       : forecast->source == SUPERSTEPS_KNOWN ? "known"
						      : "given";
}

const struct supersteps_task *
supersteps_without_forecast(const struct supersteps *supersteps)
{
	for (unsigned i = 0; i < supersteps->rules.tasks; i++)
		if (!supersteps->tasks[i].forecast)
			return &supersteps->tasks[i];
	return NULL;
}

int supersteps_outlook_init(struct supersteps_outlook *outlook,
			    const struct supersteps *supersteps,
			    const struct supersteps_forecast *forecast,
			    unsigned look)
{
	unsigned tasks = supersteps->rules.tasks;

	*outlook = (struct supersteps_outlook){
		.of = supersteps,
		.forecast = *forecast,
		.look = look,
		.ahead = calloc((size_t)(look + 1) * tasks, sizeof(double)),
	};
	if (forecast->source == SUPERSTEPS_MADE)
		outlook->made = calloc(tasks, sizeof(*outlook->made));
	if (!outlook->ahead ||
	    (forecast->source == SUPERSTEPS_MADE && !outlook->made))
		return -ENOMEM;
	for (unsigned i = 0; outlook->made && i < tasks; i++)
		outlook->made[i].kind = forecast->forecaster;
	return 0;
}

void supersteps_outlook_fini(struct supersteps_outlook *outlook)
{
	free(outlook->made);
	free(outlook->ahead);
}

/* ---- before a step ---- */

static unsigned steps_of(const struct supersteps_outlook *outlook,
			 unsigned step)
{
	size_t steps = outlook->look;

	for (unsigned i = 0; i < outlook->of->rules.tasks; i++) {
		const struct supersteps_task *task = &outlook->of->tasks[i];
		size_t most = steps;

		if (outlook->forecast.source == SUPERSTEPS_KNOWN)
			most = task->n - step;
		else if (outlook->forecast.source == SUPERSTEPS_GIVEN)
			most = task->columns;
		steps = most < steps ? most : steps;
	}
	return (unsigned)steps;
}

/* True: the history of the task is too short. */
static bool make(struct supersteps_outlook *outlook, unsigned step,
		 unsigned task)
{
	const struct supersteps_task *of = &outlook->of->tasks[task];
	double ahead[SHARE_LOOK_MAX];
	unsigned n = (unsigned)of->n_past + step;
	int r = n > 0 ? share_forecast(&outlook->made[task], of->series, n,
				       outlook->steps, ahead)
		      : 1;

	for (unsigned s = 0; s < outlook->steps; s++)
		outlook->ahead[s * outlook->of->rules.tasks + task] =
			n > 0 ? ahead[s] : of->usual;
	return r > 0;
}

static void copy(struct supersteps_outlook *outlook, unsigned step,
		 unsigned task)
{
	const struct supersteps_task *of = &outlook->of->tasks[task];
	const double *from =
		outlook->forecast.source == SUPERSTEPS_KNOWN
			? of->series + of->n_past + step
			: of->forecast + (size_t)step * of->columns;

	for (unsigned s = 0; s < outlook->steps; s++)
		outlook->ahead[s * outlook->of->rules.tasks + task] = from[s];
}

void supersteps_outlook_look(struct supersteps_outlook *outlook, unsigned step)
{
	bool is_short = false;

	if (outlook->look == 0)
		return;
	outlook->steps = steps_of(outlook, step);
	for (unsigned i = 0; i < outlook->of->rules.tasks; i++)
		if (outlook->made)
			is_short |= make(outlook, step, i);
		else
			copy(outlook, step, i);
	outlook->short_steps += is_short;
}
