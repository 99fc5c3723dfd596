/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

/*
 * A connection to the coordinator of one job
 *
 * Everything here is bounded: a coordinator that is gone is found out by asking
 * its address first, one that does not answer by PATIENCE.  One in a cluster
 * (--on kube) is looked for and reached through the API; it is gone when its
 * pod is, and one that is started again in its pod is waited for.
 */

#include "cli/commands/args.h"
#include "client/job.h"
#include "rpc/token.h"

enum { PATIENCE = SECONDS(5), RESTART_PATIENCE = SECONDS(60) };

struct reach;
struct route;

struct client {
	struct loop *loop;
	struct rpc *rpc;
	struct rpc_channel *channel;
	char name[64]; /* for sentences */
	char address[256];
	struct token token;      /* "": none */
	struct tls_identity tls; /* empty: none, or the route's */
	bool unencrypted;        /* may be, to another machine too */
	struct reach *reach;     /* to a cluster; NULL: none is spoken of */
	struct route *route;     /* NULL: not by one */
};

/* Where the job listens: --connect, or DIR/address of --state or of job's own
 * folder; its token: --token-file, or DIR/token if there is one; and a client's
 * certificate: --tls, or DIR/tls/client likewise.  With --on kube a socket of
 * ours that leads to its pod, and what its Secrets have; the loop runs
 * meanwhile.  -EINVAL: no such name can be; -ENOENT: there is no such
 * job. */
int client_find(struct client *client, const struct args *args, const char *job,
		struct error *err);

/* Whether somebody listens at address: 0, or -errno of the attempt.  Of an
 * address that only gRPC can resolve it is not known: 0. */
int client_probe(const char *address);

/* Its address for people: of one in a cluster, the pod. */
const char *client_where(const struct client *client);

/* How long to go on trying without a word from it. */
msec_t client_patience(const struct client *client);

/* Whether it is known to have gone for good: 0, or -ECONNREFUSED with a
 * sentence. */
int client_gone(const struct client *client, struct error *err);

/* A channel to client->address, with its token and certificate. */
int client_channel(struct rpc_channel **out, const struct client *client,
		   struct error *err);

/* Connects to client->address; client_close() also after a failure. */
int client_connect(struct client *client, struct error *err);
void client_close(struct client *client);

/* client_find(), client_probe() and client_connect(). */
int client_open(struct client *client, const struct args *args, const char *job,
		struct error *err);

typedef void (*client_answer_f)(void *user, const ProtobufCMessage *answer);

/* One unary call; runs the loop until it is answered.  fn is called when it
 * succeeds. */
int client_call(struct client *client, const char *path,
		const ProtobufCMessage *request,
		const ProtobufCMessageDescriptor *answer, msec_t timeout,
		client_answer_f fn, void *user, struct error *err);

/* The sentence for a call that failed; returns -errno. */
int client_explain(const struct client *client, const struct rpc_status *status,
		   struct error *err);

/* Exit status of a command that could not open its client. */
int client_exit_code(int r);

#endif
