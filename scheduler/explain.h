/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_EXPLAIN_H
#define SCHEDULER_EXPLAIN_H

/*
 * Every decision, taken or declined, kept with what it was made by
 */

#include "scheduler/scheduler.h"

/* Before the action is carried out. */
void explain_action(struct queued *queued, const struct sched_view *view,
		    const struct sched_action *action);

/* The job was not started. */
void explain_wait(struct queued *queued, const struct sched_view *view);

/* A grant that no policy has decided. */
void explain_by_hand(struct queued *queued, unsigned to, const char *rule);

#endif
