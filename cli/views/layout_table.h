/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_LAYOUT_TABLE_H
#define CLI_VIEWS_LAYOUT_TABLE_H

/*
 * What `bellows simulate --layout` prints: a table, CSV, or an object of JSON a
 * line
 */

#include "sim/layout_run.h"

#include <stdio.h>

struct layout_row {
	const char *policy;
	const struct layout_workload *workload;
	const struct layout_pace *pace;
	const struct layout_outcome *outcomes;
	struct layout_totals totals;
	struct layout_totals none, cm; /* of these policies */
};

struct layout_table {
	void (*head)(FILE *to); /* NULL: it has none */
	void (*row)(FILE *to, const struct layout_row *row);
};

extern const struct layout_table layout_table_text, layout_table_csv,
	layout_table_json;

/* "minife-0" */
const char *layout_job_name(const struct layout_workload *workload,
			    const struct layout_pace *pace, unsigned job,
			    char *text, size_t n);

/* Where jobs are placed. */
struct layout_log {
	FILE *to;
	bool json;
	const struct layout_workload *workload;
	const struct layout_pace *pace;
	struct layout_shape shape;
};

/* An on_place of sim/layout_run.h; user is a struct layout_log. */
void layout_log_place(void *user, unsigned job, double start,
		      const struct layout_place *place);

#endif
