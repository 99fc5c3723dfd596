/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/client.h"

#include "base/cleanup.h"
#include "rpc/internal.h"

#include <assert.h>
#include <errno.h>
#include <grpc/grpc_security.h>
#include <grpc/slice.h>
#include <string.h>

/* Name resolution backs off by itself, for up to two minutes, and no argument
 * bounds it.  So a channel that waits for a name is made anew when the next
 * call begins; so is one whose certificate was renewed.  Both only while no
 * call waits for it. */
#define NAME_PATIENCE SECONDS(2)

struct pair {
	struct list link;
	char *key, *value;
};

DEFINE_CLEANUP(struct rpc_channel, rpc_channel_destroy)

/* ---- metadata ---- */

static void pair_destroy(struct pair *pair)
{
	if (!pair)
		return;
	list_remove(&pair->link);
	free(pair->key);
	free(pair->value);
	free(pair);
}
DEFINE_CLEANUP(struct pair, pair_destroy)

static void remove_metadata(struct rpc_channel *channel, const char *key)
{
	list_for_each (at, &channel->metadata) {
		struct pair *pair = CONTAINER(at, struct pair, link);

		if (strcmp(pair->key, key) != 0)
			continue;
		channel->n_metadata--;
		pair_destroy(pair);
	}
}

int rpc_channel_set_metadata(struct rpc_channel *channel, const char *key,
			     const char *value)
{
	CLEANUP(pair_destroy) struct pair *pair = NULL;

	if (!grpc_header_key_is_legal(grpc_slice_from_static_string(key)) ||
	    (value && !grpc_header_nonbin_value_is_legal(
			      grpc_slice_from_static_string(value))))
		return -EINVAL;
	if (!value) {
		remove_metadata(channel, key);
		return 0;
	}

	pair = calloc(1, sizeof(*pair));
	if (!pair)
		return -ENOMEM;
	list_init(&pair->link);
	pair->key = strdup(key);
	pair->value = strdup(value);
	if (!pair->key || !pair->value)
		return -ENOMEM;
	remove_metadata(channel, key);
	list_append(&channel->metadata, &STEAL(pair)->link);
	channel->n_metadata++;
	return 0;
}

grpc_metadata *channel_headers(const struct rpc_channel *channel)
{
	grpc_metadata *headers =
		calloc(channel->n_metadata + 1, sizeof(*headers));
	size_t n = 0;

	if (!headers)
		abort(); /* as gRPC does without memory */
	list_for_each (at, &channel->metadata) {
		struct pair *pair = CONTAINER(at, struct pair, link);

		headers[n].key = grpc_slice_from_copied_string(pair->key);
		headers[n].value = grpc_slice_from_copied_string(pair->value);
		n++;
	}
	return headers;
}

void channel_headers_free(const struct rpc_channel *channel,
			  grpc_metadata *headers)
{
	for (size_t i = 0; i < channel->n_metadata; i++) {
		grpc_slice_unref(headers[i].key);
		grpc_slice_unref(headers[i].value);
	}
	free(headers);
}

/* ---- channel ---- */

static grpc_channel *create_core(const struct rpc_channel *channel)
{
	/* A connection is this channel's alone, goes to its target and to no
	 * proxy, and notices within ten seconds that its peer is dead. */
	grpc_arg args[] = {
		RPC_ARG(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100),
		RPC_ARG(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, SECONDS(2)),
		/* In truth the patience of one attempt. */
		RPC_ARG(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, SECONDS(3)),
		RPC_ARG(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS,
			SECONDS(1)),
		/* A question that is lost is asked anew, not two minutes on. */
		RPC_ARG(GRPC_ARG_DNS_ARES_QUERY_TIMEOUT_MS, SECONDS(4)),
		RPC_ARG(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1),
		RPC_ARG(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1),
		RPC_ARG(GRPC_ARG_ENABLE_HTTP_PROXY, 0),
		RPC_ARG(GRPC_ARG_ENABLE_RETRIES, 0),
		RPC_ARG(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, RPC_MESSAGE_MAX),
		RPC_ARG(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1),
		RPC_ARG(GRPC_ARG_KEEPALIVE_TIME_MS, SECONDS(5)),
		RPC_ARG(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, SECONDS(5)),
		RPC_ARG(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1),
		RPC_ARG(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0),
		RPC_ARG(GRPC_ARG_HTTP2_BDP_PROBE, 0),
		RPC_ARG(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, RPC_WINDOW),
		/* The last one: of encrypted channels only. */
		{.type = GRPC_ARG_STRING,
		 .key = (char *)GRPC_SSL_TARGET_NAME_OVERRIDE_ARG,
		 .value.string = channel->peer},
	};
	const grpc_channel_args all = {.num_args = LENGTH(args) -
						   (channel->peer == NULL),
				       .args = args};
	sigset_t signals;
	grpc_channel *core;

	rpc_block_signals(&signals);
	core = grpc_channel_create(channel->target, channel->credentials, &all);
	rpc_restore_signals(&signals);
	return core;
}

static grpc_channel_credentials *
create_credentials(const struct tls_identity *own)
{
	grpc_ssl_pem_key_cert_pair pair = {own->key, own->cert};

	return grpc_ssl_credentials_create_ex(own->ca, &pair, NULL, NULL);
}

static int set_security(struct rpc_channel *channel,
			const struct rpc_security *security, struct error *err)
{
	if (security && tls_identity_is_there(security->own)) {
		channel->credentials = create_credentials(security->own);
		channel->peer = strdup(security->peer);
		return channel->peer ? 0
				     : error_set(err, -ENOMEM, "out of memory");
	}
	channel->credentials = grpc_insecure_credentials_create();
	if (!security || security->unencrypted || rpc_is_local(channel->target))
		return 0;
	return error_set(err, -ENOKEY,
			 "%s may be on another machine: --tls DIR encrypts and "
			 "tells whether it is the right one, --unencrypted "
			 "does without",
			 channel->target);
}

void rpc_channel_renew(struct rpc_channel *channel,
		       const struct tls_identity *own)
{
	assert(channel->peer);
	grpc_channel_credentials_release(channel->credentials);
	channel->credentials = create_credentials(own);
	channel->is_renewed = true;
}

static bool has_name(const char *target)
{
	return strncmp(target, "unix:", 5) != 0 && target[0] != '[' &&
	       target[strspn(target, "0123456789.:")];
}

static bool is_stuck(const struct rpc_channel *channel)
{
	return has_name(channel->target) &&
	       loop_now() >= channel->born + NAME_PATIENCE &&
	       grpc_channel_check_connectivity_state(channel->core, 0) ==
		       GRPC_CHANNEL_TRANSIENT_FAILURE;
}

static void make_anew(struct rpc_channel *channel)
{
	if (!list_is_empty(&channel->errands) ||
	    (!channel->is_renewed && !is_stuck(channel)))
		return;
	grpc_channel_destroy(channel->core);
	channel->core = create_core(channel);
	channel->born = loop_now();
	channel->is_renewed = false;
}

grpc_call *channel_begin(struct rpc_channel *channel, struct errand *errand,
			 const char *path, msec_t timeout)
{
	grpc_slice method = grpc_slice_from_copied_string(path);
	grpc_call *core;

	assert(!channel->is_destroyed);
	make_anew(channel);
	core = grpc_channel_create_call(
		channel->core, NULL, GRPC_PROPAGATE_DEFAULTS,
		channel->rpc->queue, method, NULL, rpc_deadline(timeout), NULL);
	grpc_slice_unref(method);
	errand->channel = channel;
	list_append(&channel->errands, &errand->link);
	return core;
}

void status_set(struct rpc_status *status, grpc_status_code code,
		grpc_slice details)
{
	status->code = (enum rpc_code)code;
	snprintf(status->message, sizeof(status->message), "%.*s",
		 (int)GRPC_SLICE_LENGTH(details),
		 (const char *)GRPC_SLICE_START_PTR(details));
	grpc_slice_unref(details);
}

int rpc_channel_create(struct rpc_channel **out, struct rpc *rpc,
		       const char *target, const struct rpc_security *security,
		       struct error *err)
{
	CLEANUP(rpc_channel_destroy) struct rpc_channel *channel = NULL;
	int r;

	channel = calloc(1, sizeof(*channel));
	if (!channel)
		return error_set(err, -ENOMEM, "out of memory");

	channel->rpc = rpc;
	list_init(&channel->errands);
	list_init(&channel->metadata);
	channel->target = strdup(target);
	if (!channel->target)
		return error_set(err, -ENOMEM, "out of memory");
	sockets_expect(&channel->socket, channel->target);
	r = set_security(channel, security, err);
	if (r < 0)
		return r;
	channel->core = create_core(channel);
	channel->born = loop_now();

	*out = STEAL(channel);
	return 0;
}

struct rpc_channel *rpc_channel_destroy(struct rpc_channel *channel)
{
	if (!channel)
		return NULL;

	channel->is_destroyed = true;
	while (!list_is_empty(&channel->errands)) {
		struct errand *errand =
			CONTAINER(channel->errands.next, struct errand, link);

		list_remove(&errand->link);
		errand->abandon(errand);
	}
	if (channel->core)
		grpc_channel_destroy(channel->core);
	if (channel->credentials)
		grpc_channel_credentials_release(channel->credentials);
	list_for_each (at, &channel->metadata)
		pair_destroy(CONTAINER(at, struct pair, link));
	if (channel->target)
		sockets_forget(&channel->socket);
	free(channel->target);
	free(channel->peer);
	free(channel);
	return NULL;
}
