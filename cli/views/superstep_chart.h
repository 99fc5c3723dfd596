/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_SUPERSTEP_CHART_H
#define CLI_VIEWS_SUPERSTEP_CHART_H

/*
 * What `bellows simulate --supersteps --svg` draws: for each planner the time
 * of the tasks over the steps, and where the shares change
 *
 *     begin -> add for each step -> end, for each planner; save -> fini
 */

#include "base/error.h"
#include "cli/views/superstep_table.h"

/* One planner.  Steps that do not fit become one column, with the most of
 * each. */
struct superstep_panel {
	struct superstep_row row;
	double *seconds; /* [column][task] */
	bool *changes;   /* [column] */
};

struct superstep_chart {
	const char *source; /* path of the file */
	const struct supersteps *supersteps;
	struct superstep_panel *panels;
	size_t n;
};

/* Room for one planner more.  0 or -ENOMEM with a sentence. */
int superstep_chart_begin(struct superstep_chart *chart, struct error *err);
void superstep_chart_add(struct superstep_chart *chart,
			 const struct supersteps_step *step);
void superstep_chart_end(struct superstep_chart *chart,
			 const struct superstep_row *row);

/* 0 or -errno with a sentence. */
int superstep_chart_save(const struct superstep_chart *chart, const char *path,
			 struct error *err);
void superstep_chart_fini(struct superstep_chart *chart);

static inline void superstep_chart_fini_at(struct superstep_chart *chart)
{
	superstep_chart_fini(chart);
}

#endif
