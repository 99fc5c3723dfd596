/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_PLACE_SOCKETS_H
#define CORE_PLACE_SOCKETS_H

/*
 * Place, without workers: ranks go to sockets one by one
 *
 * Bellows' own rule, where a rank is a container of its own and has a core.  It
 * knows of a program what bounds its speed, and nothing else: neither how long
 * it runs nor what will be submitted.
 */

#include "core/place.h"

struct place_socket {
	unsigned free;   /* cores */
	unsigned memory; /* ranks there of programs that memory bounds */
};

/* sockets: node by node, each of per_node sockets.  on: of as many elements,
 * the ranks of the job on each socket.  False, and nothing is changed, if not
 * all ranks can be placed. */
bool place_on_sockets(enum place_profile profile, unsigned ranks,
		      struct place_socket *sockets, unsigned n,
		      unsigned per_node, unsigned *on);

/* Gives back what they hold. */
void place_off_sockets(enum place_profile profile, struct place_socket *sockets,
		       unsigned n, const unsigned *on);

#endif
