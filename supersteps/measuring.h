/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERSTEPS_MEASURING_H
#define SUPERSTEPS_MEASURING_H

/*
 * The cells of a profile that are to be measured, and the file of those that
 * were
 *
 * A cell is a task with a workload and with shares.  The file is a profile as
 * supersteps_read() reads it: each measurement is a line, written when it was
 * made, so that measuring goes on where it has ended.  All cells are measured
 * once before any is measured twice: what else the machine does for a while
 * meets each task alike.
 */

#include "base/error.h"
#include "core/share_profile.h"
#include "supersteps/application.h"

struct measuring_axes {
	double workloads[SHARE_AXIS_MAX];
	unsigned n_workloads;
	double shares[SHARE_AXIS_MAX];
	unsigned n_shares;
};

struct measuring_wish {
	unsigned repeat; /* measurements of each cell */
	struct measuring_axes
		axes;      /* an empty one: what fits the application */
	double processors; /* that this machine has */
};

struct measured_cell {
	unsigned task;
	double workload, shares;
	/* Of its measurements so far. */
	unsigned n;
	double mean, least, most; /* seconds */
};

struct measuring {
	const struct supersteps *of;
	const char *path;
	unsigned repeat;
	struct measured_cell *cells; /* by task, workload, shares */
	size_t n, room;
	int file; /* locked */
};

/*
 * Opens the file, or makes it, and reads what it has of these cells.
 *
 * -EINVAL: a number of the wish is wrong, or a line of the file; -EAGAIN:
 * another program measures into that file; -errno.  measuring_fini() in each
 * case.
 */
int measuring_begin(struct measuring *measuring,
		    const struct supersteps *supersteps,
		    const struct measuring_wish *wish, const char *path,
		    struct error *err);

/* The cell that is measured next; NULL: all have been. */
struct measured_cell *measuring_next(struct measuring *measuring);

/* Writes a measurement of that cell: its seconds, and the seconds of the
 * processors that it had, and that it waited for its next period. */
int measuring_add(struct measuring *measuring, struct measured_cell *cell,
		  double seconds, double processor, double throttled,
		  struct error *err);

/* Measurements that are still to be made. */
size_t measuring_left(const struct measuring *measuring);

/* How far the measurements of a cell are from each other, as a part of their
 * mean; negative: it has less than two. */
double measured_noise(const struct measured_cell *cell);

void measuring_fini(struct measuring *measuring);

#endif
