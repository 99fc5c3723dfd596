/* SPDX-License-Identifier: Apache-2.0 */

/*
 * optimum_ratios N: of the first N tiny clusters, a line for each policy and
 * objective, "POLICY OBJECTIVE RATIO": what the policy gives over the best
 */

#include "tests/sim/tiny_cluster.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const objectives[] = {
	[OPTIMUM_TOTAL] = "total",
	[OPTIMUM_COMPLETION] = "completion",
};

static void print_ratios(unsigned number, enum optimum_objective objective)
{
	static struct tiny_cluster cluster;
	static struct optimum optimum;
	bool parks;

	tiny_cluster_init(&cluster, number);
	optimum_find(&optimum, &cluster.workload, &cluster.set, objective,
		     true);
	for (const struct sched_policy *at = sched_policies; at->name; at++)
		if (!at->published)
			printf("%s %s %.9f\n", at->name, objectives[objective],
			       tiny_cluster_run(&cluster, at, objective,
						&parks) /
				       optimum.value);
}

int main(int argc, char **argv)
{
	unsigned n = argc == 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;

	if (n == 0) {
		fprintf(stderr, "usage: optimum_ratios N\n");
		return 64;
	}
	for (unsigned i = 0; i < n; i++) {
		print_ratios(i, OPTIMUM_TOTAL);
		print_ratios(i, OPTIMUM_COMPLETION);
	}
	return 0;
}
