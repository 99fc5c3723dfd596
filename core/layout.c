/* SPDX-License-Identifier: Apache-2.0 */
#include "core/layout.h"

#include "core/layout_nodes.h"

#include <stdlib.h>
#include <string.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* ---- what is asked of a layout ---- */

unsigned layout_ranks(const struct layout *layout, int member)
{
	for (int i = 0; i < layout->n; i++)
		if (layout->places[i].member == member)
			return layout->places[i].ranks;
	return 0;
}

int layout_find(const struct layout *layout, unsigned rank)
{
	return rank < layout->ranks
		       ? layout->places[layout->place_of[rank]].member
		       : NO_MEMBER;
}

bool layout_is_in_order(const struct layout *layout)
{
	for (unsigned rank = 1; rank < layout->ranks; rank++)
		if (layout->place_of[rank] < layout->place_of[rank - 1])
			return false;
	return true;
}

unsigned layout_moves(const struct layout *from, const struct layout *to)
{
	unsigned moves = 0;

	for (unsigned rank = 0; rank < MIN(from->ranks, to->ranks); rank++)
		moves += layout_find(from, rank) != layout_find(to, rank);
	return moves;
}

/* ---- the order of the members ---- */

static size_t digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* Numbers within a name count as numbers. */
static int compare_names(const char *a, const char *b)
{
	while (*a && *b) {
		size_t n = digits(a), m = digits(b);

		if (n > 0 && m > 0) {
			int order =
				n != m ? (n > m) - (n < m) : strncmp(a, b, n);

			if (order != 0)
				return order;
			a += n;
			b += m;
		} else if (*a != *b) {
			break;
		} else {
			a++;
			b++;
		}
	}
	return strcmp(a, b);
}

static int compare(const void *a, const void *b, void *user)
{
	const struct ledger *ledger = user;
	int i = *(const int *)a, j = *(const int *)b;
	int order =
		compare_names(ledger->members[i].name, ledger->members[j].name);

	return order != 0 ? order : (i > j) - (i < j);
}

/* The ready ones: those that run ranks now, then the others by name. */
static int order_members(int order[MEMBERS_MAX], const struct ledger *ledger,
			 const struct layout *now)
{
	bool listed[MEMBERS_MAX] = {false};
	int n = 0, running;

	for (int i = 0; now && i < now->n; i++) {
		int member = now->places[i].member;

		listed[member] = true;
		if (ledger->members[member].state == MEMBER_READY)
			order[n++] = member;
	}
	running = n;
	for (int i = 0; i < ledger->n; i++)
		if (!listed[i] && ledger->members[i].state == MEMBER_READY)
			order[n++] = i;
	qsort_r(order + running, (size_t)(n - running), sizeof(*order), compare,
		(void *)ledger);
	return n;
}

/* ---- fill ---- */

static bool fill(struct layout *out, const struct ledger *ledger,
		 unsigned ranks, unsigned per_member, const int *order, int n)
{
	for (int i = 0; i < n && out->ranks < ranks; i++) {
		unsigned here = MIN(layout_room(ledger, order[i], per_member),
				    ranks - out->ranks);

		if (here == 0)
			continue;
		out->places[out->n] =
			(struct place){.member = order[i], .ranks = here};
		for (unsigned r = 0; r < here; r++)
			out->place_of[out->ranks++] = (unsigned short)out->n;
		out->n++;
	}
	return out->ranks == ranks;
}

bool layout_make(struct layout *out, const struct ledger *ledger,
		 const struct layout *now, unsigned ranks,
		 const struct layout_wish *wish)
{
	int order[MEMBERS_MAX], n = order_members(order, ledger, now);
	bool made = false;

	out->n = 0;
	out->ranks = 0;
	if (ranks > LAYOUT_RANKS_MAX)
		return false;
	switch (wish->policy) {
	case LAYOUT_FILL:
		made = fill(out, ledger, ranks, wish->per_member, order, n);
		break;
	case LAYOUT_PACK:
	case LAYOUT_SPREAD:
		made = layout_nodes(out, ledger, now, ranks, wish, order, n);
		break;
	}
	if (made)
		return true;
	out->n = 0;
	out->ranks = 0;
	return false;
}
