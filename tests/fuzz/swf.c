/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as a log in Standard Workload Format: a workload that can be run,
 * or a sentence that names the file and a line
 */

#include "sim/engine.h"
#include "sim/swf_workload.h"

#include "tests/fuzz/fuzz.h"

#include "base/cleanup.h"

#include <errno.h>
#include <math.h>

enum { JOBS_MAX = 12 };

DEFINE_CLEANUP(struct workload, workload_destroy)

static void is_as_promised(const struct workload *workload)
{
	const struct workload_set *set = workload->sets;

	HOLD(workload->slots >= 1 && workload->n_sets == 1 && set->n >= 1);
	HOLD(set->jobs[0].submit == 0);
	for (size_t i = 0; i < set->n; i++) {
		const struct workload_job *job = &set->jobs[i];
		const struct workload_class *class =
			&workload->classes[job->class];

		HOLD(job->class < workload->n_classes);
		HOLD(class->min >= 1 && class->min <= class->max);
		HOLD(class->max <= workload->slots);
		HOLD(job->steps > 0 && job->estimate >= -1);
		HOLD(i == 0 || job->submit >= set->jobs[i - 1].submit);
	}
}

static void can_be_run(const struct workload *workload)
{
	for (const struct sched_policy *at = sched_policies; at->name; at++) {
		const struct sim_settings settings = {
			.policy = at, .gap = -1, .rescale_gap = -1};
		struct sim_metrics metrics;
		struct error err;
		int r = sim_run(&metrics, workload, workload->sets, &settings,
				&err);

		/* only the published simulator loses slots */
		HOLD(r == 0 || r == -ERANGE ||
		     (r == -EDEADLK && at->published));
		HOLD(r < 0 || isfinite(metrics.total));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct swf_rule rule = {
		.malleable = 50, .grow = 3, .seed = 1, .move = 30};
	CLEANUP(free) char *copy = fuzz_copy(data, size);
	CLEANUP(fclose) FILE *file = fmemopen(copy, size, "r");
	CLEANUP(workload_destroy) struct workload *workload = NULL;
	CLEANUP(swf_log_fini) struct swf_log log = {0};
	struct error err = {""};
	int r;

	if (!file)
		return 0;
	r = swf_parse(&log, "fuzz", file, 0, &err);
	if (r < 0) {
		HOLD(r == -EINVAL);
		HOLD(strncmp(err.text, "fuzz:", 5) == 0);
		HOLD(err.text[5] >= '1' && err.text[5] <= '9');
		return 0;
	}
	r = swf_workload(&workload, &log, &rule, &err);
	HOLD(r == 0);
	is_as_promised(workload);
	if (log.n <= JOBS_MAX)
		can_be_run(workload);
	return 0;
}
