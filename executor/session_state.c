/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/session_state.h"

#include "base/list.h"
#include "base/machine.h"

/* clang-format off */
static const struct machine_row rows[] = {
	{ SESSION_AWAY,     SESSION_EV_ATTACH, SESSION_ATTACHED },
	{ SESSION_AWAY,     SESSION_EV_LEAVE,  SESSION_LEAVING  },
	{ SESSION_ATTACHED, SESSION_EV_DETACH, SESSION_AWAY     },
	{ SESSION_ATTACHED, SESSION_EV_DRAIN, SESSION_DRAINING },
	{ SESSION_ATTACHED, SESSION_EV_LEAVE,  SESSION_LEAVING  },
	{ SESSION_DRAINING, SESSION_EV_DETACH, SESSION_SEEKING  },
	{ SESSION_DRAINING, SESSION_EV_LEAVE,  SESSION_LEAVING  },
	{ SESSION_SEEKING,  SESSION_EV_ATTACH, SESSION_DRAINING },
	{ SESSION_SEEKING,  SESSION_EV_LEAVE,  SESSION_LEAVING  },
};
/* clang-format on */

bool session_step(unsigned *state, enum session_event event)
{
	return machine_step(rows, LENGTH(rows), state, event);
}
