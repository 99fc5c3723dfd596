/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/limit.h"

#include "rpc/server.h"

#include <arpa/inet.h>
#include <string.h>

/* The first half of the address; IPv4 is put where no address of IPv6 is. */
static bool prefix_of(unsigned char prefix[8], const char *peer)
{
	unsigned char bytes[16];
	char host[RPC_HOST_MAX];

	rpc_host(peer, host);
	memset(prefix, 0, 8);
	if (inet_pton(AF_INET, host, bytes) == 1)
		memcpy(prefix + 4, bytes, 4);
	else if (inet_pton(AF_INET6, host, bytes) == 1)
		memcpy(prefix, bytes, 8);
	else
		return false;
	return true;
}

/* LIMIT_PEERS: it was not right, or long ago. */
static size_t find_right(const struct rpc_limit *limit, const char *peer)
{
	size_t i = 0;

	while (i < LIMIT_PEERS && strcmp(limit->right[i], peer) != 0)
		i++;
	return i;
}

void limit_trust(struct rpc_limit *limit, const char *peer)
{
	if (strlen(peer) >= LIMIT_PEER_MAX ||
	    find_right(limit, peer) < LIMIT_PEERS)
		return;
	strcpy(limit->right[limit->next++ % LIMIT_PEERS], peer);
}

bool limit_hears(const struct rpc_limit *limit, const char *peer, msec_t now)
{
	unsigned char prefix[8];

	if (!prefix_of(prefix, peer) || find_right(limit, peer) < LIMIT_PEERS)
		return true;
	for (size_t i = 0; i < LIMIT_HOSTS; i++)
		if (memcmp(limit->hosts[i].prefix, prefix, sizeof(prefix)) == 0)
			return limit->hosts[i].busy - now <=
			       (LIMIT_BURST - 1) * LIMIT_EACH;
	return true;
}

void limit_count(struct rpc_limit *limit, const char *peer, msec_t now)
{
	size_t right = find_right(limit, peer), at = 0;
	unsigned char prefix[8];

	if (right < LIMIT_PEERS)
		limit->right[right][0] = '\0';
	if (!prefix_of(prefix, peer))
		return;
	for (size_t i = 0; i < LIMIT_HOSTS; i++) {
		if (memcmp(limit->hosts[i].prefix, prefix, sizeof(prefix)) ==
		    0) {
			at = i;
			break;
		}
		if (limit->hosts[i].busy < limit->hosts[at].busy)
			at = i;
	}
	if (memcmp(limit->hosts[at].prefix, prefix, sizeof(prefix)) != 0) {
		memcpy(limit->hosts[at].prefix, prefix, sizeof(prefix));
		limit->hosts[at].busy = 0;
	}
	if (limit->hosts[at].busy < now)
		limit->hosts[at].busy = now;
	limit->hosts[at].busy += LIMIT_EACH;
}
