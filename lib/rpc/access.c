/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "rpc/internal.h"
#include "rpc/token.h"

#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <string.h>

/*
 * Which callers are let in
 */

static void gpr_free_at(char **text)
{
	gpr_free(*text);
}

/* The common name of the certificate that the peer has shown; "" if it has none
 * that could be of use. */
static void find_name(grpc_call *core, char name[TLS_NAME_MAX])
{
	grpc_auth_context *context = grpc_call_auth_context(core);
	grpc_auth_property_iterator at;
	const grpc_auth_property *found = NULL;

	name[0] = '\0';
	if (context && grpc_auth_context_peer_is_authenticated(context)) {
		at = grpc_auth_context_find_properties_by_name(
			context, GRPC_X509_CN_PROPERTY_NAME);
		found = grpc_auth_property_iterator_next(&at);
	}
	if (found && found->value_length < TLS_NAME_MAX &&
	    !memchr(found->value, '\0', found->value_length)) {
		memcpy(name, found->value, found->value_length);
		name[found->value_length] = '\0';
	}
	grpc_auth_context_release(context);
}

static bool is_open(const struct rpc_server *server,
		    const struct rpc_method *method)
{
	const char *open = server->config.open;

	return open && strncmp(method->path, open, strlen(open)) == 0;
}

static bool has_token(const char *token, const grpc_metadata_array *headers)
{
	bool has = false;

	for (size_t i = 0; !has && i < headers->count; i++) {
		const grpc_metadata *header = &headers->metadata[i];

		if (grpc_slice_str_cmp(header->key, "authorization") != 0)
			continue;
		has = token_is_in(
			token,
			(const char *)GRPC_SLICE_START_PTR(header->value),
			GRPC_SLICE_LENGTH(header->value));
	}
	return has;
}

static enum rpc_code check_token(struct rpc_server *server, grpc_call *core,
				 const grpc_metadata_array *headers,
				 struct error *why)
{
	CLEANUP(gpr_free) char *peer = grpc_call_get_peer(core);
	msec_t now = loop_now();

	if (!limit_hears(&server->limit, peer, now)) {
		error_describe(
			why, "too many calls without the token came from this "
			     "address; wait a few seconds");
		return RPC_RESOURCE_EXHAUSTED;
	}
	if (has_token(server->config.token, headers)) {
		limit_trust(&server->limit, peer);
		return RPC_OK;
	}
	limit_count(&server->limit, peer, now);
	error_describe(why,
		       "a token is needed here, and none or another was given");
	return RPC_UNAUTHENTICATED;
}

enum rpc_code access_check(struct rpc_server *server,
			   const struct rpc_method *method, grpc_call *core,
			   const grpc_metadata_array *headers,
			   struct error *why)
{
	const struct rpc_server_config *config = &server->config;
	char name[TLS_NAME_MAX];

	if (server->is_encrypted && config->authorize) {
		find_name(core, name);
		if (config->authorize(method->path, name, why) < 0)
			return RPC_PERMISSION_DENIED;
	}
	if (!config->token || is_open(server, method))
		return RPC_OK;
	return check_token(server, core, headers, why);
}
