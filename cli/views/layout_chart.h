/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_LAYOUT_CHART_H
#define CLI_VIEWS_LAYOUT_CHART_H

/*
 * What `bellows simulate --layout --svg` draws: for each policy when its jobs
 * waited and ran
 *
 *     add for each policy -> save -> fini
 */

#include "cli/views/gantt.h"
#include "cli/views/layout_table.h"

/* Zero-initialised but for what stands before the runs. */
struct layout_chart {
	const struct layout_workload *workload;
	const struct layout_pace *pace;
	struct layout_shape shape;
	struct gantt_run *runs;
	size_t n, room;
};

/* 0 or -ENOMEM with a sentence. */
int layout_chart_add(struct layout_chart *chart, const struct layout_row *row,
		     struct error *err);

/* 0 or -errno with a sentence. */
int layout_chart_save(const struct layout_chart *chart, const char *path,
		      struct error *err);
void layout_chart_fini(struct layout_chart *chart);

static inline void layout_chart_fini_at(struct layout_chart *chart)
{
	layout_chart_fini(chart);
}

#endif
