/* SPDX-License-Identifier: Apache-2.0 */
#include "core/member.h"

#include <stdio.h>
#include <string.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))

enum { SLOTS_MAX = 4096 };

static const char *const state_names[] = {
	[MEMBER_JOINED] = "joined",     [MEMBER_READY] = "ready",
	[MEMBER_DRAINING] = "draining", [MEMBER_LEAVING] = "leaving",
	[MEMBER_GONE] = "gone",         [MEMBER_LOST] = "lost",
};

static bool is_name(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"0123456789._-");

	/* "." and ".." are names of folders */
	return n > strspn(name, ".") && n < MEMBER_NAME_MAX && name[n] == '\0';
}

bool member_is_alive(const struct member *member)
{
	return member->state != MEMBER_GONE && member->state != MEMBER_LOST;
}

int member_find(const struct ledger *ledger, const char *name)
{
	for (int i = 0; i < ledger->n; i++)
		if (member_is_alive(&ledger->members[i]) &&
		    strcmp(ledger->members[i].name, name) == 0)
			return i;
	return NO_MEMBER;
}

static int find_incarnation(const struct ledger *ledger,
			    const struct introduction *executor)
{
	for (int i = 0; i < ledger->n; i++)
		if (ledger->members[i].incarnation == executor->incarnation &&
		    strcmp(ledger->members[i].name, executor->name) == 0)
			return i;
	return NO_MEMBER;
}

/* An entry that was forgotten has no name. */
static int find_free(const struct ledger *ledger)
{
	if (ledger->n < MEMBERS_MAX)
		return ledger->n;
	for (int i = 0; i < ledger->n; i++)
		if (ledger->members[i].name[0] == '\0')
			return i;
	return NO_MEMBER;
}

static void enroll(struct member *member, const struct introduction *executor,
		   msec_t now)
{
	bool has_node = executor->node && *executor->node;

	*member = (struct member){
		.incarnation = executor->incarnation,
		.claim = executor->claim,
		.slots = executor->slots,
		.cores = executor->cores,
		.node_cores = executor->node_cores > executor->cores
				      ? executor->node_cores
				      : executor->cores,
		.fast_network = executor->fast_network,
		.polled = executor->polled,
		.silence = executor->silence,
		.joined = now,
		.heard = now,
	};
	snprintf(member->name, sizeof(member->name), "%s", executor->name);
	snprintf(member->address, sizeof(member->address), "%s",
		 executor->address);
	snprintf(member->machine, sizeof(member->machine), "%s",
		 executor->machine);
	snprintf(member->node, sizeof(member->node), "%s",
		 has_node ? executor->node : executor->machine);
}

enum join_result member_join(struct ledger *ledger,
			     const struct introduction *executor, msec_t now,
			     int *index, int *lost)
{
	*index = *lost = NO_MEMBER;
	if (!is_name(executor->name))
		return JOIN_BAD_NAME;
	if (executor->slots == 0 || executor->slots > SLOTS_MAX)
		return JOIN_BAD_SLOTS;
	if (ledger->n > 0 && executor->polled != ledger->members[0].polled)
		return JOIN_MIXED;

	*index = find_incarnation(ledger, executor);
	if (*index != NO_MEMBER) {
		struct member *known = &ledger->members[*index];

		if (!member_is_alive(known))
			return JOIN_STALE;
		known->heard = now;
		return JOIN_AGAIN;
	}

	if (executor->was_served)
		return JOIN_STALE;
	*index = find_free(ledger);
	if (*index == NO_MEMBER)
		return JOIN_FULL;
	*lost = member_find(ledger, executor->name);
	if (*index == ledger->n)
		ledger->n++;
	enroll(&ledger->members[*index], executor, now);
	return *lost == NO_MEMBER ? JOIN_NEW : JOIN_REPLACED;
}

void member_forget(struct ledger *ledger, int index)
{
	struct member *m = &ledger->members[index];

	/* member_all_polled() looks at an entry that may be free */
	*m = (struct member){.polled = m->polled, .state = MEMBER_GONE};
}

int member_find_silent(const struct ledger *ledger, msec_t now)
{
	for (int i = 0; i < ledger->n; i++) {
		const struct member *m = &ledger->members[i];

		if (member_is_alive(m) && m->heard + m->silence < now)
			return i;
	}
	return NO_MEMBER;
}

bool member_all_polled(const struct ledger *ledger)
{
	return ledger->n > 0 && ledger->members[0].polled;
}

static unsigned slots_of(const struct ledger *ledger, enum member_state state,
			 unsigned per_member)
{
	unsigned slots = 0;

	for (int i = 0; i < ledger->n; i++)
		if (ledger->members[i].state == state)
			slots += MIN(ledger->members[i].slots, per_member);
	return slots;
}

unsigned member_slots_ready(const struct ledger *ledger, unsigned per_member)
{
	return slots_of(ledger, MEMBER_READY, per_member);
}

unsigned member_slots_soon(const struct ledger *ledger, unsigned per_member)
{
	return slots_of(ledger, MEMBER_READY, per_member) +
	       slots_of(ledger, MEMBER_JOINED, per_member);
}

const char *member_state_name(enum member_state state)
{
	return state_names[state];
}
