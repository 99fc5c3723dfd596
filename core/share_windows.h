/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SHARE_WINDOWS_H
#define CORE_SHARE_WINDOWS_H

/*
 * Plans of the steps that are forecast, as windows in which the shares stay
 *
 * From the last step to the first, the best window that begins at it, and what
 * is best behind that window (equations 1 to 3).  What a window takes, and the
 * levels that are best in it, is the planner's.
 *
 * The paper: core/share.h.
 */

#include "core/share_planner.h"

struct share_windows {
	const struct share_view *view;
	struct share_memory *memory;
	/* Seconds of the steps from..to-1 with these levels. */
	double (*take)(const struct share_windows *windows, unsigned from,
		       unsigned to, const unsigned *levels);
	/* The same with the best levels, which it sets.  At first they are
	 * those of a window that is one step shorter, or begins one step later.
	 */
	double (*fit)(const struct share_windows *windows, unsigned from,
		      unsigned to, unsigned *levels);
	unsigned horizon; /* steps that are planned */
	double penalty;   /* a window of k steps counts penalty^k times, */
	double weight;    /* and what lies behind it weight^k times */

	double best[SHARE_LOOK_MAX + 1]; /* seconds from a step on */
	unsigned window;                 /* steps until the next change */
};

/* Plans, with the levels of the first window. */
void share_windows_plan(struct share_windows *windows, unsigned *levels);

/* Whether that is worth a change, and not to keep the present levels for 1, 2,
 * ... steps (equation 4); if not, the window is the best of those. */
bool share_windows_change(struct share_windows *windows);

#endif
