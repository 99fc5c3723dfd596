/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_CONNECT_H
#define RPC_CONNECT_H

/*
 * The channel of a program that serves a job: with its token and certificate,
 * and with the certificates that come later
 */

#include "rpc/client.h"
#include "rpc/renew.h"

struct connect_config {
	const char *target;
	const char *peer;       /* as of struct rpc_security */
	const char *token_file; /* NULL: none; "-": on standard input, */
	const char *tls;        /* where it comes before the certificate */
	bool unencrypted;       /* to another machine too */
};

/* Borrows what config has until renew_end(), which comes before the channel is
 * destroyed; renew is zeroed before.  A renewal is logged.  -ENOKEY: a
 * certificate is needed, and there is neither that nor unencrypted. */
int connect_open(struct rpc_channel **out, struct renew *renew, struct rpc *rpc,
		 struct loop *loop, const struct connect_config *config,
		 struct error *err);

#endif
