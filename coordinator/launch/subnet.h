/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_LAUNCH_SUBNET_H
#define COORDINATOR_LAUNCH_SUBNET_H

/*
 * The network that some addresses have in common
 *
 * A host has more networks than the one that the others reach it by: of
 * containers, of virtual machines, with the same addresses on every host.  Open
 * MPI takes them all for good and hangs in the wrong one.  Which it is to take
 * it can be told by a subnet, in IPv4 only; for IPv6 there is the family.
 */

#include <stdbool.h>
#include <stdint.h>

enum { SUBNET_MAX = 32 };

/* Begins as {0}. */
struct subnet {
	uint32_t base;
	unsigned bits;   /* of base that are common */
	unsigned v4, v6; /* addresses so far */
	bool unknown;    /* one was no address */
};

/* address: as 10.0.0.7 or fd00::7, or one to listen on: 10.0.0.7:7000,
 * [fd00::7]:7000.  Anything else, 0.0.0.0 or :: is unknown. */
void subnet_add(struct subnet *subnet, const char *address);

/* "10.0.0.0/28": the smallest that all are in; false if one is not IPv4, or if
 * what they have in common says nothing. */
bool subnet_text(const struct subnet *subnet, char text[SUBNET_MAX]);

/* All are IPv6. */
bool subnet_is_v6(const struct subnet *subnet);

#endif
