/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOB_MATCH_WATCH_H
#define COORDINATOR_JOB_MATCH_WATCH_H

/*
 * Tells, once, that no line has matched `generic.progress`
 *
 * A pattern that never matches does no harm by itself, but then schedules by
 * progress sleep, and nothing is known of the job's end.
 */

#include "loop/loop.h"

struct driver;

struct match_watch {
	unsigned lines; /* of rank 0, that were read */
	bool told;
	struct loop_timer timer;
};

/* Ranks are up. */
void match_watch_on_up(struct driver *driver);
void match_watch_on_line(struct driver *driver);

void match_watch_fini(struct match_watch *watch);

#endif
