/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The policy `bellows` beside those of the paper, on the 100 random sets behind
 * its figures 7 and 8, with the paper's 180 s between two changes of a job
 */

#include "base/cleanup.h"
#include "sim/engine.h"
#include "tests/check.h"

DEFINE_CLEANUP(struct workload, workload_destroy)

static void run(struct sim_metrics *metrics, const struct workload *workload,
		const char *policy, int gap)
{
	const struct sim_settings settings = {
		.policy = sched_policy_find(policy),
		.gap = (usec_t)gap * 1000000,
		.rescale_gap = -1,
	};
	struct error err;

	CHECK(sim_run_all(metrics, workload, &settings, &err) == 0);
}

static void is_better(const struct workload *workload, const char *policy,
		      int gap)
{
	struct sim_metrics ours, theirs;

	run(&ours, workload, "bellows", gap);
	run(&theirs, workload, policy, gap);
	CHECK(ours.total < theirs.total);
	CHECK(ours.utilisation > theirs.utilisation);
	CHECK(ours.response < theirs.response);
	CHECK(ours.completion < theirs.completion);
}

static void bellows_is_better_in_all_four_metrics_at_every_gap(void)
{
	CLEANUP(workload_destroy) struct workload *workload = NULL;
	struct error err;

	CHECK(workload_read(&workload, WORKLOADS "/elastic_random.json",
			    &err) == 0);
	for (int gap = 0; workload && gap <= 360; gap += 30) {
		is_better(workload, "elastic", gap);
		is_better(workload, "moldable", gap);
	}
}

RUN_TESTS(TEST(bellows_is_better_in_all_four_metrics_at_every_gap))
