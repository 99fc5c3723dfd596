/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/connect.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "rpc/token.h"

#include <string.h>

static void on_renewed(void *user, const struct tls_identity *now,
		       const struct error *fault)
{
	struct rpc_channel *channel = user;

	if (fault) {
		log_warn("%s; its former certificate stays in use",
			 fault->text);
		return;
	}
	log_info("certificate=renewed");
	rpc_channel_renew(channel, now);
}

int connect_open(struct rpc_channel **out, struct renew *renew, struct rpc *rpc,
		 struct loop *loop, const struct connect_config *config,
		 struct error *err)
{
	CLEANUP(tls_identity_fini) struct tls_identity own = {0};
	const struct rpc_security security = {&own, config->peer,
					      config->unencrypted};
	struct token token = {""};
	int r = 0;

	if (config->token_file)
		r = token_read(&token, config->token_file, err);
	if (r < 0)
		return error_wrap(err, r, "--token-file");
	if (config->tls)
		r = tls_identity_read(&own, config->tls, err);
	if (r < 0)
		return error_wrap(err, r, "--tls");
	r = rpc_channel_create(out, rpc, config->target, &security, err);
	if (r == 0)
		r = token_use(*out, &token, err);
	explicit_bzero(&token, sizeof(token));
	if (r == 0 && config->tls)
		renew_begin(renew, loop, config->tls, &own, on_renewed, *out);
	return r;
}
