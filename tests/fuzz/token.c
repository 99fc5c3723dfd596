/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as the header that carries a token: it is let in if it is the word
 * Bearer, a blank, and the token, and nothing else is
 */

#include "rpc/token.h"

#include "base/cleanup.h"
#include "tests/fuzz/fuzz.h"

#include <strings.h>

/* Nothing is sent. */
int rpc_channel_set_metadata(struct rpc_channel *channel, const char *key,
			     const char *value)
{
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char token[] = "0123456789abcdef";
	CLEANUP(free) char *header = fuzz_copy(data, size);
	bool right = size == 7 + sizeof(token) - 1 &&
		     strncasecmp(header, "Bearer ", 7) == 0 &&
		     memcmp(header + 7, token, sizeof(token) - 1) == 0;

	HOLD(token_is_in(token, header, size) == right);
	return 0;
}
