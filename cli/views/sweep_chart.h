/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_SWEEP_CHART_H
#define CLI_VIEWS_SWEEP_CHART_H

/*
 * A drawing of a sweep: total time, utilisation, response and completion time
 * over what is varied, one line a policy
 */

#include "cli/views/simulation.h"

/* The rows go by values, and have the policies of one value in the same order
 * as those of the next. */
struct sweep_chart {
	const char *source; /* path of the workload */
	const char *below;  /* what is the same for all values */
	const struct simulation_row *rows;
	size_t n_policies, n_values; /* both at least 1 */
};

void sweep_chart_draw(FILE *to, const struct sweep_chart *chart);

#endif
