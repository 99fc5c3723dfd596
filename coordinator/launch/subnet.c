/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/subnet.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

/* Fewer bits are common to strangers too; 32 mean none at all to Open MPI. */
enum { COMMON_LEAST = 8, COMMON_MOST = 31 };

/* Copies address without brackets and port. */
static bool strip(char *out, size_t n, const char *address)
{
	const char *colon = strchr(address, ':');
	bool brackets = address[0] == '[';
	size_t length = strlen(address);

	if (brackets)
		length = strcspn(++address, "]");
	else if (colon && colon == strrchr(address, ':'))
		length = (size_t)(colon - address);
	if (length >= n)
		return false;
	memcpy(out, address, length);
	out[length] = '\0';
	return true;
}

static void add_v4(struct subnet *subnet, uint32_t address)
{
	uint32_t other = subnet->base ^ address;

	if (subnet->v4++ == 0) {
		subnet->base = address;
		subnet->bits = COMMON_MOST;
	} else if (other && (unsigned)__builtin_clz(other) < subnet->bits) {
		subnet->bits = (unsigned)__builtin_clz(other);
	}
}

void subnet_add(struct subnet *subnet, const char *address)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr v6;
	struct in_addr v4;

	if (!strip(text, sizeof(text), address))
		subnet->unknown = true;
	else if (inet_pton(AF_INET, text, &v4) == 1 && v4.s_addr != 0)
		add_v4(subnet, ntohl(v4.s_addr));
	else if (inet_pton(AF_INET6, text, &v6) == 1 &&
		 !IN6_IS_ADDR_UNSPECIFIED(&v6))
		subnet->v6++;
	else
		subnet->unknown = true;
}

bool subnet_text(const struct subnet *subnet, char text[SUBNET_MAX])
{
	struct in_addr base;
	char digits[INET_ADDRSTRLEN];

	if (subnet->unknown || subnet->v6 > 0 || subnet->v4 == 0 ||
	    subnet->bits < COMMON_LEAST)
		return false;
	base.s_addr = htonl(subnet->base & UINT32_MAX << (32 - subnet->bits));
	inet_ntop(AF_INET, &base, digits, sizeof(digits));
	snprintf(text, SUBNET_MAX, "%s/%u", digits, subnet->bits);
	return true;
}

bool subnet_is_v6(const struct subnet *subnet)
{
	return !subnet->unknown && subnet->v6 > 0 && subnet->v4 == 0;
}
