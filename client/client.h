/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

/*
 * A connection to the coordinator of one job, or to the scheduler of many
 *
 * Every wait is bounded: a coordinator that is gone is found out by a look at
 * its address before gRPC tries it, one that does not answer by a time-out.
 */

#include "base/text.h"
#include "base/time.h"
#include "loop/loop.h"
#include "rpc/client.h"
#include "rpc/token.h"
#include "tls/identity.h"

#include <stdbool.h>

/* How long the answer of a coordinator is waited for. */
#define CLIENT_PATIENCE SECONDS(5)

struct client;

/* How it is known that a coordinator is gone where its address does not tell:
 * in a cluster, where the address is a socket of this program's own. */
struct client_way {
	/* 0, or -ECONNREFUSED and what became of the coordinator. */
	int (*gone)(const struct client *client, struct error *err);
	/* 0, or -ECONNREFUSED and why the newest connection failed that did;
	 * each failure is told once. */
	int (*trouble)(const struct client *client, struct error *err);
	/* fn is called when the coordinator goes; NULL: nothing is. */
	void (*on_gone)(const struct client *client, void (*fn)(void *user),
			void *user);
	/* The connection is closed, and with it the way. */
	void (*close)(struct client *client);
};

/* Zero-initialised; the caller sets name and address, and the rest if it has
 * it. */
struct client {
	struct loop *loop; /* NULL: client_connect() makes one, likewise rpc; */
	struct rpc *rpc;   /* client_close() destroys what was made so */
	bool made_loop, made_rpc;
	bool is_scheduler; /* what listens at the address */
	struct rpc_channel *channel;
	char name[64]; /* of the job, for sentences */
	char address[256];
	char where[256];    /* the address for people; "": as it is */
	msec_t patience;    /* without a word, until a watch ends; 0: default */
	struct token token; /* "": none */
	struct tls_identity tls;         /* empty: none */
	const struct tls_identity *lent; /* in its place; NULL: none */
	bool unencrypted;                /* may be, to another machine too */
	const struct client_way *way;    /* NULL: straight to the address */
	void *route;                     /* the way's own */
};

/* Whether a program listens at address: 0, or -errno of the attempt; -EPERM: a
 * program of another user listens there.  An address that only gRPC can resolve
 * is not tried: 0. */
int client_probe(const char *address);

/* What listens there, for sentences: "the coordinator of heat". */
struct text client_peer(const struct client *client);

/* Its address for people. */
const char *client_where(const struct client *client);

/* How long to go on trying without a word from it. */
msec_t client_patience(const struct client *client);

/* Whether it is known to have gone for good: 0, or -ECONNREFUSED with a
 * sentence. */
int client_gone(const struct client *client, struct error *err);

/* Why its way leads nowhere: 0, or -ECONNREFUSED with a sentence.  0, too, if
 * there is no way. */
int client_way_failed(const struct client *client, struct error *err);

/* A channel to client->address, with its token and certificate. */
int client_channel(struct rpc_channel **out, const struct client *client,
		   struct error *err);

/* Makes the loop if there is none. */
int client_loop(struct client *client, struct error *err);

/* Connects to client->address; client_close() also after a failure. */
int client_connect(struct client *client, struct error *err);
void client_close(struct client *client);

/* client_probe() and client_connect(). */
int client_open(struct client *client, struct error *err);

typedef void (*client_answer_f)(void *user, const ProtobufCMessage *answer);

/* One unary call; runs the loop until it is answered.  fn is called when it
 * succeeds. */
int client_call(struct client *client, const char *call,
		const ProtobufCMessage *request,
		const ProtobufCMessageDescriptor *answer, msec_t timeout,
		client_answer_f fn, void *user, struct error *err);

/*
 * The sentence for a call that failed; returns -errno.  -ECONNREFUSED,
 * -ETIMEDOUT: whether the call was carried out is not known.  A scheduler also
 * refuses: -EINVAL, -ENOENT (there is no such job), -EBUSY (the state of the
 * job does not allow it), -ENOSPC, -EACCES, -EOPNOTSUPP; the sentence is its
 * own.
 */
int client_explain(const struct client *client, const struct rpc_status *status,
		   struct error *err);

#endif
