/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_RPC_H
#define RPC_RPC_H

/*
 * gRPC for programs with one thread and one loop
 *
 * gRPC C core moves bytes on threads of its own and answers through a
 * completion queue.  One pump thread does nothing but take from that queue and
 * hand over to the loop; every callback below runs on the loop's thread, and
 * nothing here may be called from any other.  This room is the only place that
 * calls grpc_*.
 *
 * Messages are protobuf-c's.  A message given to a callback is borrowed for the
 * call; a message given to a function is packed before the function returns.
 *
 * Order of the end: servers and channels are destroyed before their rpc.
 */

#include "base/error.h"
#include "base/time.h"
#include "loop/loop.h"

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

/* Largest message taken or given, in bytes; a larger one ends its call with
 * RESOURCE_EXHAUSTED. */
#define RPC_MESSAGE_MAX (4u << 20)

/* Bytes a stream may have queued for a peer that does not read; see
 * rpc_call_send() and rpc_stream_send(). */
#define RPC_QUEUE_MAX (8u << 20)

/* gRPC's status codes, by their numbers on the wire. */
enum rpc_code {
	RPC_OK = 0,
	RPC_CANCELLED = 1,
	RPC_UNKNOWN = 2,
	RPC_INVALID_ARGUMENT = 3,
	RPC_DEADLINE_EXCEEDED = 4,
	RPC_NOT_FOUND = 5,
	RPC_ALREADY_EXISTS = 6,
	RPC_PERMISSION_DENIED = 7,
	RPC_RESOURCE_EXHAUSTED = 8,
	RPC_FAILED_PRECONDITION = 9,
	RPC_ABORTED = 10,
	RPC_OUT_OF_RANGE = 11,
	RPC_UNIMPLEMENTED = 12,
	RPC_INTERNAL = 13,
	RPC_UNAVAILABLE = 14,
	RPC_DATA_LOSS = 15,
	RPC_UNAUTHENTICATED = 16,
};

/* "UNAVAILABLE"; "UNKNOWN" for a number that is none. */
const char *rpc_code_name(enum rpc_code code);

struct rpc_status {
	enum rpc_code code;
	char message[512];
};

/* Whether an address is this machine's alone: a unix socket, or one of
 * loopback. A name other than localhost may mean anything. */
bool rpc_is_local(const char *address);

struct rpc;

/* Starts the pump thread.  The loop is borrowed. */
int rpc_create(struct rpc **out, struct loop *loop, struct error *err);

/* Ends and joins the pump; waits for nothing else.  Not from a callback of this
 * room.  Returns NULL. */
struct rpc *rpc_destroy(struct rpc *rpc);

#endif
