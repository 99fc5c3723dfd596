/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_START_STATE_H
#define EXECUTOR_START_STATE_H

/*
 * The states of the ranks that a start has on this host
 *
 *     GATHERING --open--> OPENING --up--> RUNNING --empty--> LEFT
 *         |                  |               |                 | stop
 *         '------stop--------+---------------'--> STOPPING     v
 *                                                     '------> GONE
 *
 * Pure: a table.  An event that a state does not expect changes nothing.
 */

#include <stdbool.h>

enum start_state {
	START_GATHERING, /* gates come */
	START_OPENING,   /* they were told what to become */
	START_RUNNING,   /* and are that, or have failed */
	START_STOPPING,  /* no process of it is to be left */
	START_LEFT,      /* none is, and nobody told it to stop */
	START_GONE,      /* none is, and it was told to */
};

enum start_event {
	START_EV_OPEN,
	START_EV_UP,
	START_EV_STOP,
	START_EV_EMPTY, /* no process of it is left */
};

bool start_step(unsigned *state, enum start_event event);

#endif
