/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_past.h"

#include <math.h>
#include <string.h>

void share_past_init(struct share_past *past, unsigned tasks, unsigned look,
		     double *room)
{
	*past = (struct share_past){
		.tasks = tasks,
		.look = look,
		.forecasts = room,
		.workloads = room + (size_t)SHARE_PAST_STEPS * look * tasks,
	};
}

static double *forecast_at(const struct share_past *past, unsigned step,
			   unsigned ahead)
{
	size_t row = (size_t)(step % SHARE_PAST_STEPS) * past->look + ahead;

	return past->forecasts + row * past->tasks;
}

static double *workloads_at(const struct share_past *past, unsigned step)
{
	return past->workloads +
	       (size_t)(step % SHARE_PAST_STEPS) * past->tasks;
}

void share_past_forecast(struct share_past *past, const double *ahead)
{
	memcpy(forecast_at(past, past->steps, 0), ahead,
	       (size_t)past->look * past->tasks * sizeof(*ahead));
}

void share_past_ended(struct share_past *past, const double *workloads)
{
	memcpy(workloads_at(past, past->steps), workloads,
	       past->tasks * sizeof(*workloads));
	past->steps++;
}

double share_past_value(const struct share_past *past, unsigned ahead,
			unsigned task)
{
	return forecast_at(past, past->steps, ahead)[task];
}

/* ---- cases that are alike ---- */

/* How much the workload was above the forecast that was made before `step`. */
static double error_of(const struct share_past *past, unsigned step,
		       unsigned ahead, unsigned task)
{
	return workloads_at(past, step + ahead)[task] -
	       forecast_at(past, step, ahead)[task];
}

/* What is known when a forecast is made. */
struct outlook {
	double value, rise, error, error_before;
};

static struct outlook outlook_of(const struct share_past *past, unsigned step,
				 unsigned ahead, unsigned task)
{
	struct outlook outlook = {.value =
					  forecast_at(past, step, ahead)[task]};

	if (ahead + 1 < past->look)
		outlook.rise = forecast_at(past, step, ahead + 1)[task] -
			       outlook.value;
	if (step >= 1)
		outlook.error = error_of(past, step - 1, 0, task);
	if (step >= 2)
		outlook.error_before = error_of(past, step - 2, 0, task);
	return outlook;
}

static double distance(const struct outlook *a, const struct outlook *b)
{
	return fabs(a->value - b->value) + fabs(a->rise - b->rise) +
	       fabs(a->error - b->error) +
	       fabs(a->error_before - b->error_before);
}

/* The smallest ones, ascending. */
struct nearest {
	unsigned n, room;
	double distances[SHARE_SCENARIOS];
};

static void add_near(struct nearest *nearest, double distance)
{
	unsigned i = nearest->n;

	if (i == nearest->room && distance >= nearest->distances[i - 1])
		return;
	if (i == nearest->room)
		i--;
	else
		nearest->n++;
	for (; i > 0 && nearest->distances[i - 1] > distance; i--)
		nearest->distances[i] = nearest->distances[i - 1];
	nearest->distances[i] = distance;
}

/* The steps whose forecast can be judged; the two before the oldest of them
 * are remembered as well. */
static unsigned count_cases(const struct share_past *past, unsigned ahead)
{
	unsigned most = SHARE_PAST_STEPS - 3 - ahead;
	unsigned cases = past->steps > ahead ? past->steps - ahead : 0;

	return cases < most ? cases : most;
}

unsigned share_past_errors(const struct share_past *past, unsigned ahead,
			   unsigned task, unsigned n, double *errors)
{
	struct outlook now = outlook_of(past, past->steps, ahead, task);
	double distances[SHARE_PAST_STEPS];
	unsigned cases = count_cases(past, ahead), found = 0;
	struct nearest nearest = {.room = n};

	for (unsigned i = 0; i < cases; i++) {
		struct outlook then = outlook_of(
			past, past->steps - ahead - 1 - i, ahead, task);

		distances[i] = distance(&now, &then);
		add_near(&nearest, distances[i]);
	}
	for (unsigned i = 0; i < cases && found < nearest.n; i++)
		if (distances[i] <= nearest.distances[nearest.n - 1])
			errors[found++] = error_of(
				past, past->steps - ahead - 1 - i, ahead, task);
	return found;
}
