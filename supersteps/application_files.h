/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERSTEPS_APPLICATION_FILES_H
#define SUPERSTEPS_APPLICATION_FILES_H

#include "supersteps/application.h"

/* How the values of a series become workloads. */
struct supersteps_scale {
	int first;        /* row of the first step; negative: from the end */
	unsigned rows;    /* from there on, whose range is scaled; 0: all */
	double low, high; /* what the range becomes; low = high: as it is */
};

/* The profiles of all tasks, from task, workload, shares, seconds a line. */
int supersteps_read_profile(struct supersteps *supersteps, const char *path,
			    struct error *err);

/* The last column of each row is a value. */
int supersteps_read_series(struct supersteps_task *task, unsigned steps,
			   const struct supersteps_scale *scale,
			   const char *path, struct error *err);

/* Row r has what is expected in the steps r, r + 1, ...; each column is scaled
 * by its own range. */
int supersteps_read_forecast(struct supersteps_task *task, unsigned steps,
			     const struct supersteps_scale *scale,
			     const char *path, struct error *err);

#endif
