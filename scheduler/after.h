/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_AFTER_H
#define SCHEDULER_AFTER_H

/*
 * Jobs that come after others
 *
 * A job that ended well is crossed off the lists of those that come after it.
 * When one failed or was cancelled, those are held, for a person to decide.
 */

#include "scheduler/scheduler.h"

void after_settle(struct scheduler *scheduler);

#endif
