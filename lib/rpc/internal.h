/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_INTERNAL_H
#define RPC_INTERNAL_H

/*
 * What the files of this room share
 *
 * An operation is what gRPC is asked to do: it is embedded in its owner, its
 * address is the tag, and it is under way at most once.  The pump marks it and
 * links it into the list of what is done, so handing over needs no memory and
 * cannot fail, block or lose.  An owner lives for as long as one of its
 * operations is under way.
 */

#include "base/list.h"
#include "rpc/client.h"
#include "rpc/connections.h"
#include "rpc/fields.h"
#include "rpc/limit.h"
#include "rpc/server.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <pthread.h>
#include <signal.h>

struct rpc_op {
	struct list link; /* of rpc->done; under its lock */
	bool ok;
	void (*fn)(void *owner, bool ok);
	void *owner;
	const void *group; /* for rpc_run_group(); NULL: none */
};

struct rpc {
	struct loop *loop;
	struct loop_fd *source;
	int wake;
	grpc_completion_queue *queue;
	pthread_t pump;
	bool is_pumping;
	bool is_dispatching;

	pthread_mutex_t lock;
	pthread_cond_t arrived;
	struct list done;
};

/* gRPC starts threads whenever it likes, and a thread that a signal can reach
 * would take it from the loop's signalfd: whatever may start one is done with
 * all signals blocked, as the new thread then is. */
void rpc_block_signals(sigset_t *before);
void rpc_restore_signals(const sigset_t *before);

/* Start a batch whose completion calls op->fn on the loop. */
void rpc_op_start(struct rpc *rpc, struct rpc_op *op, grpc_call *call,
		  const grpc_op *batch, size_t n);

/* Make op known to the pump before it is given to gRPC as a tag. */
void rpc_op_expect(struct rpc *rpc, struct rpc_op *op);

/* Have op->fn called by the loop, with ok == false; gRPC is not asked. */
void rpc_op_post(struct rpc *rpc, struct rpc_op *op);

/* Without the loop, run what gets done of one group until *flag is set or
 * patience is over; returns *flag. */
bool rpc_run_group(struct rpc *rpc, const void *group, const bool *flag,
		   msec_t patience);

/* 0 is no deadline. */
gpr_timespec rpc_deadline(msec_t timeout);

/* ---- sockets ---- */

struct own_socket {
	struct list link;
	const char *path; /* in the target */
};

/* While it is expected, a connection to a target "unix:..." is made only if
 * this user or root listens there.  target: borrowed. */
void sockets_expect(struct own_socket *socket, const char *target);
void sockets_forget(struct own_socket *socket);

/* ---- messages ---- */

/* Fails with -EMSGSIZE if message is larger than RPC_MESSAGE_MAX. */
int message_pack(grpc_byte_buffer **out, const ProtobufCMessage *message);

/* NULL if the bytes are no such message.  buffer stays the caller's. */
ProtobufCMessage *message_unpack(grpc_byte_buffer *buffer,
				 const ProtobufCMessageDescriptor *descriptor);
void message_destroy(ProtobufCMessage *message);

/*
 * Messages on their way to one peer; the first may be under way
 */
struct outbox {
	struct list letters;
	size_t size; /* bytes, of the one under way too */
	bool is_sending;
	bool is_held; /* the sender was told to hold back */
};

void outbox_init(struct outbox *box);

/* 0, 1, or -ENOBUFS or -EMSGSIZE: as rpc_call_send() says. */
int outbox_add(struct outbox *box, const ProtobufCMessage *message);

/* The next message, to be sent now; NULL if there is none. */
grpc_byte_buffer *outbox_begin(struct outbox *box);

/* A message was sent.  Returns whether the sender may go on again. */
bool outbox_end(struct outbox *box);

/* Drops what is not under way. */
void outbox_drop(struct outbox *box);
bool outbox_is_empty(const struct outbox *box); /* but for the one under way */

/* ---- server ---- */

/* An integer among a channel's or server's arguments. */
#define RPC_ARG(name, n)                                                       \
	{                                                                      \
		.type = GRPC_ARG_INTEGER, .key = (char *)(name),               \
		.value.integer = (n)                                           \
	}

/* Bytes that a peer may send ahead of a stream that is paused.  gRPC would let
 * this grow to megabytes by what it measures of the network. */
enum { RPC_WINDOW = 256 << 10 };

struct service {
	char *name;
	bool is_serving;
};

struct slot;

struct rpc_server {
	struct rpc *rpc;
	grpc_server *core;
	struct rpc_server_config config;
	char *address;
	struct service *services; /* the first one is "" */
	size_t n_services;
	struct list calls;    /* whose on_gone() is still to come */
	struct list leaving;  /* whose last operations are */
	struct list watchers; /* of health */
	struct slot *slots;
	struct rpc_limit limit;
	struct served_port port; /* of none if it is a unix socket */
	struct rpc_op shutdown;
	/* For the next connection, of which gRPC's threads ask; else NULL. */
	_Atomic(grpc_ssl_server_certificate_config *) fresh;
	bool is_encrypted;
	bool is_shut;
	bool is_destroyed;
	unsigned holds; /* operations, calls and the owner; freed at 0 */
};

void server_release(struct rpc_server *server);

/* What every server answers beside its own methods, with the server as user. */
extern const struct rpc_method health_methods[2];
extern const struct rpc_method reflection_methods[2];

/* Can address be listened on?  Sentences as rpc_server_create() promises. */
int listen_check(const char *address, struct error *err);

/* address with the port that was taken; NULL if out of memory. */
char *listen_name(const char *address, int port);

/* Whether a call of this method, one of the program's, may be made: RPC_OK, or
 * what to refuse it with, and why. */
enum rpc_code access_check(struct rpc_server *server,
			   const struct rpc_method *method, grpc_call *core,
			   const grpc_metadata_array *headers,
			   struct error *why);

struct incoming {
	grpc_call *core;
	const grpc_metadata_array *headers;
	const struct rpc_method *method; /* NULL: it is refused, with: */
	enum rpc_code refusal;
	const char *why;
	void *user;
	bool is_let_in; /* its connection is a stranger's no more */
};

/* Takes over in->core. */
void call_create(struct rpc_server *server, const struct incoming *in);

/* What calls are told that a server which goes away ends. */
#define RPC_LEAVING "the server is going away"

/* Ends every call with UNAVAILABLE; their on_gone() runs within. */
void call_end_all(struct rpc_server *server);

/* After that: no more waiting for clients that do not read. */
void call_cut_all(struct rpc_server *server);

/* A request header of streams that were accepted: without one, headers cannot
 * be told from a refusal that has none. */
#define RPC_ACCEPTED "rpc-accepted"

/* ---- client ---- */

/* What is under way on a channel. */
struct errand {
	struct list link; /* of channel->errands, until its end was told */
	struct rpc_channel *channel;
	void (*abandon)(struct errand *errand); /* tell CANCELLED, now */
};

struct rpc_channel {
	struct rpc *rpc;
	grpc_channel *core;
	struct list errands;
	struct list metadata;
	size_t n_metadata;
	char *target;
	struct own_socket socket; /* that it names, if it names one */
	char *peer;               /* NULL: it is not encrypted */
	grpc_channel_credentials *credentials;
	msec_t born;     /* when core was made */
	bool is_renewed; /* the credentials, since */
	bool is_destroyed;
};

/* Begins an errand: its gRPC call, without an operation yet. */
grpc_call *channel_begin(struct rpc_channel *channel, struct errand *errand,
			 const char *path, msec_t timeout);

/* What every call sends; freed by channel_headers_free(). */
grpc_metadata *channel_headers(const struct rpc_channel *channel);
void channel_headers_free(const struct rpc_channel *channel,
			  grpc_metadata *headers);

/* details is consumed. */
void status_set(struct rpc_status *status, grpc_status_code code,
		grpc_slice details);

/* ---- descriptors ---- */

/* Walks the files of a FileDescriptorSet: true and the next one, or false. */
bool descriptor_next(struct span *set, struct span *file);

/* Does file have this name?  Does it define this fully qualified symbol? */
bool descriptor_is_named(struct span file, struct span name);
bool descriptor_defines(struct span file, const char *symbol);

/* Names of the files that file imports, one at a time, as above. */
bool descriptor_next_import(struct span *file, struct span *name);

#endif
