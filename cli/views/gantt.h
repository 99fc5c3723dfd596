/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_GANTT_H
#define CLI_VIEWS_GANTT_H

/*
 * A drawing of jobs: for each policy, above one another on the same axis of
 * time, the utilisation and a Gantt chart
 *
 * So many jobs as have a row that can be read (GANTT_ROWS_MAX) have rows with
 * their names and a line while they wait.  More are areas over the slots, and
 * how many wait is drawn above them.  If all charts have more than
 * GANTT_AREAS_MAX jobs, the areas are left out, and a sentence says so.
 *
 * The axis begins at 0.  What was before is drawn there.
 */

#include "sim/spans.h"

#include <stdio.h>

enum { GANTT_ROWS_MAX = 60, GANTT_AREAS_MAX = 10000 };

/* What came of one policy. */
struct gantt_run {
	const char *policy;
	char figures[200];  /* a line */
	double total;       /* seconds, until its end */
	double utilisation; /* 0 to 1 */
	struct sim_spans spans;
};

struct gantt {
	const char *title, *below;
	/* The name of a job, which may be written into the text. */
	const char *(*name)(const void *user, unsigned job, char *text,
			    size_t n);
	/* The most ranks that it may have: the height of its row. */
	unsigned (*max)(const void *user, unsigned job);
	const void *user;
	unsigned slots;
	unsigned launcher_slots; /* of each job, beside its ranks */
	struct gantt_run *runs;  /* of the same jobs; at least one */
	size_t n_runs;
};

/* 0 or -ENOMEM; then the drawing is not whole. */
int gantt_draw(FILE *to, const struct gantt *gantt);

#endif
