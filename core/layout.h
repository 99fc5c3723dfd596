/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_LAYOUT_H
#define CORE_LAYOUT_H

/*
 * Layout: which executor runs which ranks
 *
 * Ranks fill the executors one after the other.  Executors that run ranks now
 * come first and in their order, then the others by name, w-9 before w-10: so
 * rank 0 stays where it is, a shrink leaves the last ones free, and a grow
 * moves no rank.  A provider that counts its executors can give back the
 * highest only; these are the last ones, as long as none was lost.
 */

#include "core/member.h"

struct place {
	int member;            /* index in the ledger */
	unsigned first, ranks; /* ranks first .. first + ranks - 1 */
};

struct layout {
	struct place places[MEMBERS_MAX];
	int n;
	unsigned ranks;
};

/* Lays ranks out on ready members, at most per_member on each.  now: the layout
 * that runs, or NULL.  False, and out is empty, if they cannot hold them. */
bool layout_make(struct layout *out, const struct ledger *ledger,
		 const struct layout *now, unsigned ranks, unsigned per_member);

/* The member that runs a rank, NO_MEMBER if none does. */
int layout_find(const struct layout *layout, unsigned rank);

/* Ranks of a member in it; 0 if it is not part of it. */
unsigned layout_ranks(const struct layout *layout, int member);

#endif
