/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SHARE_OPTIMUM_H
#define CORE_SHARE_OPTIMUM_H

/*
 * Optimum: the best levels for all steps, when all workloads are known
 *
 * No planner can do better, as a planner knows less.  Dynamic programming finds
 * it, from the last step to the first: the best stay that begins at a step, and
 * what is best behind that stay.  core/share_stay solves the stays.
 *
 * Where that would take too long, as changes cost so much that stays become
 * long, the plan is only a good one, and the bound is below it.
 */

#include "core/share.h"

#include <stddef.h>

struct share_optimum {
	double seconds;   /* of the plan: the steps and the changes */
	unsigned changes; /* after the first step */
	double bound;     /* seconds, of which no plan takes less */
};

/* What is told of the steps that are left, before each; may be NULL. */
struct share_progress {
	void (*tell)(void *arg, unsigned steps_left);
	void *arg;
};

/* Bytes that share_optimum_find() needs. */
size_t share_optimum_room(const struct share_table *table);

/* The table has all steps, one at least.  The room is aligned to 16 bytes.
 * The plan is written to `levels`: [steps][tasks]. */
void share_optimum_find(struct share_optimum *optimum,
			const struct share_rules *rules,
			const struct share_table *table,
			const struct share_progress *progress, void *room,
			unsigned *levels);

#endif
