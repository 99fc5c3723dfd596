/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_LAYOUT_NODES_H
#define CORE_LAYOUT_NODES_H

/*
 * The policies pack and spread of core/layout.h: executors chosen by node
 */

#include "core/layout.h"

/* order: the ready members, those that run ranks first, then by name. */
bool layout_nodes(struct layout *out, const struct ledger *ledger,
		  const struct layout *now, unsigned ranks,
		  const struct layout_wish *wish, const int *order, int n);

/* Room of a member for ranks. */
static inline unsigned layout_room(const struct ledger *ledger, int member,
				   unsigned per_member)
{
	unsigned slots = ledger->members[member].slots;

	return slots < per_member ? slots : per_member;
}

#endif
