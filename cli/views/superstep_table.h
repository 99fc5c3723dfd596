/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_SUPERSTEP_TABLE_H
#define CLI_VIEWS_SUPERSTEP_TABLE_H

/*
 * What `bellows simulate --supersteps` prints: a table, CSV, or an object of
 * JSON a line
 */

#include "sim/supersteps_run.h"

#include <math.h>
#include <stdio.h>

struct superstep_row {
	const char *planner;
	const char *forecast;
	struct supersteps_result result;
	double unchanged; /* seconds in total, with shares that never change */
	double bound;     /* of which no planner takes less; 0: not known */
};

struct superstep_table {
	void (*head)(FILE *to); /* NULL: it has none */
	void (*row)(FILE *to, const struct superstep_row *row);
};

extern const struct superstep_table superstep_table_text, superstep_table_csv,
	superstep_table_json;

/* What part of the time is spared, against shares that never change. */
static inline double superstep_gain(const struct superstep_row *row)
{
	return 1 - row->result.total / row->unchanged;
}

/* What part of the bound the time is above it; negative: it is not known. */
static inline double superstep_above(const struct superstep_row *row)
{
	return row->bound > 0 ? fmax(0, row->result.total / row->bound - 1)
			      : -1;
}

/* One step, and what has changed before it. */
struct superstep_log {
	FILE *to;
	bool json;
	const struct supersteps *supersteps;
	unsigned before[SHARE_TASKS_MAX]; /* levels of the step before */
};

/* An on_step of sim/supersteps_run.h; user is a struct superstep_log. */
void superstep_log_step(void *user, const struct supersteps_step *step);

#endif
