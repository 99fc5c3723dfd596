/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_MEMBER_H
#define CORE_MEMBER_H

/*
 * The ledger of executors: which have joined, were heard, are lost
 *
 * An executor is known by its name and, because a name may come back, by its
 * incarnation.  It joins (JobInit), is ready once it was probed, is heard with
 * every report, and is lost when it was not heard for too long, when its name
 * comes back with another incarnation, or when it says good-bye.  An index
 * names an executor until its entry is forgotten (member_forget): that of one
 * that is gone or lost, which nothing refers to any more, may be given to
 * another one. So the ledger bounds the executors of one time, not those of a
 * job's life.
 *
 *     joined -> ready -> draining -> leaving -> gone
 *        \________\__________\_________\____-> lost
 *
 * An executor whose host is drained says so: it gets no ranks any more,
 * keeps those it has for a while, and waits to be released.
 *
 * A polled executor holds no stream: it is heard when it calls, every few
 * seconds.  Its ranks are started, told to save and counted in another way, so
 * a job has executors of one kind: that of the first that joins.
 */

#include "base/time.h"
#include "core/topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MEMBERS_MAX = 4096,
	MEMBER_NAME_MAX = 64,
	MEMBER_TEXT_MAX = 128,
	NO_MEMBER = -1
};

enum member_state {
	MEMBER_JOINED,   /* registered, not probed */
	MEMBER_READY,    /* may run ranks */
	MEMBER_DRAINING, /* will leave; gets no others than it has */
	MEMBER_LEAVING,  /* released; gets no ranks any more */
	MEMBER_GONE,     /* left as it was told to */
	MEMBER_LOST,
};

struct member {
	char name[MEMBER_NAME_MAX];
	uint64_t incarnation;
	char address[MEMBER_TEXT_MAX];
	char machine[MEMBER_TEXT_MAX]; /* the same: they share a loopback */
	char node[MEMBER_TEXT_MAX];    /* the same: they share processors, and a
					* failure of these */
	unsigned slots, cores, node_cores;
	bool fast_network;
	bool polled;
	uint64_t claim; /* that it and its ranks hold; 0: none */
	msec_t silence; /* after which it is lost */
	enum member_state state;
	msec_t joined, heard;
	/* The owner's to set: */
	unsigned ranks;  /* of the start that runs */
	bool had_ranks;  /* of any start */
	unsigned shares; /* that its ranks need, 1000 of a processor; 0: they
			  * have not said */
	const struct topology *topology; /* borrowed; NULL: not known */
};

struct ledger {
	struct member members[MEMBERS_MAX];
	int n;
};

/* What an executor says of itself; borrowed.  Without a node, its machine is
 * one; that has its cores at least. */
struct introduction {
	const char *name, *address, *machine, *node;
	uint64_t incarnation, claim;
	unsigned slots, cores, node_cores;
	bool fast_network;
	bool polled;
	bool was_served; /* it says that it has joined this ledger before */
	const struct topology *topology; /* NULL: not known */
	msec_t silence;
};

enum join_result {
	JOIN_NEW,
	JOIN_AGAIN,    /* the same incarnation: nothing changed */
	JOIN_REPLACED, /* *lost is the entry of the former incarnation */
	JOIN_STALE,    /* a former incarnation, or one that is lost or gone;
			* whether its entry is there or was forgotten */
	JOIN_BAD_NAME, /* not [A-Za-z0-9._-]{1,63}, or dots alone */
	JOIN_BAD_SLOTS,
	JOIN_MIXED, /* the first one was polled and this one is not, or so */
	JOIN_FULL,  /* until an entry is forgotten */
};

/* *index: the entry, or NO_MEMBER; *lost: NO_MEMBER unless JOIN_REPLACED. */
enum join_result member_join(struct ledger *ledger,
			     const struct introduction *executor, msec_t now,
			     int *index, int *lost);

/* The entry of an executor that is gone or lost is free. */
void member_forget(struct ledger *ledger, int index);

/* The living entry of that name, or NO_MEMBER. */
int member_find(const struct ledger *ledger, const char *name);

/* The next one that was silent for too long, or NO_MEMBER. */
int member_find_silent(const struct ledger *ledger, msec_t now);

/* The executors of this job are polled; false before the first has joined. */
bool member_all_polled(const struct ledger *ledger);

bool member_is_alive(const struct member *member);

/* Ranks that the ready members can run, at most per_member on each. */
unsigned member_slots_ready(const struct ledger *ledger, unsigned per_member);

/* The same once those that have joined are ready. */
unsigned member_slots_soon(const struct ledger *ledger, unsigned per_member);

const char *member_state_name(enum member_state state);

#endif
