/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_QUEUE_CHART_H
#define CLI_VIEWS_QUEUE_CHART_H

/*
 * The queue of a scheduler over time: its slots in use and a Gantt chart of its
 * jobs (cli/views/gantt.h)
 *
 * It begins with the first of the jobs that the table shows, but an hour ago at
 * most if the table is not of all jobs, and not before the scheduler did, whose
 * spans are of its own life.  It ends now.
 */

#include "base/error.h"
#include "cli/views/queue_table.h"

/* table: which jobs.  0 or -ENOMEM; then the drawing is not whole. */
int queue_chart_draw(FILE *to, const Bellows__V1__Queue *queue,
		     const struct queue_table *table);

/* Into a file: 0 or -errno with a sentence. */
int queue_chart_save(const char *path, const Bellows__V1__Queue *queue,
		     const struct queue_table *table, struct error *err);

#endif
