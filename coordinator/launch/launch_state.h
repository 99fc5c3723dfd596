/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_LAUNCH_LAUNCH_STATE_H
#define COORDINATOR_LAUNCH_LAUNCH_STATE_H

/*
 * The states of a start, and of its parts on each executor
 *
 * Pure: a table each.  An event that a state does not expect changes nothing.
 */

#include <stdbool.h>

/*
 *     WIRING --prepared--> PREPARED --open--> OPENED --up--> UP
 *        | open                                 ^
 *        '-------> WANTED --prepared------------'
 *
 * All of them but UP may fail; all of them, failed or not, may be stopped.
 */
enum launch_state {
	LAUNCH_WIRING,   /* its gates are awaited, or its executors tried */
	LAUNCH_WANTED,   /* the same, and it is to be opened then */
	LAUNCH_PREPARED, /* it waits to be opened */
	LAUNCH_OPENED,   /* ranks begin */
	LAUNCH_UP,       /* all ranks run */
	LAUNCH_FAILED,   /* it will not come up */
	LAUNCH_STOPPING, /* no rank is to be left */
	LAUNCH_GONE,     /* none is */
};

enum launch_event {
	LAUNCH_EV_PREPARED,
	LAUNCH_EV_OPEN,
	LAUNCH_EV_UP,
	LAUNCH_EV_FAILED,
	LAUNCH_EV_STOP,
	LAUNCH_EV_GONE,
};

bool launch_step(unsigned *state, enum launch_event event);

/* The ranks of a gated start on one executor. */
enum group_state {
	GROUP_AWAITED,
	GROUP_UP,   /* they run */
	GROUP_LEFT, /* they ran, and none is left */
	GROUP_GONE, /* they never ran, and none is left */
	GROUP_LOST, /* the executor was given up, and them with it */
};

enum group_event { GROUP_EV_UP, GROUP_EV_GONE, GROUP_EV_LOST };

bool group_step(unsigned *state, enum group_event event);
/* They are there, or may be. */
bool group_has_ranks(unsigned state);
/* They have run, all of them. */
bool group_was_up(unsigned state);

/* The order to do what a restart of the application needs, which a polled
 * executor gets when it asks once a checkpoint is there.  An executor that asks
 * again has done what it does, and confirms it no more. */
enum order_state {
	ORDER_NONE,
	ORDER_WAITS, /* for the executor to ask */
	ORDER_TOLD,
	ORDER_CONFIRMED,
	ORDER_PASSED, /* it asked again, was too late, or is lost */
};

enum order_event {
	ORDER_EV_SAVED,
	ORDER_EV_ASKED,
	ORDER_EV_CONFIRMED,
	ORDER_EV_PASS,
};

bool order_step(unsigned *state, enum order_event event);
/* The executor may still confirm. */
bool order_is_open(unsigned state);

#endif
