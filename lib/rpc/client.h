/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_CLIENT_H
#define RPC_CLIENT_H

/*
 * Channels, calls and streams of a client
 *
 * A channel connects when it is first used and again whenever it must, with
 * backoff and jitter (100 ms growing to 2 s), for as long as it lives: a
 * coordinator that comes late or comes back is found without the program's
 * doing.  (A name that does not resolve yet is asked for again by each new
 * call; during one call, ever more rarely.)  A call or stream, on the other
 * hand, ends when its connection breaks; its owner decides what to do again and
 * after how long (base/backoff.h).
 */

#include "rpc/rpc.h"
#include "tls/identity.h"

struct rpc_channel;
struct rpc_stream;

/* What a channel is encrypted with. */
struct rpc_security {
	const struct tls_identity *own; /* empty: it is not encrypted */
	const char *peer; /* the server has a certificate of this DNS name,
			   * whatever the target is called */
	bool unencrypted; /* may be, to another machine too */
};

/* target as rpc_server_address() gives it; security: copied, or NULL, and then
 * it may be unencrypted.  -ENOKEY: it would be, and may not.  Does not connect
 * yet. */
int rpc_channel_create(struct rpc_channel **out, struct rpc *rpc,
		       const char *target, const struct rpc_security *security,
		       struct error *err);

/* Connections from now on are made with this one; the one that there is stays
 * for as long as there are calls.  The channel has one already. */
void rpc_channel_renew(struct rpc_channel *channel,
		       const struct tls_identity *own);

/* Cancels what is under way: those callbacks run with CANCELLED within, and
 * must not use the channel.  Returns NULL. */
struct rpc_channel *rpc_channel_destroy(struct rpc_channel *channel);

/* Sent with every call from now on; copied; NULL value removes. */
int rpc_channel_set_metadata(struct rpc_channel *channel, const char *key,
			     const char *value);

/* answer: NULL unless status->code is RPC_OK. */
typedef void (*rpc_answer_f)(void *user, const struct rpc_status *status,
			     const ProtobufCMessage *answer);

/*
 * One unary call.  It waits for the connection until its deadline; a server
 * that cannot be connected to then costs UNAVAILABLE and why, or
 * DEADLINE_EXCEEDED. fn runs exactly once, never from within rpc_call_unary()
 * itself.
 */
void rpc_call_unary(struct rpc_channel *channel, const char *path,
		    const ProtobufCMessage *request,
		    const ProtobufCMessageDescriptor *answer, msec_t timeout,
		    rpc_answer_f fn, void *user);

struct rpc_stream_events {
	void (*on_message)(void *user, const ProtobufCMessage *message);
	/* The server has accepted the stream (its headers or first message
	 * came).  Optional. */
	void (*on_open)(void *user);
	/* Exactly once; the stream is freed after it. */
	void (*on_end)(void *user, const struct rpc_status *status);
	/* Optional: room again after rpc_stream_send() returned 1. */
	void (*on_writable)(void *user);
};

/*
 * Opens a stream of any kind.  request: sent at once if not NULL.  timeout: of
 * the whole stream, 0 for none; without a timeout the attempt to connect fails
 * fast, with UNAVAILABLE.  On failure nothing was opened and no event comes.
 * answer: descriptor of what the server sends.  events: borrowed while the
 * stream lives.
 */
int rpc_stream_open(struct rpc_stream **out, struct rpc_channel *channel,
		    const char *path, const ProtobufCMessage *request,
		    const ProtobufCMessageDescriptor *answer, msec_t timeout,
		    const struct rpc_stream_events *events, void *user,
		    struct error *err);

/* As rpc_call_send(): 0, 1 (hold back until on_writable()), or -ENOBUFS:
 * nothing was queued and the stream ends with RESOURCE_EXHAUSTED.  Not after
 * rpc_stream_half_close(). */
int rpc_stream_send(struct rpc_stream *stream, const ProtobufCMessage *message);

/* No more messages from here, after what is queued; the server may go on. */
void rpc_stream_half_close(struct rpc_stream *stream);

/* on_end() comes from the loop, later, with CANCELLED. */
void rpc_stream_cancel(struct rpc_stream *stream);

void rpc_stream_pause(struct rpc_stream *stream, bool paused);

#endif
