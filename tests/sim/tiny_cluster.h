/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SIM_TINY_CLUSTER_H
#define TESTS_SIM_TINY_CLUSTER_H

/*
 * Clusters so small that the best schedule can be found: 3 to 8 slots, 1 to 5
 * jobs whose speed follows Amdahl's law.  A number gives the same one on every
 * machine, for they are drawn with integers alone.
 */

#include "sim/engine.h"
#include "tests/sim/optimum.h"

enum { TINY_CLUSTERS = 200 };

struct tiny_cluster {
	struct workload workload; /* of one set, which is `set` */
	struct workload_set set;
	struct workload_class
		classes[OPTIMUM_JOBS_MAX]; /* of each job its own */
	struct workload_job jobs[OPTIMUM_JOBS_MAX];
};

/* It points into itself, so it stays where it is. */
void tiny_cluster_init(struct tiny_cluster *cluster, unsigned number);

/* What the simulator gives for the objective, in seconds; NAN: it fails.
 * *parks: whether a job was parked. */
double tiny_cluster_run(const struct tiny_cluster *cluster,
			const struct sched_policy *policy,
			enum optimum_objective objective, bool *parks);

#endif
