/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/launch_state.h"

#include "base/list.h"
#include "base/machine.h"

/* clang-format off */
static const struct machine_row launch_rows[] = {
	{ LAUNCH_WIRING,   LAUNCH_EV_PREPARED, LAUNCH_PREPARED },
	{ LAUNCH_WIRING,   LAUNCH_EV_OPEN,     LAUNCH_WANTED   },
	{ LAUNCH_WIRING,   LAUNCH_EV_FAILED,   LAUNCH_FAILED   },
	{ LAUNCH_WIRING,   LAUNCH_EV_STOP,     LAUNCH_STOPPING },
	{ LAUNCH_WANTED,   LAUNCH_EV_PREPARED, LAUNCH_OPENED   },
	{ LAUNCH_WANTED,   LAUNCH_EV_FAILED,   LAUNCH_FAILED   },
	{ LAUNCH_WANTED,   LAUNCH_EV_STOP,     LAUNCH_STOPPING },
	{ LAUNCH_PREPARED, LAUNCH_EV_OPEN,     LAUNCH_OPENED   },
	{ LAUNCH_PREPARED, LAUNCH_EV_FAILED,   LAUNCH_FAILED   },
	{ LAUNCH_PREPARED, LAUNCH_EV_STOP,     LAUNCH_STOPPING },
	{ LAUNCH_OPENED,   LAUNCH_EV_UP,       LAUNCH_UP       },
	{ LAUNCH_OPENED,   LAUNCH_EV_FAILED,   LAUNCH_FAILED   },
	{ LAUNCH_OPENED,   LAUNCH_EV_STOP,     LAUNCH_STOPPING },
	{ LAUNCH_UP,       LAUNCH_EV_STOP,     LAUNCH_STOPPING },
	{ LAUNCH_FAILED,   LAUNCH_EV_STOP,     LAUNCH_STOPPING },
	{ LAUNCH_STOPPING, LAUNCH_EV_GONE,     LAUNCH_GONE     },
};

static const struct machine_row group_rows[] = {
	{ GROUP_AWAITED, GROUP_EV_UP,   GROUP_UP   },
	{ GROUP_AWAITED, GROUP_EV_GONE, GROUP_GONE },
	{ GROUP_AWAITED, GROUP_EV_LOST, GROUP_LOST },
	{ GROUP_UP,      GROUP_EV_GONE, GROUP_LEFT },
	{ GROUP_UP,      GROUP_EV_LOST, GROUP_LOST },
};

static const struct machine_row order_rows[] = {
	{ ORDER_NONE,      ORDER_EV_SAVED,     ORDER_WAITS     },
	{ ORDER_NONE,      ORDER_EV_PASS,      ORDER_PASSED    },
	{ ORDER_WAITS,     ORDER_EV_ASKED,     ORDER_TOLD      },
	{ ORDER_WAITS,     ORDER_EV_CONFIRMED, ORDER_CONFIRMED },
	{ ORDER_WAITS,     ORDER_EV_PASS,      ORDER_PASSED    },
	{ ORDER_TOLD,      ORDER_EV_ASKED,     ORDER_PASSED    },
	{ ORDER_TOLD,      ORDER_EV_CONFIRMED, ORDER_CONFIRMED },
	{ ORDER_TOLD,      ORDER_EV_PASS,      ORDER_PASSED    },
};
/* clang-format on */

bool launch_step(unsigned *state, enum launch_event event)
{
	return machine_step(launch_rows, LENGTH(launch_rows), state, event);
}

bool group_step(unsigned *state, enum group_event event)
{
	return machine_step(group_rows, LENGTH(group_rows), state, event);
}

bool group_has_ranks(unsigned state)
{
	return state == GROUP_AWAITED || state == GROUP_UP;
}

bool group_was_up(unsigned state)
{
	return state == GROUP_UP || state == GROUP_LEFT;
}

bool order_step(unsigned *state, enum order_event event)
{
	return machine_step(order_rows, LENGTH(order_rows), state, event);
}

bool order_is_open(unsigned state)
{
	return state == ORDER_WAITS || state == ORDER_TOLD;
}
