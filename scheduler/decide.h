/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_DECIDE_H
#define SCHEDULER_DECIDE_H

/*
 * The policy is asked (core/sched.h), and its answer becomes the grants of the
 * jobs, each with a decision that says by what it was made
 */

#include "scheduler/scheduler.h"

/* All jobs that have begun to wait, one after the other, and what has become
 * free since the last time.  -ENOMEM. */
int decide(struct scheduler *scheduler);

void decide_end(struct scheduler *scheduler);

/* A grant of a person's making: a hold, or a want that is less. */
void decide_by_hand(struct queued *queued, unsigned grant, const char *rule);

/* Whether it may start as soon as it gets slots: it waits for no other job, and
 * there are as many as it needs. */
bool decide_is_ready(const struct queued *queued);

#endif
