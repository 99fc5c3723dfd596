/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/supersteps_lesson.h"
#include "tests/check.h"

#include <math.h>

enum { PAST = 4, STEPS = 3, BEHIND = 4, N = STEPS + BEHIND, COLUMNS = 3 };

/* The workload of step s is 100 s; the error of its forecast k steps ahead is
 * s + k / 10. */
static double series[2][PAST + N], forecast[2][N][COLUMNS];
static struct supersteps_task tasks[2];
static struct supersteps whole;

static void reset(void)
{
	for (int i = 0; i < 2; i++) {
		for (int s = -PAST; s < N; s++)
			series[i][PAST + s] = 100 * s + 1000 * i;
		for (int s = 0; s < N; s++)
			for (int k = 0; k < COLUMNS; k++)
				forecast[i][s][k] =
					100 * (s + k) + 1000 * i + s + k / 10.;
		tasks[i] = (struct supersteps_task){.series = series[i],
						    .n_past = PAST,
						    .n = N,
						    .forecast = forecast[i][0],
						    .rows = N,
						    .columns = COLUMNS};
	}
	whole = (struct supersteps){
		.rules = {.tasks = 2}, .steps = STEPS, .tasks = tasks};
}

static bool is_expected(const struct supersteps_lesson *lesson, unsigned step,
			unsigned later, double workload, double error)
{
	const struct supersteps_task *task = &lesson->of.tasks[1];

	return fabs(task->forecast[step * task->columns + later] - 1000 -
		    workload - error) < 1e-9;
}

static void the_past_is_expected_with_errors_of_other_steps(void)
{
	const struct supersteps_errors errors = {STEPS, 2};
	CLEANUP(supersteps_lesson_fini) struct supersteps_lesson past;

	reset();
	CHECK(supersteps_lesson_init(&past, &whole, -PAST, 3, 2) == 0);
	CHECK(past.of.steps == 3 && past.of.tasks[0].columns == 2);
	CHECK(supersteps_workload(&past.of.tasks[0], 0) == -400);
	CHECK(supersteps_workload(&past.of.tasks[1], 2) == 1000 - 200);
	supersteps_lesson_expect(&past, &errors, 1);
	CHECK(is_expected(&past, 0, 0, -400, 4));
	CHECK(is_expected(&past, 0, 1, -300, 4.1));
	CHECK(is_expected(&past, 1, 0, -300, 3));
	CHECK(is_expected(&past, 2, 1, -100, 4.1));
}

static void steps_behind_are_expected_as_the_files_have_it(void)
{
	const struct supersteps_errors errors = {STEPS, 2};
	CLEANUP(supersteps_lesson_fini) struct supersteps_lesson behind;

	reset();
	CHECK(supersteps_lesson_init(&behind, &whole, STEPS, 2, 2) == 0);
	CHECK(supersteps_workload(&behind.of.tasks[0], 1) == 400);
	supersteps_lesson_expect(&behind, &errors, 0);
	for (unsigned s = 0; s < 2; s++)
		for (unsigned k = 0; k < 2; k++)
			CHECK(behind.of.tasks[0].forecast[s * 2 + k] ==
			      forecast[0][STEPS + s][k]);
}

static void a_lesson_without_a_forecast_has_none(void)
{
	CLEANUP(supersteps_lesson_fini) struct supersteps_lesson past;

	reset();
	CHECK(supersteps_lesson_init(&past, &whole, -PAST, 3, 0) == 0);
	CHECK(!past.of.tasks[0].forecast);
	supersteps_lesson_expect(&past, &(struct supersteps_errors){0, 1}, 0);
}

static void the_task_that_has_the_fewest_steps_counts(void)
{
	reset();
	CHECK(supersteps_steps_before(&whole) == 4);
	CHECK(supersteps_steps_behind(&whole, true, 1) == 3);
	CHECK(supersteps_steps_behind(&whole, true, 4) == 0);
	tasks[1].rows = N - 1;
	CHECK(supersteps_steps_behind(&whole, true, 1) == 2);
	CHECK(supersteps_steps_behind(&whole, false, 1) == 3);
	tasks[0].n = N - 2;
	tasks[0].n_past = 2;
	CHECK(supersteps_steps_behind(&whole, false, 1) == 1);
	CHECK(supersteps_steps_before(&whole) == 2);
	tasks[0].n = STEPS;
	CHECK(supersteps_steps_behind(&whole, false, 1) == 0);
}

RUN_TESTS(TEST(the_past_is_expected_with_errors_of_other_steps),
	  TEST(steps_behind_are_expected_as_the_files_have_it),
	  TEST(a_lesson_without_a_forecast_has_none),
	  TEST(the_task_that_has_the_fewest_steps_counts))
