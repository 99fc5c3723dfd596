/* SPDX-License-Identifier: Apache-2.0 */
#include "client/client.h"

#include "base/text.h"
#include "proto/coordinator.h"

#include <errno.h>
#include <string.h>

const char *client_where(const struct client *client)
{
	return client->where[0] ? client->where : client->address;
}

msec_t client_patience(const struct client *client)
{
	return client->patience ? client->patience : CLIENT_PATIENCE;
}

/* ---- connecting ---- */

/* Whether its coordinator listens: 0, or -errno with a sentence. */
static int probe(const struct client *client, struct error *err)
{
	int r = client_probe(client->address);

	if (r == 0)
		return 0;
	if (r == -EPERM)
		return error_set(err, r,
				 "a program of another user listens at %s: it "
				 "is not the coordinator of %s",
				 client_where(client), client->name);
	if (r == -ECONNREFUSED || r == -ENOENT)
		return error_set(err, -ECONNREFUSED,
				 "the coordinator of %s is gone: nobody "
				 "listens at %s",
				 client->name, client_where(client));
	return error_set(err, -ECONNREFUSED,
			 "the coordinator of %s cannot be reached at %s: %s",
			 client->name, client_where(client), strerror(-r));
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

int client_explain(const struct client *client, const struct rpc_status *status,
		   struct error *err)
{
	struct text why = text_safe(status->message);

	if (status->code != RPC_UNAUTHENTICATED &&
	    client_way_failed(client, err) < 0)
		return -ECONNREFUSED;
	if (status->code == RPC_DEADLINE_EXCEEDED)
		return error_set(err, -ETIMEDOUT,
				 "the coordinator of %s at %s does not answer",
				 client->name, client_where(client));
	return error_set(err, -ECONNREFUSED,
			 "the coordinator of %s at %s: %s%s%s", client->name,
			 client_where(client), rpc_code_name(status->code),
			 why.s[0] ? ": " : "", why.s);
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
