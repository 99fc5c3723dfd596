/* SPDX-License-Identifier: Apache-2.0 */
#include "core/place_sockets.h"

#include <string.h>

struct view {
	enum place_profile profile;
	struct place_socket *sockets;
	unsigned n, per_node;
};

static unsigned free_on_node(const struct view *view, unsigned socket)
{
	unsigned first = socket - socket % view->per_node, cores = 0;

	for (unsigned i = 0; i < view->per_node; i++)
		cores += view->sockets[first + i].free;
	return cores;
}

static void add_rank(const struct view *view, unsigned socket, unsigned *on)
{
	view->sockets[socket].free--;
	view->sockets[socket].memory += view->profile == PLACE_MEMORY;
	on[socket]++;
}

/* The socket of from..to-1 with most free cores, which there are. */
static unsigned freest(const struct view *view, unsigned from, unsigned to)
{
	unsigned best = from;

	for (unsigned i = from + 1; i < to; i++)
		if (view->sockets[i].free > view->sockets[best].free)
			best = i;
	return best;
}

/* ---- network: all ranks on one node, even over its sockets ---- */

/* Of the nodes that have room the fullest one, so that others keep theirs. */
static bool place_on_node(const struct view *view, unsigned ranks, unsigned *on)
{
	unsigned best = view->n, best_free = 0;

	for (unsigned i = 0; i < view->n; i += view->per_node) {
		unsigned cores = free_on_node(view, i);

		if (cores >= ranks && (best == view->n || cores < best_free)) {
			best = i;
			best_free = cores;
		}
	}
	if (best == view->n)
		return false;
	while (ranks-- > 0)
		add_rank(view, freest(view, best, best + view->per_node), on);
	return true;
}

/* ---- the others: even over all sockets ---- */

/* Ranks that memory bounds go where there are fewest of them, so that its load
 * is even.  Others go to the freest socket, so that each keeps cores for ranks
 * that memory bounds. */
static bool is_better(const struct view *view, const struct place_socket *a,
		      const struct place_socket *b)
{
	if (view->profile == PLACE_MEMORY && a->memory != b->memory)
		return a->memory < b->memory;
	return a->free > b->free;
}

/* Some socket has a free core. */
static unsigned best_socket(const struct view *view)
{
	unsigned best = view->n;

	for (unsigned i = 0; i < view->n; i++)
		if (view->sockets[i].free > 0 &&
		    (best == view->n ||
		     is_better(view, &view->sockets[i], &view->sockets[best])))
			best = i;
	return best;
}

bool place_on_sockets(enum place_profile profile, unsigned ranks,
		      struct place_socket *sockets, unsigned n,
		      unsigned per_node, unsigned *on)
{
	const struct view view = {profile, sockets, n, per_node};
	unsigned cores = 0;

	memset(on, 0, n * sizeof(*on));
	if (profile == PLACE_NETWORK)
		return place_on_node(&view, ranks, on);
	for (unsigned i = 0; i < n; i++)
		cores += sockets[i].free;
	if (cores < ranks)
		return false;
	while (ranks-- > 0)
		add_rank(&view, best_socket(&view), on);
	return true;
}

void place_off_sockets(enum place_profile profile, struct place_socket *sockets,
		       unsigned n, const unsigned *on)
{
	for (unsigned i = 0; i < n; i++) {
		sockets[i].free += on[i];
		if (profile == PLACE_MEMORY)
			sockets[i].memory -= on[i];
	}
}
