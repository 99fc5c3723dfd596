/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/server.h"

#include "base/cleanup.h"
#include "rpc/internal.h"

#include <assert.h>
#include <errno.h>
#include <grpc/slice.h>
#include <stdatomic.h>
#include <string.h>

/* How long calls may take to end by themselves, and then by force. */
#define GRACE MSEC(800)
#define FORCE MSEC(400)
#define IDLE  MINUTES(1) /* of a connection without a call */

enum {
	/* Calls that can come in while the loop is busy, before gRPC has to
	 * queue them itself: every client of a large job at once. */
	SLOTS = 512,
	/* Bytes of all headers of a call. */
	HEADERS_MAX = 8 << 10,
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

/* A method that every server has: health or reflection. */
static const struct rpc_method *find_own(const struct rpc_server *server,
					 grpc_slice path)
{
	const struct rpc_method *method =
		find(health_methods, LENGTH(health_methods), path);

	if (!method && server->config.descriptors)
		method = find(reflection_methods, LENGTH(reflection_methods),
			      path);
	return method;
}

/* Whoever may call a method of the program's own is let in.  So is any caller
 * of a server without a token. */
static void accept_call(struct rpc_server *server, struct slot *slot)
{
	grpc_slice path = slot->details.method;
	struct error why = {""};
	struct incoming in = {
		.core = slot->core,
		.headers = &slot->headers,
		.method = find(server->config.methods, server->config.n_methods,
			       path),
		.why = why.text,
		.user = server->config.user,
	};

	if (in.method) {
		in.refusal = access_check(server, in.method, slot->core,
					  &slot->headers, &why);
		in.is_let_in = in.refusal == RPC_OK;
	} else {
		in.user = server;
		in.method = find_own(server, path);
		in.is_let_in = !server->config.token;
	}
	if (!in.method) {
		in.refusal = RPC_UNIMPLEMENTED;
		error_describe(&why, "no such method");
	}
	if (server->is_destroyed) {
		in.refusal = RPC_UNAVAILABLE;
		error_describe(&why, RPC_LEAVING);
	}
	if (in.refusal != RPC_OK)
		in.method = NULL;
	call_create(server, &in);
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

/* ---- certificates ---- */

/* Asked for each connection, by one of gRPC's threads. */
static grpc_ssl_certificate_config_reload_status
fetch(void *user, grpc_ssl_server_certificate_config **config)
{
	struct rpc_server *server = user;

	*config = atomic_exchange(&server->fresh, NULL);
	return *config ? GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW
		       : GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
}

static void put_fresh(struct rpc_server *server,
		      grpc_ssl_server_certificate_config *config)
{
	config = atomic_exchange(&server->fresh, config);
	if (config)
		grpc_ssl_server_certificate_config_destroy(config);
}

void rpc_server_renew(struct rpc_server *server, const struct tls_identity *tls)
{
	const grpc_ssl_pem_key_cert_pair pair = {tls->key, tls->cert};

	put_fresh(server,
		  grpc_ssl_server_certificate_config_create(tls->ca, &pair, 1));
}

/* ---- life ---- */

void server_release(struct rpc_server *server)
{
	if (--server->holds > 0)
		return;

	if (server->core)
		grpc_server_destroy(server->core);
	put_fresh(server, NULL);
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

/* What a peer may cost.  A peer that has not finished TLS and the first frames
 * of HTTP/2 in time is cut off; one that makes no call, later. */
static grpc_server *create_core(void)
{
	/* Peers that died without a word are found by pings, both ways.
	 * Compressed messages are refused: a small one may be huge. */
	grpc_arg args[] = {
		RPC_ARG(GRPC_ARG_ALLOW_REUSEPORT, 0),
		RPC_ARG(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, RPC_MESSAGE_MAX),
		RPC_ARG(GRPC_ARG_MAX_METADATA_SIZE, HEADERS_MAX),
		RPC_ARG(GRPC_ARG_MAX_CONCURRENT_STREAMS, CONNECTIONS_CALLS_MAX),
		RPC_ARG(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1),
		RPC_ARG(GRPC_ARG_KEEPALIVE_TIME_MS, SECONDS(10)),
		RPC_ARG(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, SECONDS(10)),
		RPC_ARG(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1),
		RPC_ARG(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0),
		RPC_ARG(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
			SECONDS(1)),
		RPC_ARG(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, SECONDS(10)),
		RPC_ARG(GRPC_ARG_MAX_CONNECTION_IDLE_MS, IDLE),
		RPC_ARG(GRPC_ARG_HTTP2_BDP_PROBE, 0),
		RPC_ARG(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, RPC_WINDOW),
	};

	return grpc_server_create(
		&(grpc_channel_args){.num_args = LENGTH(args), .args = args},
		NULL);
}

/* Both sides show certificates of the same authority. */
static grpc_server_credentials *create_credentials(struct rpc_server *server)
{
	if (!server->is_encrypted)
		return grpc_insecure_server_credentials_create();
	rpc_server_renew(server, server->config.tls);
	return grpc_ssl_server_credentials_create_with_options(
		grpc_ssl_server_credentials_create_options_using_config_fetcher(
			GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY,
			fetch, server));
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
	credentials = create_credentials(server);
	port = grpc_server_add_http2_port(server->core, address, credentials);
	grpc_server_credentials_release(credentials);
	if (port <= 0) {
		r = listen_check(address, err);
		return r < 0 ? r
			     : error_set(err, -EADDRNOTAVAIL,
					 "cannot listen on %s", address);
	}
	if (strncmp(address, "unix:", 5) != 0) {
		server->port.port = (unsigned)port;
		server->port.is_encrypted = server->is_encrypted;
		connections_serve(&server->port);
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
	server->is_encrypted =
		config->tls && tls_identity_is_there(config->tls);
	server->slots = slots;
	list_init(&server->calls);
	list_init(&server->leaving);
	list_init(&server->watchers);
	list_init(&server->port.link);
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
	server->config.tls = NULL;

	*out = STEAL(server);
	return 0;
}

struct rpc_server *rpc_server_destroy(struct rpc_server *server)
{
	if (!server)
		return NULL;

	server->is_destroyed = true;
	connections_forget(&server->port);
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
