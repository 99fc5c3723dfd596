/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_LAYOUT_H
#define CORE_LAYOUT_H

/*
 * Layout: which executor runs which ranks
 *
 * A job has as many executors as its ranks need.  Which of those that are
 * ready, and on which nodes, is a policy:
 *
 *   fill    one after the other.  Executors that run ranks now come first and
 *           in their order, then the others by name, w-9 before w-10: so rank
 *           0 stays where it is, a shrink leaves the last ones free, and a
 *           grow moves no rank.  A provider that counts its executors can give
 *           back the highest only; these are the last ones, as long as none
 *           was lost.
 *   pack    on as few nodes as can be, for a program bound by the network.
 *   spread  evenly on all nodes, for one bound by processors or memory.
 *
 * Under pack and spread a rank stays where it is unless the layout becomes
 * better by more than its move costs; rank 0 stays in any case.
 *
 * The paper: "Fine-Grained Scheduling for Containerized HPC Workloads in
 * Kubernetes Clusters", section IV-A: one worker for a network-intensive job,
 * workers on all nodes for others.  That ranks stay is ours.
 */

#include "core/member.h"

enum { LAYOUT_RANKS_MAX = 4096 };

enum layout_policy { LAYOUT_FILL, LAYOUT_PACK, LAYOUT_SPREAD };

struct layout_wish {
	enum layout_policy policy;
	unsigned per_member; /* ranks on one executor, at most */
	/* Of pack and spread: what a rank that is moved costs.  An executor
	 * changes its node if the ranks that its node has more than the other
	 * one, less its own, are more than that many for each of its ranks.  A
	 * node is left if the ranks of the other nodes are more. */
	unsigned move_price;
};

struct place {
	int member; /* index in the ledger */
	unsigned ranks;
};

struct layout {
	struct place places[MEMBERS_MAX];
	int n;
	unsigned ranks;
	unsigned short place_of[LAYOUT_RANKS_MAX]; /* index in places */
};

/* Lays ranks out on ready members.  now: the layout that runs, or NULL.  False,
 * and out is empty, if they cannot hold them. */
bool layout_make(struct layout *out, const struct ledger *ledger,
		 const struct layout *now, unsigned ranks,
		 const struct layout_wish *wish);

/* The member that runs a rank, NO_MEMBER if none does. */
int layout_find(const struct layout *layout, unsigned rank);

/* Ranks of a member in it; 0 if it is not part of it. */
unsigned layout_ranks(const struct layout *layout, int member);

/* Whether ranks fill the places one after the other. */
bool layout_is_in_order(const struct layout *layout);

/* Ranks that both layouts have, and on different members. */
unsigned layout_moves(const struct layout *from, const struct layout *to);

#endif
