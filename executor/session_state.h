/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_SESSION_STATE_H
#define EXECUTOR_SESSION_STATE_H

/*
 * Where an executor stands with its coordinator
 *
 *     AWAY <--attach, detach--> ATTACHED
 *                                  | drain
 *     SEEKING <--attach, detach--> DRAINING
 *
 * All of them go to LEAVING on leave.
 *
 * Pure: a table.  An event that a state does not expect changes nothing.
 */

#include <stdbool.h>

enum session_state {
	SESSION_AWAY,     /* there is no stream; it joins */
	SESSION_ATTACHED, /* there is one, and its orders are obeyed */
	SESSION_DRAINING, /* likewise, and it has asked for its release */
	SESSION_SEEKING,  /* it would ask, and has no stream; it joins again */
	SESSION_LEAVING,  /* it ends, whatever it is told */
};

enum session_event {
	SESSION_EV_ATTACH,
	SESSION_EV_DETACH,
	SESSION_EV_DRAIN,
	SESSION_EV_LEAVE,
};

bool session_step(unsigned *state, enum session_event event);

#endif
