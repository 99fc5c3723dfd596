/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any file as the profile of a task, as its workloads and as their forecast:
 * numbers, or a sentence that names the file
 */

#include "supersteps/application_files.h"

#include "tests/fuzz/file.h"

#include <errno.h>
#include <math.h>

static char path[32];
static struct error err;

static void check_refusal(int r)
{
	HOLD(r == -EINVAL);
	HOLD(strncmp(err.text, path, strlen(path)) == 0);
}

static void read_profile(struct supersteps *supersteps)
{
	const struct supersteps_task *task = supersteps->tasks;
	int r = supersteps_read_profile(supersteps, path, &err);

	if (r < 0)
		check_refusal(r);
	else
		HOLD(isfinite(
			share_profile_seconds(&task->profile, 20.5, 1234)));
}

static void read_series(struct supersteps_task *task)
{
	const struct supersteps_scale scale = {
		.first = -2, .rows = 2, .low = 10, .high = 50};
	int r = supersteps_read_series(task, 2, &scale, path, &err);

	if (r < 0)
		check_refusal(r);
	else
		HOLD(task->n == 2 &&
		     fabs(supersteps_workload(task, 0) - 30) <= 20.001);
}

static void read_forecast(struct supersteps_task *task)
{
	const struct supersteps_scale scale = {.first = 0};
	int r = supersteps_read_forecast(task, 2, &scale, path, &err);

	if (r < 0)
		check_refusal(r);
	else
		HOLD(task->rows >= 2 && task->columns >= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct supersteps_task task = {.name = "a", .usual = NAN};
	struct supersteps supersteps = {.rules.tasks = 1, .tasks = &task};

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fuzz_file(data, size));
	read_profile(&supersteps);
	read_series(&task);
	read_forecast(&task);
	free(task.numbers);
	free(task.series);
	free(task.forecast);
	return 0;
}
