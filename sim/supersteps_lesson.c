/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/supersteps_lesson.h"

#include <errno.h>

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

unsigned supersteps_steps_before(const struct supersteps *supersteps)
{
	size_t steps = SUPERSTEPS_STEPS_MAX;

	for (unsigned i = 0; i < supersteps->rules.tasks; i++)
		steps = lesser(steps, supersteps->tasks[i].n_past);
	return (unsigned)steps;
}

unsigned supersteps_steps_behind(const struct supersteps *supersteps,
				 bool forecast, unsigned look)
{
	size_t steps = SUPERSTEPS_STEPS_MAX;

	for (unsigned i = 0; i < supersteps->rules.tasks; i++) {
		const struct supersteps_task *task = &supersteps->tasks[i];

		steps = lesser(steps, task->n);
		if (forecast)
			steps = lesser(steps, task->rows);
	}
	return steps > supersteps->steps + look
		       ? (unsigned)steps - supersteps->steps - look
		       : 0;
}

/* What is expected at a step of a later one. */
static double *cell_of(struct supersteps_lesson *lesson, unsigned task,
		       unsigned step, unsigned later)
{
	return &lesson->forecasts[((size_t)task * lesson->of.steps + step) *
					  lesson->look +
				  later];
}

int supersteps_lesson_init(struct supersteps_lesson *lesson,
			   const struct supersteps *whole, long first,
			   unsigned steps, unsigned look)
{
	unsigned tasks = whole->rules.tasks;

	*lesson = (struct supersteps_lesson){
		.of = *whole, .whole = whole, .first = first, .look = look};
	lesson->of.steps = steps;
	lesson->of.tasks = calloc(tasks, sizeof(*lesson->of.tasks));
	lesson->forecasts = calloc((size_t)tasks * steps * look + 1,
				   sizeof(*lesson->forecasts));
	if (!lesson->of.tasks || !lesson->forecasts)
		return -ENOMEM;
	for (unsigned i = 0; i < tasks; i++) {
		struct supersteps_task *task = &lesson->of.tasks[i];

		*task = whole->tasks[i];
		task->n_past = (size_t)((long)task->n_past + first);
		task->n = (size_t)((long)task->n - first);
		task->forecast = look ? cell_of(lesson, i, 0, 0) : NULL;
		task->rows = steps;
		task->columns = look;
	}
	return 0;
}

void supersteps_lesson_fini(struct supersteps_lesson *lesson)
{
	free(lesson->of.tasks);
	free(lesson->forecasts);
}

/* What the whole's forecast of the step says too much. */
static double error_of(const struct supersteps_task *task, size_t step,
		       unsigned later)
{
	return task->forecast[step * task->columns + later] -
	       supersteps_workload(task, step + later);
}

void supersteps_lesson_expect(struct supersteps_lesson *lesson,
			      const struct supersteps_errors *errors,
			      unsigned from)
{
	for (unsigned i = 0; i < lesson->of.rules.tasks; i++)
		for (unsigned s = 0; s < lesson->of.steps; s++)
			for (unsigned k = 0; k < lesson->look; k++)
				*cell_of(lesson, i, s, k) =
					supersteps_workload(
						&lesson->of.tasks[i], s + k) +
					error_of(&lesson->whole->tasks[i],
						 errors->first +
							 (from + s) %
								 errors->steps,
						 k);
}
