/* SPDX-License-Identifier: Apache-2.0 */
#include "client/client.h"

#include "base/list.h"
#include "proto/coordinator.h"

#include <errno.h>
#include <string.h>

struct text client_peer(const struct client *client)
{
	struct text peer;

	snprintf(peer.s, sizeof(peer.s), "%s%s",
		 client->is_scheduler ? "the scheduler" : "the coordinator of ",
		 client->is_scheduler ? "" : client->name);
	return peer;
}

const char *client_where(const struct client *client)
{
	return client->where[0] ? client->where : client->address;
}

msec_t client_patience(const struct client *client)
{
	return client->patience ? client->patience : CLIENT_PATIENCE;
}

/* ---- connecting ---- */

/* Whether a program listens there: 0, or -errno with a sentence. */
static int probe(const struct client *client, struct error *err)
{
	int r = client_probe(client->address);

	if (r == 0)
		return 0;
	if (r == -EPERM)
		return error_set(err, r,
				 "a program of another user listens at %s: it "
				 "is not %s",
				 client_where(client), client_peer(client).s);
	if (r == -ECONNREFUSED || r == -ENOENT)
		return error_set(err, -ECONNREFUSED,
				 "%s is gone: nobody listens at %s",
				 client_peer(client).s, client_where(client));
	return error_set(err, -ECONNREFUSED, "%s cannot be reached at %s: %s",
			 client_peer(client).s, client_where(client),
			 strerror(-r));
}

int client_gone(const struct client *client, struct error *err)
{
	if (client->way)
		return client->way->gone(client, err);
	return probe(client, err);
}

int client_way_failed(const struct client *client, struct error *err)
{
	int r;

	if (!client->way)
		return 0;
	r = client->way->gone(client, err);
	return r < 0 ? r : client->way->trouble(client, err);
}

int client_channel(struct rpc_channel **out, const struct client *client,
		   struct error *err)
{
	const struct rpc_security security = {
		client->lent ? client->lent : &client->tls,
		COORDINATOR_TLS_NAME, client->unencrypted};
	int r = rpc_channel_create(out, client->rpc, client->address, &security,
				   err);

	return r < 0 ? r : token_use(*out, &client->token, err);
}

int client_loop(struct client *client, struct error *err)
{
	int r;

	if (client->loop)
		return 0;
	r = loop_create(&client->loop, err);
	client->made_loop = r == 0;
	return r;
}

static int make_rpc(struct client *client, struct error *err)
{
	int r;

	if (client->rpc)
		return 0;
	r = rpc_create(&client->rpc, client->loop, err);
	client->made_rpc = r == 0;
	return r;
}

int client_connect(struct client *client, struct error *err)
{
	int r = client_loop(client, err);

	if (r == 0)
		r = make_rpc(client, err);
	if (r == 0)
		r = client_channel(&client->channel, client, err);
	return r;
}

int client_open(struct client *client, struct error *err)
{
	int r = client->way ? 0 : probe(client, err);

	return r < 0 ? r : client_connect(client, err);
}

void client_close(struct client *client)
{
	if (client->channel)
		client->channel = rpc_channel_destroy(client->channel);
	if (client->made_rpc)
		client->rpc = rpc_destroy(client->rpc);
	if (client->way)
		client->way->close(client);
	client->way = NULL;
	explicit_bzero(&client->token, sizeof(client->token));
	tls_identity_fini(&client->tls);
	if (client->made_loop)
		client->loop = loop_destroy(client->loop);
}

/* ---- calling ---- */

/* What a scheduler refuses is no failure of the connection. */
static const int refusals[] = {
	[RPC_INVALID_ARGUMENT] = -EINVAL,   [RPC_NOT_FOUND] = -ENOENT,
	[RPC_ALREADY_EXISTS] = -EBUSY,      [RPC_PERMISSION_DENIED] = -EACCES,
	[RPC_RESOURCE_EXHAUSTED] = -ENOSPC, [RPC_FAILED_PRECONDITION] = -EBUSY,
	[RPC_UNAUTHENTICATED] = -EACCES,    [RPC_UNIMPLEMENTED] = -EOPNOTSUPP,
};

int client_explain(const struct client *client, const struct rpc_status *status,
		   struct error *err)
{
	struct text why = text_safe(status->message);

	if (status->code != RPC_UNAUTHENTICATED &&
	    client_way_failed(client, err) < 0)
		return -ECONNREFUSED;
	if (client->is_scheduler && (size_t)status->code < LENGTH(refusals) &&
	    refusals[status->code])
		return error_set(
			err, refusals[status->code], "the scheduler: %s",
			why.s[0] ? why.s : rpc_code_name(status->code));
	if (status->code == RPC_DEADLINE_EXCEEDED)
		return error_set(err, -ETIMEDOUT, "%s at %s does not answer",
				 client_peer(client).s, client_where(client));
	return error_set(err, -ECONNREFUSED, "%s at %s: %s%s%s",
			 client_peer(client).s, client_where(client),
			 rpc_code_name(status->code), why.s[0] ? ": " : "",
			 why.s);
}

struct call {
	struct client *client;
	client_answer_f fn;
	void *user;
	struct error *err;
};

static void on_answer(void *user, const struct rpc_status *status,
		      const ProtobufCMessage *answer)
{
	struct call *call = user;
	int r = 0;

	if (status->code != RPC_OK)
		r = client_explain(call->client, status, call->err);
	else if (call->fn)
		call->fn(call->user, answer);
	loop_stop(call->client->loop, r);
}

int client_call(struct client *client, const char *call,
		const ProtobufCMessage *request,
		const ProtobufCMessageDescriptor *answer, msec_t timeout,
		client_answer_f fn, void *user, struct error *err)
{
	struct call at = {client, fn, user, err};

	rpc_call_unary(client->channel, call, request, answer, timeout,
		       on_answer, &at);
	return loop_run(client->loop);
}
