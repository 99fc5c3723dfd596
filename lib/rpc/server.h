/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_SERVER_H
#define RPC_SERVER_H

/*
 * A server is a table of methods
 *
 * protobuf-c has no stubs for gRPC, so a service is written as its paths:
 *
 *     static const struct rpc_method methods[] = {
 *             {"/bellows.v1.Coordinator/GetJob", RPC_UNARY,
 *              &bellows__v1__get_job_request__descriptor, on_get_job},
 *     };
 *
 * A path in no table is answered UNIMPLEMENTED, a message that does not parse
 * INVALID_ARGUMENT.  Health (Check and Watch) and reflection (v1 and v1alpha)
 * are answered by the server itself.
 *
 * Which callers are let in: with an identity, only a peer with a certificate of
 * the same authority can connect, and a call that `authorize` does not allow
 * that name is answered PERMISSION_DENIED.  With a token,
 * one that does not carry it, and is not open, is answered UNAUTHENTICATED; an
 * address from which ten such calls came, and then one each second, is answered
 * RESOURCE_EXHAUSTED for so long, right token or not, but for connections that
 * had it right.
 *
 * Life of a call: on_message() for each message of the client, then on_half()
 * when the client will send no more (streams only), then, exactly once,
 * on_gone() when the call is over for whatever reason; the call is freed after
 * it.  A unary call is finished by rpc_call_reply() or rpc_call_end(), at once
 * or later; a stream by rpc_call_end().  Once on_gone() was called, or one of
 * those two, the call must not be used again, except that on_gone() itself
 * still comes.
 */

#include "rpc/rpc.h"
#include "tls/identity.h"

struct rpc_server;
struct rpc_call;

enum rpc_kind {
	RPC_UNARY,
	RPC_SERVER_STREAM, /* one request, many answers */
	RPC_BIDI,          /* also for client streams: end with one answer */
};

struct rpc_method {
	const char *path; /* "/package.Service/Method" */
	enum rpc_kind kind;
	const ProtobufCMessageDescriptor *request;
	void (*on_message)(struct rpc_call *call,
			   const ProtobufCMessage *message, void *user);
	void (*on_half)(struct rpc_call *call, void *user); /* optional */
	void (*on_gone)(struct rpc_call *call, void *user); /* optional */
	/* Optional: the queue of a stream has room again after
	 * rpc_call_send() returned 1. */
	void (*on_writable)(struct rpc_call *call, void *user);
};

struct rpc_server_config {
	/* "127.0.0.1:50051", "[::]:0", "unix:/run/x.sock"; port 0 takes a free
	 * one. */
	const char *listen;
	const struct rpc_method *methods; /* borrowed while the server lives */
	size_t n_methods;
	const char *const *services; /* full names, for health and reflection */
	size_t n_services;
	/* A serialised FileDescriptorSet with all imports; borrowed.  NULL: no
	 * reflection. */
	const uint8_t *descriptors;
	size_t descriptors_size;
	/* NULL or empty: connections are not encrypted.  Copied. */
	const struct tls_identity *tls;
	/* May the peer whose certificate has this common name call the method
	 * of that path?  0, or -EACCES with a sentence.  Optional; asked of
	 * encrypted connections only. */
	int (*authorize)(const char *path, const char *name, struct error *err);
	/* Calls of methods must have it, see rpc/token.h, or are ended with
	 * UNAUTHENTICATED; NULL: none is asked for.  Borrowed likewise. */
	const char *token;
	/* Service that is answered without it, "/package.Service/"; or NULL.
	 * Borrowed likewise. */
	const char *open;
	void *user; /* handed to the callbacks */
};

/* Fails with -EADDRINUSE (or another -errno) and a sentence that names the
 * address when it cannot be listened on; a port that another process holds is
 * never shared. */
int rpc_server_create(struct rpc_server **out, struct rpc *rpc,
		      const struct rpc_server_config *config,
		      struct error *err);

/* Ends every call with UNAVAILABLE (their on_gone() runs within), closes the
 * listener; bounded, about a second at the most.  Returns NULL. */
struct rpc_server *rpc_server_destroy(struct rpc_server *server);

/* Connections from now on are made with this one; those that there are stay.
 * The server has one already. */
void rpc_server_renew(struct rpc_server *server,
		      const struct tls_identity *tls);

/* The address in a form rpc_channel_create() takes, with the real port. */
const char *rpc_server_address(const struct rpc_server *server);

/* Health of one service of the config by its full name, or of the whole server
 * by "".  All are serving at first. */
void rpc_server_set_serving(struct rpc_server *server, const char *service,
			    bool serving);

/* Finish a unary call with OK and this answer. */
void rpc_call_reply(struct rpc_call *call, const ProtobufCMessage *answer);

/*
 * Queue one answer on a stream.  Returns 0; 1 if it was queued and more than
 * half of RPC_QUEUE_MAX now waits for the peer, which should be sent no more
 * until on_writable(); or -ENOBUFS when the queue was full or the answer too
 * large: nothing was queued and the call was ended with RESOURCE_EXHAUSTED
 * (on_gone() comes from the loop, later).  To a call that is over already,
 * whose on_gone() is on its way, it returns 0 and does nothing.
 */
int rpc_call_send(struct rpc_call *call, const ProtobufCMessage *answer);

/* Finish a call after what is queued was sent.  fmt is the status message; ""
 * for none. */
void rpc_call_end(struct rpc_call *call, enum rpc_code code, const char *fmt,
		  ...) __attribute__((format(printf, 3, 4)));

/* Stop (and resume) taking messages of a stream; the client is then held back
 * by HTTP/2's flow control.  One message may still arrive. */
void rpc_call_pause(struct rpc_call *call, bool paused);

/* What the program attached to the call; NULL at first. */
void rpc_call_set_data(struct rpc_call *call, void *data);
void *rpc_call_data(const struct rpc_call *call);

/* "ipv4:127.0.0.1:40312", "unix:"; borrowed until on_gone(). */
const char *rpc_call_peer(const struct rpc_call *call);

/* The address in such a text, "127.0.0.1" or "::1"; "unix" if it has none. */
enum { RPC_HOST_MAX = 64 };
void rpc_host(const char *peer, char host[RPC_HOST_MAX]);

/* Value of a request header (lower case), or NULL; borrowed likewise. */
const char *rpc_call_metadata(const struct rpc_call *call, const char *key);

#endif
