/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_GUARD_H
#define RPC_GUARD_H

/*
 * Which callers a program that listens lets in, by its command line: --listen,
 * --token-file, --tls and --unencrypted
 */

#include "rpc/token.h"
#include "tls/identity.h"

/* Reads what is named; NULL: nothing.  dns: the name that the certificate has
 * to serve.  -EPERM for what may not be read, never -EACCES. */
int guard_read(struct token *token, const char *token_file,
	       struct tls_identity *tls, const char *dir, const char *dns,
	       struct error *err);

/* listen: NULL is a unix socket.  -EACCES: the command line lacks what
 * restricts the callers of a port. */
int guard_check(const char *listen, bool encrypted, bool has_token,
		bool unencrypted, struct error *err);

#endif
