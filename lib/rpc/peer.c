/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/server.h"

#include <stdio.h>
#include <string.h>

/* "ipv6:[::1]:40312" is written "ipv6:%5B::1%5D:40312" by some versions. */
static size_t skip(const char *at, const char *plain, const char *escaped)
{
	size_t n = strlen(plain), m = strlen(escaped);

	if (strncmp(at, plain, n) == 0)
		return n;
	return strncasecmp(at, escaped, m) == 0 ? m : 0;
}

void rpc_host(const char *peer, char host[RPC_HOST_MAX])
{
	size_t n = 0;

	strcpy(host, "unix");
	if (strncmp(peer, "ipv4:", 5) == 0) {
		peer += 5;
		n = strcspn(peer, ":");
	} else if (strncmp(peer, "ipv6:", 5) == 0) {
		peer += 5;
		peer += skip(peer, "[", "%5B");
		while (peer[n] && !skip(peer + n, "]", "%5D") && peer[n] != '%')
			n++;
	}
	if (n > 0 && n < RPC_HOST_MAX)
		snprintf(host, RPC_HOST_MAX, "%.*s", (int)n, peer);
}
