/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any file as the jobs of a layout, and as the pace of its programs: a
 * simulation that ends under each policy, or a sentence that names the file
 */

#include "sim/layout_run.h"

#include "base/cleanup.h"
#include "tests/fuzz/file.h"

#include <errno.h>
#include <math.h>

enum { JOBS_MAX = 12, RANKS_MAX = 200 };

static char path[32];
static struct error err;

static void check_refusal(int r)
{
	HOLD(r == -EINVAL);
	HOLD(strncmp(err.text, path, strlen(path)) == 0);
}

static void is_as_promised(const struct layout_workload *workload)
{
	HOLD(workload->n >= 1 && workload->n <= LAYOUT_JOBS_MAX);
	for (unsigned i = 0; i < workload->n; i++) {
		const struct layout_job *job = &workload->jobs[i];

		HOLD(job->program < layout_pace_published.n);
		HOLD(job->ranks >= 1 && job->ranks <= LAYOUT_JOB_RANKS_MAX);
		HOLD(i == 0 || job->submit >= workload->jobs[i - 1].submit);
	}
}

static void can_be_run(const struct layout_workload *workload)
{
	struct layout_outcome outcomes[JOBS_MAX];
	struct layout_settings settings = {.shape = layout_shape_published,
					   .pace = &layout_pace_published};

	for (settings.policy = layout_policies; settings.policy->name;
	     settings.policy++) {
		int r = layout_run(workload, &settings, outcomes, &err);

		if (r < 0) {
			check_refusal(r);
			continue;
		}
		for (unsigned i = 0; i < workload->n; i++)
			HOLD(outcomes[i].start >= workload->jobs[i].submit &&
			     outcomes[i].end >= outcomes[i].start &&
			     isfinite(outcomes[i].end));
	}
}

static bool is_small(const struct layout_workload *workload)
{
	for (unsigned i = 0; i < workload->n; i++)
		if (workload->jobs[i].ranks > RANKS_MAX)
			return false;
	return workload->n <= JOBS_MAX;
}

static void read_jobs(void)
{
	CLEANUP(layout_workload_fini) struct layout_workload workload;
	int r = layout_workload_read(&workload, path, &layout_pace_published,
				     &err);

	if (r < 0) {
		check_refusal(r);
		return;
	}
	is_as_promised(&workload);
	if (is_small(&workload))
		can_be_run(&workload);
}

static void read_pace(void)
{
	CLEANUP(layout_pace_fini) struct layout_pace pace;
	int r = layout_pace_read(&pace, path, &err);

	if (r < 0) {
		check_refusal(r);
		return;
	}
	for (size_t i = 0; i < pace.n; i++)
		for (unsigned ranks = 1; ranks <= 32; ranks *= 2) {
			const struct layout_containers containers = {
				.ranks = ranks};

			HOLD(layout_pace_seconds(&pace.programs[i],
						 &containers) > 0);
			HOLD(layout_pace_slowdown(&pace.programs[i], ranks) >=
			     1);
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fuzz_file(data, size));
	read_jobs();
	read_pace();
	return 0;
}
