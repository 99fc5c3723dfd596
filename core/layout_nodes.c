/* SPDX-License-Identifier: Apache-2.0 */
#include "core/layout_nodes.h"

#include <stdlib.h>
#include <string.h>

enum { NO_NODE = -1 };

/* One choice of executors, as far as it has come. */
struct choice {
	const struct ledger *ledger;
	const struct layout_wish *wish;
	const int *order; /* of the ready members */
	int n;
	unsigned ranks;
	unsigned price; /* of a rank that is moved */
	int first;      /* member that runs rank 0, NO_MEMBER: none */

	int node[MEMBERS_MAX]; /* of each ready member */
	bool chosen[MEMBERS_MAX];
	unsigned load[MEMBERS_MAX];  /* of each node: room that is chosen */
	unsigned spare[MEMBERS_MAX]; /* and that is not */
	unsigned able[MEMBERS_MAX];  /* members that are chosen, and may not be:
				      * rank 0 stays */
	int n_nodes;
	unsigned room; /* that is chosen */
};

static unsigned room_of(const struct choice *c, int member)
{
	return layout_room(c->ledger, member, c->wish->per_member);
}

static void choose(struct choice *c, int member, bool chosen)
{
	unsigned room = room_of(c, member);
	int node = c->node[member];

	c->chosen[member] = chosen;
	c->load[node] += chosen ? room : -room;
	c->spare[node] += chosen ? -room : room;
	c->room += chosen ? room : -room;
	if (member != c->first)
		c->able[node] += chosen ? 1u : -1u;
}

/* ---- nodes ---- */

static int compare_nodes(const void *a, const void *b, void *user)
{
	const struct ledger *ledger = user;

	return strcmp(ledger->members[*(const int *)a].node,
		      ledger->members[*(const int *)b].node);
}

/* Numbers the nodes by the order of the members, so that the first node is
 * that of the first member. */
static void number_nodes(struct choice *c)
{
	int by_name[MEMBERS_MAX], same[MEMBERS_MAX], number[MEMBERS_MAX];

	memcpy(by_name, c->order, (size_t)c->n * sizeof(*by_name));
	qsort_r(by_name, (size_t)c->n, sizeof(*by_name), compare_nodes,
		(void *)c->ledger);
	for (int i = 0; i < c->n; i++) {
		bool again =
			i > 0 && compare_nodes(&by_name[i - 1], &by_name[i],
					       (void *)c->ledger) == 0;

		same[by_name[i]] = again ? same[by_name[i - 1]] : by_name[i];
		number[by_name[i]] = NO_NODE;
	}
	for (int i = 0; i < c->n; i++) {
		int member = c->order[i], *node = &number[same[member]];

		if (*node == NO_NODE)
			*node = c->n_nodes++;
		c->node[member] = *node;
		c->spare[*node] += room_of(c, member);
	}
}

/* Whether more, or less, of the node is chosen than of the other. */
static bool is_beyond(const struct choice *c, int node, int other, bool more)
{
	return other == NO_NODE || (more ? c->load[node] > c->load[other]
					 : c->load[node] < c->load[other]);
}

/* Likewise, and of nodes alike the last one, as executors with high numbers are
 * given back first. */
static bool is_first_to_give(const struct choice *c, int node, int other,
			     bool more)
{
	return !is_beyond(c, other == NO_NODE ? node : other, node, more);
}

/* ---- members of a node ---- */

/* The first of a node that is not chosen, and has room. */
static int next_of(const struct choice *c, int node)
{
	for (int i = 0; i < c->n; i++)
		if (c->node[c->order[i]] == node && !c->chosen[c->order[i]] &&
		    room_of(c, c->order[i]) > 0)
			return c->order[i];
	return NO_MEMBER;
}

/* The last of a node that is chosen, but not the one of rank 0. */
static int last_of(const struct choice *c, int node)
{
	for (int i = c->n - 1; i >= 0; i--)
		if (c->node[c->order[i]] == node && c->chosen[c->order[i]] &&
		    c->order[i] != c->first)
			return c->order[i];
	return NO_MEMBER;
}

/* ---- as many as the ranks need ---- */

/* Pack goes to a node that all remaining ranks fit on, the fullest such one,
 * or else to the one with most room; it begins where ranks are. */
static bool packs_better(const struct choice *c, int node, int than,
			 unsigned needed)
{
	bool fits = c->spare[node] >= needed, other;

	if (than == NO_NODE)
		return true;
	if (c->load[node] != c->load[than])
		return c->load[node] > c->load[than];
	other = c->spare[than] >= needed;
	if (fits != other)
		return fits;
	return fits ? c->spare[node] < c->spare[than]
		    : c->spare[node] > c->spare[than];
}

static int node_to_add(const struct choice *c)
{
	bool pack = c->wish->policy == LAYOUT_PACK;
	int best = NO_NODE;

	for (int node = 0; node < c->n_nodes; node++)
		if (c->spare[node] > 0 &&
		    (pack ? packs_better(c, node, best, c->ranks - c->room)
			  : is_beyond(c, node, best, false)))
			best = node;
	return best;
}

/* The last member, which the ranks do not need, of the node with the most room
 * chosen (spread) or the least (pack). */
static int member_to_drop(const struct choice *c)
{
	bool most = c->wish->policy == LAYOUT_SPREAD;
	int best = NO_NODE, member;

	for (int node = 0; node < c->n_nodes; node++)
		if (c->able[node] > 0 && is_first_to_give(c, node, best, most))
			best = node;
	if (best == NO_NODE)
		return NO_MEMBER;
	member = last_of(c, best);
	return c->room - room_of(c, member) >= c->ranks ? member : NO_MEMBER;
}

static bool choose_enough(struct choice *c)
{
	int member;

	while (c->room < c->ranks) {
		int node = node_to_add(c);

		if (node == NO_NODE)
			return false;
		choose(c, next_of(c, node), true);
	}
	while ((member = member_to_drop(c)) != NO_MEMBER)
		choose(c, member, false);
	return true;
}

/* ---- moves ---- */

/* One member leaves the fullest node for the emptiest one. */
static bool even_out(struct choice *c)
{
	int from = NO_NODE, to = NO_NODE, leaves, comes;
	unsigned moved;

	for (int node = 0; node < c->n_nodes; node++) {
		if (c->able[node] > 0 && is_first_to_give(c, node, from, true))
			from = node;
		if (c->spare[node] > 0 && is_beyond(c, node, to, false))
			to = node;
	}
	if (from == NO_NODE || to == NO_NODE)
		return false;
	leaves = last_of(c, from);
	comes = next_of(c, to);
	moved = room_of(c, leaves);
	if (room_of(c, comes) != moved ||
	    c->load[from] - moved <= c->load[to] ||
	    c->load[from] - moved - c->load[to] <= c->price * moved)
		return false;
	choose(c, leaves, false);
	choose(c, comes, true);
	return true;
}

/* The node with the fewest ranks, and none of them rank 0, that is left. */
static int node_to_leave(const struct choice *c)
{
	int best = NO_NODE;
	unsigned spare = 0;

	for (int node = 0; node < c->n_nodes; node++) {
		if (c->load[node] == 0)
			continue;
		spare += c->spare[node];
		if ((c->first == NO_MEMBER || c->node[c->first] != node) &&
		    is_first_to_give(c, node, best, false))
			best = node;
	}
	if (best == NO_NODE)
		return NO_NODE;
	spare -= c->spare[best];
	return c->room - c->load[best] + spare >= c->ranks &&
			       (uint64_t)c->load[best] * c->price <
				       c->room - c->load[best]
		       ? best
		       : NO_NODE;
}

static bool leave_node(struct choice *c)
{
	int node = node_to_leave(c), member;

	if (node == NO_NODE)
		return false;
	while ((member = last_of(c, node)) != NO_MEMBER)
		choose(c, member, false);
	return choose_enough(c);
}

/* ---- ranks ---- */

/* A rank stays where it was; the others take what room is left, in order.  The
 * places are in the order of their lowest ranks. */
static void lay_out(const struct choice *c, struct layout *out,
		    const struct layout *now)
{
	unsigned taken[MEMBERS_MAX] = {0};
	int of[LAYOUT_RANKS_MAX], at = 0, place[MEMBERS_MAX];

	for (unsigned rank = 0; rank < c->ranks; rank++) {
		int member = now ? layout_find(now, rank) : NO_MEMBER;
		bool stays = member != NO_MEMBER && c->chosen[member] &&
			     taken[member] < room_of(c, member);

		of[rank] = stays ? member : NO_MEMBER;
		if (stays)
			taken[member]++;
	}
	for (unsigned rank = 0; rank < c->ranks; rank++) {
		if (of[rank] != NO_MEMBER)
			continue;
		while (!c->chosen[c->order[at]] ||
		       taken[c->order[at]] == room_of(c, c->order[at]))
			at++;
		of[rank] = c->order[at];
		taken[of[rank]]++;
	}
	for (unsigned rank = 0; rank < c->ranks; rank++) {
		int member = of[rank];

		if (taken[member] > 0) {
			place[member] = out->n;
			out->places[out->n++] =
				(struct place){member, taken[member]};
			taken[member] = 0;
		}
		out->place_of[rank] = (unsigned short)place[member];
	}
	out->ranks = c->ranks;
}

bool layout_nodes(struct layout *out, const struct ledger *ledger,
		  const struct layout *now, unsigned ranks,
		  const struct layout_wish *wish, const int *order, int n)
{
	struct choice c = {.ledger = ledger,
			   .wish = wish,
			   .order = order,
			   .n = n,
			   .ranks = ranks,
			   .price = now ? wish->move_price : 0,
			   .first = now ? layout_find(now, 0) : NO_MEMBER};

	if (c.first != NO_MEMBER &&
	    ledger->members[c.first].state != MEMBER_READY)
		c.first = NO_MEMBER;
	number_nodes(&c);
	for (int i = 0; i < n; i++)
		if (now && layout_ranks(now, order[i]) > 0)
			choose(&c, order[i], true);
	if (!choose_enough(&c))
		return false;
	if (wish->policy == LAYOUT_PACK)
		while (leave_node(&c))
			;
	else
		while (even_out(&c))
			;
	lay_out(&c, out, now);
	return true;
}
