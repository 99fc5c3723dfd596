/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_LIMIT_H
#define RPC_LIMIT_H

/*
 * How often an address may be wrong
 *
 * LIMIT_BURST failures at once, then one in each LIMIT_EACH; an address that
 * has made more is not heard for so long.  It is a generic cell rate algorithm
 * (ITU-T I.371) with one cell for each address, or each /64 of IPv6, which is
 * one host's.  Of more hosts than there is room for, the one that is free
 * soonest is forgotten.
 *
 * A connection that was right is heard all the same, until it is wrong: a
 * caller cannot keep out others that share its address and are there already.
 * Of the latest LIMIT_PEERS this is known.
 *
 * Unix sockets have no address; only this user and root are let in (sockets.c).
 */

#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>

#define LIMIT_EACH SECONDS(1)

enum { LIMIT_HOSTS = 64, LIMIT_BURST = 10 };
enum { LIMIT_PEERS = 1024, LIMIT_PEER_MAX = 64 };

struct rpc_limit {
	struct {
		unsigned char prefix[8];
		msec_t busy; /* until then, if each failure takes LIMIT_EACH */
	} hosts[LIMIT_HOSTS];
	char right[LIMIT_PEERS][LIMIT_PEER_MAX]; /* a ring */
	size_t next;                             /* in it */
};

/* peer: a connection, as rpc_call_peer() has it. */
bool limit_hears(const struct rpc_limit *limit, const char *peer, msec_t now);
void limit_count(struct rpc_limit *limit, const char *peer, msec_t now);
void limit_trust(struct rpc_limit *limit, const char *peer);

#endif
