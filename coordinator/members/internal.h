/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_MEMBERS_INTERNAL_H
#define COORDINATOR_MEMBERS_INTERNAL_H

/*
 * For the files of this folder; see members.h
 */

#include "coordinator/members/members.h"
#include "coordinator/members/topologies.h"
#include "rpc/unconfirmed.h"

/* After a lease is over, if the stream was closed. */
#define LEASE_EXTRA MSEC(250)

/*
 * The link to one executor: its stream, and what no stream has carried for sure
 *
 *     away: orders are kept --attach--> attached: they are sent, and kept
 *        ^______________________________________|      until confirmed
 *
 * An executor that confirms no orders is an older one: what was sent to it is
 * taken for delivered, and only what was ordered while it was away is sent.
 */
struct link {
	struct rpc_call *stream;   /* NULL: not attached */
	struct unconfirmed orders; /* if full, the executor is to be given up */
	uint64_t sent;  /* number of the last order that was put on a stream */
	uint64_t taken; /* number of the last report that was taken */
	struct error trouble; /* if orders are full: why */
};

void link_init(struct link *link);
void link_fini(struct link *link); /* does not end the stream */

/* A stream begins with that report: all orders that the executor has not taken
 * are sent.  Returns whether those that hold must be repeated: no order was
 * ever given, or the executor confirms none. */
bool link_attach(struct link *link, struct rpc_call *stream,
		 const Bellows__V1__Report *first);

/* Numbers, keeps and, if the executor is attached, sends that order. */
void link_order(struct link *link, Bellows__V1__Order *order);

/* Takes what a heartbeat confirms; NULL: it is none. */
void link_confirm(struct link *link, const Bellows__V1__Heartbeat *heartbeat);
/* Confirms a heartbeat: the executor's lease is renewed. */
void link_answer(struct link *link, const Bellows__V1__Heartbeat *heartbeat);

struct members {
	struct loop *loop;
	struct ledger ledger;
	struct link links[MEMBERS_MAX];
	struct list topologies; /* of those in the ledger */
	struct loop_timer look;
	msec_t next_look;
	msec_t lost_after;   /* without a report */
	msec_t answer_until; /* heartbeats */
	const struct members_events *events;
	void *user;
};

/* What its machine leaves to the executor has changed; -EINVAL with a sentence
 * that names the field. */
int members_change_topology(struct members *members, int member,
			    const Bellows__V1__Topology *topology,
			    struct error *err);

/* The executor is gone or lost, and the room is told; nothing is done if it was
 * before. */
void members_depart(struct members *members, int member,
		    enum member_state state, const char *reason);

#endif
