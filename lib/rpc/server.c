/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/server.h"

#include "base/cleanup.h"
#include "rpc/internal.h"
#include "rpc/token.h"

#include <assert.h>
#include <errno.h>
#include <grpc/grpc_security.h>
#include <grpc/slice.h>
#include <string.h>

enum {
	/* Calls that can come in while the loop is busy, before gRPC has to
	 * queue them itself: every client of a large job at once. */
	SLOTS = 512,
	/* How long calls may take to end by themselves, and then by force. */
	GRACE = 800,
	FORCE = 400,
	/* Of one connection, and what it may be without a call. */
	STREAMS = 256,
	IDLE = 60000,
};

/* A call that may come. */
struct slot {
	struct rpc_server *server;
	struct rpc_op op;
	grpc_call *core;
	grpc_call_details details;
	grpc_metadata_array headers;
};

DEFINE_CLEANUP(struct rpc_server, rpc_server_destroy)

/* ---- calls that come in ---- */

static const struct rpc_method *find(const struct rpc_method *methods, size_t n,
				     grpc_slice path)
{
	for (size_t i = 0; i < n; i++)
		if (grpc_slice_str_cmp(path, methods[i].path) == 0)
			return &methods[i];
	return NULL;
}

static bool is_open(const struct rpc_server *server,
		    const struct rpc_method *method)
{
	const char *open = server->config.open;

	return open && strncmp(method->path, open, strlen(open)) == 0;
}

static bool has_token(const struct rpc_server *server, const struct slot *slot)
{
	const char *token = server->config.token;
	bool has = token == NULL;

	for (size_t i = 0; !has && i < slot->headers.count; i++) {
		const grpc_metadata *header = &slot->headers.metadata[i];

		if (grpc_slice_str_cmp(header->key, "authorization") != 0)
			continue;
		has = token_is_in(
			token,
			(const char *)GRPC_SLICE_START_PTR(header->value),
			GRPC_SLICE_LENGTH(header->value));
	}
	return has;
}

static void accept_call(struct rpc_server *server, struct slot *slot)
{
	grpc_slice path = slot->details.method;
	const struct rpc_method *method;
	enum rpc_code refusal = RPC_OK;
	void *user = server->config.user;

	method = find(server->config.methods, server->config.n_methods, path);
	if (method && !is_open(server, method) && !has_token(server, slot))
		refusal = RPC_UNAUTHENTICATED;
	if (!method) {
		user = server;
		method = find(health_methods, LENGTH(health_methods), path);
	}
	if (!method)
		method = find(reflection_methods, LENGTH(reflection_methods),
			      path);
	if (!method)
		refusal = RPC_UNIMPLEMENTED;
	if (server->is_destroyed)
		refusal = RPC_UNAVAILABLE;
	call_create(server, slot->core, refusal == RPC_OK ? method : NULL,
		    refusal, user, &slot->headers);
}

static void slot_arm(struct slot *slot)
{
	struct rpc_server *server = slot->server;
	grpc_call_error error;

	slot->core = NULL;
	grpc_call_details_init(&slot->details);
	grpc_metadata_array_init(&slot->headers);
	server->holds++;
	rpc_op_expect(server->rpc, &slot->op);
	error = grpc_server_request_call(
		server->core, &slot->core, &slot->details, &slot->headers,
		server->rpc->queue, server->rpc->queue, &slot->op);
	assert(error == GRPC_CALL_OK);
	(void)error;
}

static void on_call(void *owner, bool ok)
{
	struct slot *slot = owner;
	struct rpc_server *server = slot->server;

	if (ok)
		accept_call(server, slot);
	grpc_call_details_destroy(&slot->details);
	grpc_metadata_array_destroy(&slot->headers);
	if (!server->is_destroyed)
		slot_arm(slot);
	server_release(server);
}

/* ---- life ---- */

void server_release(struct rpc_server *server)
{
	if (--server->holds > 0)
		return;

	if (server->core)
		grpc_server_destroy(server->core);
	for (size_t i = 0; i < server->n_services; i++)
		free(server->services[i].name);
	free(server->services);
	free(server->slots);
	free(server->address);
	free(server);
}

static void on_shutdown(void *owner, bool ok)
{
	struct rpc_server *server = owner;

	server->is_shut = true;
	server_release(server);
}

static int copy_services(struct rpc_server *server, struct error *err)
{
	const struct rpc_server_config *config = &server->config;
	size_t n = config->n_services + 1;

	server->services = calloc(n, sizeof(*server->services));
	if (!server->services)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		struct service *service = &server->services[i];

		service->is_serving = true;
		service->name = strdup(i == 0 ? "" : config->services[i - 1]);
		if (!service->name)
			return error_set(err, -ENOMEM, "out of memory");
		server->n_services++;
	}
	return 0;
}

static grpc_server *create_core(void)
{
	/* Peers that died without a word are found by pings, both ways.
	 * Compressed messages are refused: a small one may be huge. */
	grpc_arg args[] = {
		RPC_ARG(GRPC_ARG_ALLOW_REUSEPORT, 0),
		RPC_ARG(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, RPC_MESSAGE_MAX),
		RPC_ARG(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1),
		RPC_ARG(GRPC_ARG_KEEPALIVE_TIME_MS, SECONDS(10)),
		RPC_ARG(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, SECONDS(10)),
		RPC_ARG(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1),
		RPC_ARG(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0),
		RPC_ARG(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
			SECONDS(1)),
		RPC_ARG(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, SECONDS(10)),
		RPC_ARG(GRPC_ARG_MAX_CONCURRENT_STREAMS, STREAMS),
		RPC_ARG(GRPC_ARG_MAX_CONNECTION_IDLE_MS, IDLE),
		RPC_ARG(GRPC_ARG_HTTP2_BDP_PROBE, 0),
		RPC_ARG(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, RPC_WINDOW),
	};

	return grpc_server_create(
		&(grpc_channel_args){.num_args = LENGTH(args), .args = args},
		NULL);
}

static int open_port(struct rpc_server *server, struct error *err)
{
	const char *address = server->config.listen;
	grpc_server_credentials *credentials;
	int port, r;

	r = listen_check(address, err);
	if (r < 0)
		return r;

	server->core = create_core();
	grpc_server_register_completion_queue(server->core, server->rpc->queue,
					      NULL);
	credentials = grpc_insecure_server_credentials_create();
	port = grpc_server_add_http2_port(server->core, address, credentials);
	grpc_server_credentials_release(credentials);
	if (port <= 0) {
		r = listen_check(address, err);
		return r < 0 ? r
			     : error_set(err, -EADDRNOTAVAIL,
					 "cannot listen on %s", address);
	}
	server->address = listen_name(address, port);
	return server->address ? 0 : error_set(err, -ENOMEM, "out of memory");
}

static void start(struct rpc_server *server)
{
	grpc_server_start(server->core);
	for (size_t i = 0; i < SLOTS; i++) {
		server->slots[i].server = server;
		server->slots[i].op =
			(struct rpc_op){.fn = on_call,
					.owner = &server->slots[i],
					.group = server};
		slot_arm(&server->slots[i]);
	}
}

int rpc_server_create(struct rpc_server **out, struct rpc *rpc,
		      const struct rpc_server_config *config, struct error *err)
{
	CLEANUP(rpc_server_destroy) struct rpc_server *server = NULL;
	struct slot *slots;
	sigset_t signals;
	int r;

	server = calloc(1, sizeof(*server));
	slots = calloc(SLOTS, sizeof(*slots));
	if (!server || !slots) {
		free(slots);
		return error_set(err, -ENOMEM, "out of memory");
	}

	server->rpc = rpc;
	server->holds = 1;
	server->config = *config;
	server->slots = slots;
	list_init(&server->calls);
	list_init(&server->leaving);
	list_init(&server->watchers);
	r = copy_services(server, err);
	if (r < 0)
		return r;
	rpc_block_signals(&signals);
	r = open_port(server, err);
	if (r == 0)
		start(server);
	rpc_restore_signals(&signals);
	if (r < 0)
		return r;
	server->config.listen = NULL;

	*out = STEAL(server);
	return 0;
}

struct rpc_server *rpc_server_destroy(struct rpc_server *server)
{
	if (!server)
		return NULL;

	server->is_destroyed = true;
	call_end_all(server);
	if (server->core) {
		server->shutdown = (struct rpc_op){
			.fn = on_shutdown, .owner = server, .group = server};
		server->holds++;
		rpc_op_expect(server->rpc, &server->shutdown);
		grpc_server_shutdown_and_notify(
			server->core, server->rpc->queue, &server->shutdown);
		if (!rpc_run_group(server->rpc, server, &server->is_shut,
				   GRACE)) {
			call_cut_all(server);
			grpc_server_cancel_all_calls(server->core);
			rpc_run_group(server->rpc, server, &server->is_shut,
				      FORCE);
		}
	}
	server_release(server);
	return NULL;
}

const char *rpc_server_address(const struct rpc_server *server)
{
	return server->address;
}
