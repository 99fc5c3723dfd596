/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_LAUNCH_LAUNCHES_H
#define COORDINATOR_LAUNCH_LAUNCHES_H

/*
 * The starts of a job that are there at one time
 *
 *     next      is prepared while the ranks of now compute
 *     now       runs, or ran last
 *     retired   ran before now; its mpiexec may still be leaving
 */

#include "coordinator/launch/launch.h"

struct launches;

/* The room is copied, what it points to is borrowed. */
int launches_create(struct launches **out, const struct launch_room *room,
		    struct error *err);
struct launches *launches_destroy(struct launches *launches); /* NULL */

/* The address at which hosts reach the coordinator; before the first start. */
void launches_set_address(struct launches *launches, const char *address);

/* NULL: there is none. */
struct launch *launches_now(const struct launches *launches);
struct launch *launches_next(const struct launches *launches);
/* The start of that epoch: now or next, or also the one before. */
struct launch *launches_find(const struct launches *launches, unsigned epoch);
struct launch *launches_find_any(const struct launches *launches,
				 unsigned epoch);

/* Ranks that now has on an executor; 0 if there is none. */
unsigned launches_ranks(const struct launches *launches, int member);

/* A start that is there, or was a moment ago, has ranks of this member in its
 * layout: the index must not become another executor's. */
bool launches_refer_to(const struct launches *launches, int member);

/* Next is made, in place of one that is there. */
int launches_prepare(struct launches *launches, unsigned epoch, unsigned ranks,
		     struct error *err);
void launches_drop_next(struct launches *launches);
/* Next becomes now, and now retires. */
void launches_take_over(struct launches *launches);
/* The mpiexec of that start has ended: if it has retired, it is destroyed. */
void launches_on_ended(struct launches *launches, unsigned epoch);

/* An executor is lost. */
void launches_on_lost(struct launches *launches, int member);

#endif
