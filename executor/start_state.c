/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/start_state.h"

#include "base/list.h"
#include "base/machine.h"

/* clang-format off */
static const struct machine_row rows[] = {
	{ START_GATHERING, START_EV_OPEN,  START_OPENING  },
	{ START_GATHERING, START_EV_STOP,  START_STOPPING },
	{ START_OPENING,   START_EV_UP,    START_RUNNING  },
	{ START_OPENING,   START_EV_STOP,  START_STOPPING },
	{ START_RUNNING,   START_EV_EMPTY, START_LEFT     },
	{ START_RUNNING,   START_EV_STOP,  START_STOPPING },
	{ START_STOPPING,  START_EV_EMPTY, START_GONE     },
	{ START_LEFT,      START_EV_STOP,  START_GONE     },
};
/* clang-format on */

bool start_step(unsigned *state, enum start_event event)
{
	return machine_step(rows, LENGTH(rows), state, event);
}
