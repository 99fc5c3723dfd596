/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_MEMBERS_INTERNAL_H
#define COORDINATOR_MEMBERS_INTERNAL_H

/*
 * For the files of this folder; see members.h
 */

#include "coordinator/members/members.h"

struct members {
	struct loop *loop;
	struct ledger ledger;
	struct rpc_call *streams[MEMBERS_MAX]; /* NULL: not attached */
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
