/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SHARE_STAY_H
#define CORE_SHARE_STAY_H

/*
 * Stay: steps in which the shares stay as they are, and their best levels
 *
 * A stay is solved by branch and bound over the seconds of its steps.  A box
 * says for each step between which seconds it is.  The most seconds say which
 * level each task needs at least; if these need more increments than there are,
 * the box is empty.  A box is halved in the step of which the least is known.
 *
 * Levels of which one more increment makes a task slower are allowed: a task
 * needs the smallest of the levels that are fast enough.
 */

#include "core/share.h"

#include <stddef.h>

enum {
	SHARE_STAY_MAX = 64,   /* steps that are solved */
	SHARE_STAY_DEPTH = 96, /* boxes that wait */
};

struct share_box {
	double least[SHARE_STAY_MAX], most[SHARE_STAY_MAX]; /* seconds */
	double bound; /* no levels in the box take less */
	unsigned sum; /* of the levels that are needed */
};

/* The caller's memory for share_stay_find() and share_stay_improve(). */
struct share_stay {
	const struct share_rules *rules;
	const struct share_table *table;
	/* [steps][SHARE_STAY_MAX]: at [a][k], no levels take less for the steps
	 * a..a+k.  Zero: nothing is known. */
	double *bounds;
	double *first, *second; /* [steps]: of the slowest two tasks */
	unsigned *slowest;      /* [steps] */
	struct share_box *boxes;
	unsigned *needed;       /* [SHARE_STAY_DEPTH][tasks] */
	unsigned *able, *ables; /* [tasks][levels], and how many of a task */
	unsigned *trial;        /* [tasks] */

	/* The best that was found, if it takes less than was asked for. */
	unsigned *best; /* [tasks] */
	double seconds;

	unsigned from, to;
	unsigned boxes_left; /* that may be looked into */
};

static inline double *share_stay_bound(const struct share_stay *stay,
				       unsigned from, unsigned to)
{
	return &stay->bounds[(size_t)from * SHARE_STAY_MAX + to - from - 1];
}

/*
 * The best levels for the steps from..to-1, at most SHARE_STAY_MAX, of those
 * that take less than `less` seconds.  Returns a bound: no levels take less
 * than it, but for a billionth of a second.  It is stay->seconds, or `less`,
 * unless boxes_left has become 0 or too many boxes would have had to wait.  The
 * bounds of shorter stays within this one make it fast.
 */
double share_stay_find(struct share_stay *stay, unsigned from, unsigned to,
		       double less);

/* Moves increments between tasks while that makes the steps from..to-1 shorter.
 * Returns their seconds. */
double share_stay_improve(struct share_stay *stay, unsigned from, unsigned to,
			  unsigned *levels);

#endif
