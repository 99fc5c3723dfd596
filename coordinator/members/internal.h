/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_MEMBERS_INTERNAL_H
#define COORDINATOR_MEMBERS_INTERNAL_H

/*
 * For the files of this folder; see members.h
 */

#include "coordinator/members/members.h"

/* To one executor. */
struct link {
	struct rpc_call *stream; /* NULL: it is not attached */
};

struct members {
	struct loop *loop;
	struct ledger ledger;
	struct link links[MEMBERS_MAX];
	struct loop_timer look;
	msec_t next_look;
	msec_t lost_after; /* without a report */
	const struct members_events *events;
	void *user;
};

/* The executor is gone or lost, and the room is told; nothing is done if it was
 * before. */
void members_depart(struct members *members, int member,
		    enum member_state state, const char *reason);

#endif
