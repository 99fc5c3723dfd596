/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client.h"

#include "base/text.h"
#include "jobfile/exit.h"
#include "proto/coordinator.h"
#include "runner/keys.h"
#include "runner/kube/reach.h"
#include "runner/statedir.h"

#include <errno.h>
#include <string.h>

int client_exit_code(int r)
{
	return r == -EINVAL || r == -ENOKEY ? EXIT_USAGE
	       : r == -ENOMEM               ? EXIT_INTERNAL
					    : EXIT_UNREACHABLE;
}

static int find_in_state(struct client *client, const struct args *args,
			 const char *job, struct error *err)
{
	struct statedir dir;
	struct stamp stamp;
	int r;

	r = statedir_of(&dir, &args->lookup, job, err);
	if (r < 0)
		return r;
	r = statedir_address(&dir, client->address, sizeof(client->address),
			     &stamp, err);
	if (r == -ENOENT && access(dir.path, F_OK) < 0)
		return error_set(err, r,
				 "there is no job %s: no %s; 'bellows status' "
				 "lists those that run",
				 client->name, dir.path);
	if (r == -ENOENT)
		return error_set(err, r,
				 "job %s does not run; 'bellows status' lists "
				 "those that do",
				 client->name);
	return r == -EINVAL ? -EIO : r;
}

static int find(struct client *client, const struct args *args, const char *job,
		struct error *err)
{
	const char *name = job                    ? job
			   : args->lookup.connect ? args->lookup.connect
						  : args->lookup.state;
	size_t n = 0;

	snprintf(client->name, sizeof(client->name), "%.63s",
		 name ? text_safe(name).s : "");
	if (!args->lookup.connect)
		return find_in_state(client, args, job, err);
	for (; args->lookup.connect[n]; n++)
		if (args->lookup.connect[n] <= ' ' ||
		    args->lookup.connect[n] > '~')
			return error_set(err, -EINVAL,
					 "--connect: '%s' is no address",
					 text_safe(args->lookup.connect).s);
	if (n == 0 || n >= sizeof(client->address))
		return error_set(err, -EINVAL,
				 "--connect needs an address of at most 255 "
				 "characters");
	memcpy(client->address, args->lookup.connect, n + 1);
	return 0;
}

static int find_in_kube(struct client *client, const struct args *args,
			const char *job, struct error *err)
{
	int r = 0;

	if (!job || !statedir_is_name(job))
		return error_set(err, -EINVAL,
				 "'%s' is no name of a job: 1 to 40 of a-z, "
				 "0-9 and -",
				 text_safe(job).s);
	snprintf(client->name, sizeof(client->name), "%s", job);
	if (!client->loop)
		r = loop_create(&client->loop, err);
	if (r == 0 && !client->reach)
		r = reach_create(&client->reach, client->loop, &args->lookup,
				 err);
	if (r == 0)
		r = route_find(&client->route, client->reach, job, err);
	if (r < 0)
		return r;
	client->token = *route_token(client->route);
	snprintf(client->address, sizeof(client->address), "%s",
		 route_address(client->route));
	return 0;
}

/* Who is told where, is told with what, too: --connect has no folder. */
static int find_secrets(struct client *client, const struct args *args,
			const char *job, struct error *err)
{
	bool has_folder = !args->lookup.connect;
	struct statedir dir;
	int r = 0;

	if (has_folder && statedir_of(&dir, &args->lookup, job, err) < 0)
		has_folder = false;
	if (args->lookup.token_file)
		r = token_read(&client->token, args->lookup.token_file, err);
	else if (has_folder)
		r = statedir_token(&dir, &client->token, err);
	if (r < 0)
		return r == -EINVAL && !args->lookup.token_file ? -EIO : r;
	if (args->lookup.tls)
		r = keys_read_client(&client->tls, args->lookup.tls, err);
	else if (has_folder)
		r = statedir_identity(&dir, &client->tls, err);
	return r == -EINVAL && !args->lookup.tls ? -EIO : r;
}

int client_find(struct client *client, const struct args *args, const char *job,
		struct error *err)
{
	int r;

	*client->token.text = '\0';
	tls_identity_fini(&client->tls);
	/* a job's own folder has a certificate if it encrypts */
	client->unencrypted = args->lookup.unencrypted || !args->lookup.connect;
	if (args->lookup.on)
		return find_in_kube(client, args, job, err);
	r = find(client, args, job, err);
	return r < 0 ? r : find_secrets(client, args, job, err);
}

int client_channel(struct rpc_channel **out, const struct client *client,
		   struct error *err)
{
	const struct rpc_security security = {
		client->route ? route_identity(client->route) : &client->tls,
		COORDINATOR_TLS_NAME, client->unencrypted};
	int r = rpc_channel_create(out, client->rpc, client->address, &security,
				   err);

	return r < 0 ? r : token_use(*out, &client->token, err);
}

int client_connect(struct client *client, struct error *err)
{
	int r = 0;

	if (!client->loop)
		r = loop_create(&client->loop, err);
	if (r == 0 && !client->rpc)
		r = rpc_create(&client->rpc, client->loop, err);
	if (r == 0)
		r = client_channel(&client->channel, client, err);
	return r;
}

const char *client_where(const struct client *client)
{
	return client->route ? route_pod(client->route) : client->address;
}

msec_t client_patience(const struct client *client)
{
	return client->route ? RESTART_PATIENCE : PATIENCE;
}

int client_gone(const struct client *client, struct error *err)
{
	if (client->route)
		return route_gone(client->route, err);
	return client_probe(client->address) == 0
		       ? 0
		       : error_set(err, -ECONNREFUSED,
				   "the coordinator of %s is gone: nobody "
				   "listens at %s",
				   client->name, client_where(client));
}

void client_close(struct client *client)
{
	if (client->channel)
		client->channel = rpc_channel_destroy(client->channel);
	if (client->rpc)
		client->rpc = rpc_destroy(client->rpc);
	client->route = route_destroy(client->route);
	client->reach = reach_destroy(client->reach);
	explicit_bzero(&client->token, sizeof(client->token));
	tls_identity_fini(&client->tls);
	if (client->loop)
		client->loop = loop_destroy(client->loop);
}

int client_open(struct client *client, const struct args *args, const char *job,
		struct error *err)
{
	int r = client_find(client, args, job, err);

	if (r < 0)
		return r;
	/* a socket of our own says nothing of who is behind it */
	r = client->route ? 0 : client_probe(client->address);
	if (r == -ECONNREFUSED || r == -ENOENT)
		return error_set(err, -ECONNREFUSED,
				 "the coordinator of %s is gone: nobody "
				 "listens at %s",
				 client->name, client_where(client));
	if (r < 0)
		return error_set(err, -ECONNREFUSED,
				 "the coordinator of %s cannot be reached at "
				 "%s: %s",
				 client->name, client_where(client),
				 strerror(-r));
	return client_connect(client, err);
}

int client_explain(const struct client *client, const struct rpc_status *status,
		   struct error *err)
{
	struct text why = text_safe(status->message);
	int r;

	if (client->route && status->code != RPC_UNAUTHENTICATED) {
		r = route_gone(client->route, err);
		if (r == 0)
			r = route_trouble(client->route, err);
		if (r < 0)
			return r;
	}
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

int client_call(struct client *client, const char *path,
		const ProtobufCMessage *request,
		const ProtobufCMessageDescriptor *answer, msec_t timeout,
		client_answer_f fn, void *user, struct error *err)
{
	struct call call = {client, fn, user, err};

	rpc_call_unary(client->channel, path, request, answer, timeout,
		       on_answer, &call);
	return loop_run(client->loop);
}
