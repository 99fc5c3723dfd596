/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_TOKEN_H
#define RPC_TOKEN_H

/*
 * A token: a program that can read its file may call
 *
 * It goes with each call as `authorization: Bearer TOKEN`.  Where connections
 * are not encrypted it keeps out programs that can connect, but not one that
 * can read the network.
 */

#include "rpc/client.h"

enum { TOKEN_MAX = 256, TOKEN_MIN = 16 };

struct token {
	char text[TOKEN_MAX]; /* TOKEN_MIN bytes at least; "": none */
};

/* 256 bits of chance, in hexadecimal. */
int token_make(struct token *token, struct error *err);

/* Reads the one line of a file that is private (base/secret.h); refuses
 * anything else with a sentence.  "-": the first line of standard input, waited
 * for 10 s at the most after each part of it. */
int token_read(struct token *token, const char *path, struct error *err);

/* Calls of this channel have it from now on; "" changes nothing. */
int token_use(struct rpc_channel *channel, const struct token *token,
	      struct error *err);

/* Whether a header `authorization` is that of token, in a time that does not
 * depend on where the two differ. */
bool token_is_in(const char *token, const char *header, size_t n);

#endif
