/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_CONNECTIONS_H
#define RPC_CONNECTIONS_H

/*
 * Connections that the servers of this process have accepted by a port
 *
 * A connection is a stranger until a call of it was let in.  Of strangers there
 * are few places; a new one takes that of the oldest of its host, or is closed
 * when that one is still greeting.  Any that floods its server (frames.h) is
 * cut off, and one that does not is not affected.
 *
 * One host, whatever it may call, has at most three quarters of all places: the
 * others are left to the other hosts.
 *
 * Unix sockets are not counted: only this user and root are let in.
 */

#include "base/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum {
	CONNECTIONS_STRANGERS = 256,
	CONNECTIONS_STRANGERS_OF_HOST = 32, /* or of a /64 of IPv6 */

	/* Calls of one at once: an executor has three, a client two.  gRPC
	 * tells its peer; one that does not hear has twice as many. */
	CONNECTIONS_CALLS_MAX = 256,
};

struct served_port {
	struct list link;
	unsigned port;
	bool is_encrypted;
};

/* Connections to this port are counted from now on. */
void connections_serve(struct served_port *port);
void connections_forget(struct served_port *port);

/* One came; false: it is to be closed, for there are too many.  places: for all
 * connections. */
bool connections_accept(int listener, int fd, size_t places);

/* n bytes came into the parts; false: it is cut off. */
bool connections_take(int fd, const struct iovec *parts, size_t n);

struct connection_ref {
	int fd;
	uint64_t cookie; /* 0: of none that is counted */
};

/* A call of the connection begins.  peer: as gRPC writes it. */
struct connection_ref connections_on_call(const char *peer, bool is_let_in);
void connections_on_over(const struct connection_ref *ref);

#endif
