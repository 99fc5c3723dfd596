/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_GANTT_H
#define CLI_VIEWS_GANTT_H

/*
 * A drawing of one set of jobs: for each policy, above one another on the same
 * axis of time, the utilisation and a Gantt chart
 *
 * So many jobs as have a row that can be read (GANTT_ROWS_MAX) have rows with
 * their names and a line while they wait.  More are areas over the slots, and
 * how many wait is drawn above them.  If all charts have more than
 * GANTT_AREAS_MAX jobs, the areas are left out, and a sentence says so.
 */

#include "sim/spans.h"
#include "sim/workload.h"

#include <stdio.h>

enum { GANTT_ROWS_MAX = 60, GANTT_AREAS_MAX = 10000 };

/* What came of one policy. */
struct gantt_run {
	const char *policy;
	struct sim_metrics metrics;
	struct sim_spans spans;
};

struct gantt {
	const char *source; /* path of the workload */
	const struct workload *workload;
	const struct workload_set *set;
	usec_t gap; /* between two submissions; -1: each job has its own time */
	usec_t rescale_gap;
	struct gantt_run *runs;
	size_t n_runs;
};

/* 0 or -ENOMEM; then the drawing is not whole. */
int gantt_draw(FILE *to, const struct gantt *gantt);

#endif
