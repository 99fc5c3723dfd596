/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as a workload: one that can be run, or a sentence that names the
 * file and a line
 */

#include "sim/engine.h"

#include "tests/fuzz/fuzz.h"

#include "base/cleanup.h"

#include <errno.h>
#include <math.h>

/* More is not run, so that many inputs are tried. */
enum { SETS_MAX = 2, JOBS_MAX = 12 };

DEFINE_CLEANUP(struct workload, workload_destroy)

static void is_as_promised(const struct workload *workload)
{
	HOLD(workload->slots >= 1 && workload->n_classes >= 1);
	HOLD(workload->n_sets >= 1 && workload->gap >= 0);
	HOLD(workload->rescale_gap >= 0 && workload->decision_delay >= 0);
	HOLD(workload->start_delay >= 0);
	for (size_t i = 0; i < workload->n_classes; i++) {
		const struct workload_class *class = &workload->classes[i];

		unsigned least = workload_class_least(class);

		HOLD(*class->name && least >= 1 && least <= class->max);
		HOLD(class->max + workload->launcher_slots <= workload->slots);
		HOLD(curve_at(&class->step_time, least) > 0);
		HOLD(curve_at(&class->start, class->max) >= 0);
		HOLD(curve_at(&class->move, class->max) >= 0);
	}
	for (size_t i = 0; i < workload->n_sets; i++) {
		HOLD(workload->sets[i].n >= 1);
		for (size_t k = 0; k < workload->sets[i].n; k++)
			HOLD(workload->sets[i].jobs[k].class <
			     workload->n_classes);
	}
}

static void can_be_run(const struct workload *workload,
		       const struct workload_set *set)
{
	for (const struct sched_policy *at = sched_policies; at->name; at++) {
		const struct sim_settings settings = {
			.policy = at, .gap = -1, .rescale_gap = -1};
		struct sim_metrics metrics;
		struct error err;
		int r = sim_run(&metrics, workload, set, &settings, &err);

		/* only the published simulator loses slots, and knows
		 * neither sizes nor failures */
		HOLD(r == 0 || r == -ERANGE ||
		     ((r == -EDEADLK || r == -EINVAL) && at->published));
		HOLD(r < 0 || isfinite(metrics.total));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free) char *copy = fuzz_copy(data, size);
	CLEANUP(workload_destroy) struct workload *workload = NULL;
	struct error err = {""};
	int r = workload_parse(&workload, "fuzz", copy, size, &err);

	if (r < 0) {
		HOLD(r == -EINVAL && !workload);
		HOLD(strncmp(err.text, "fuzz:", 5) == 0);
		HOLD(err.text[5] >= '1' && err.text[5] <= '9');
		return 0;
	}
	is_as_promised(workload);
	for (size_t i = 0; i < workload->n_sets && i < SETS_MAX; i++)
		if (workload->sets[i].n <= JOBS_MAX)
			can_be_run(workload, &workload->sets[i]);
	return 0;
}
