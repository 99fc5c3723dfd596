/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/guard.h"

#include <errno.h>
#include <string.h>

int guard_read(struct token *token, const char *token_file,
	       struct tls_identity *tls, const char *dir, const char *dns,
	       struct error *err)
{
	int r = 0;

	if (token_file)
		r = token_read(token, token_file, err);
	if (r < 0)
		return error_wrap(err, r == -EACCES ? -EPERM : r,
				  "--token-file");
	if (!dir)
		return 0;
	r = tls_identity_read(tls, dir, err);
	if (r == 0)
		r = tls_identity_serves(tls, dns, dir, err);
	return r < 0 ? error_wrap(err, r == -EACCES ? -EPERM : r, "--tls") : 0;
}

int guard_check(const char *listen, bool encrypted, bool has_token,
		bool unencrypted, struct error *err)
{
	if (!listen || strncmp(listen, "unix:", 5) == 0 || encrypted ||
	    unencrypted)
		return 0;
	if (!rpc_is_local(listen))
		return error_set(err, -EACCES,
				 "--listen %s is reached from other machines: "
				 "--tls DIR encrypts it and identifies the "
				 "callers ('bellows keys' makes DIR), "
				 "--unencrypted does without",
				 listen);
	if (has_token)
		return 0;
	return error_set(
		err, -EACCES,
		"--listen %s is open to everybody on this machine: "
		"--token-file FILE or --tls DIR restricts the callers, "
		"--unencrypted does without",
		listen);
}
