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
	START_GATHERING, /* gates join */
	START_OPENING,   /* gates were told which ranks to become */
	START_RUNNING,   /* gates are ranks, or have failed */
	START_STOPPING,  /* its processes are being ended */
	START_LEFT, /* all processes have ended, without an order to stop */
	START_GONE, /* all processes have ended, after an order to stop */
};

enum start_event {
	START_EV_OPEN,
	START_EV_UP,
	START_EV_STOP,
	START_EV_EMPTY, /* no process of it is left */
};

bool start_step(unsigned *state, enum start_event event);

#endif
