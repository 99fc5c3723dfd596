/* SPDX-License-Identifier: Apache-2.0 */
#include "core/place.h"

#include <stdlib.h>
#include <string.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* ---- Algorithm 1 ---- */

struct place_grain place_cut(enum place_granularity granularity,
			     enum place_profile profile, unsigned ranks,
			     unsigned nodes, unsigned workers)
{
	unsigned spread = MIN(nodes, ranks);

	switch (granularity) {
	case PLACE_AS_GIVEN:
		return (struct place_grain){1, MIN(workers, ranks), 1};
	case PLACE_SCALE:
	case PLACE_GRANULARITY:
		break;
	}
	switch (profile) {
	case PLACE_NETWORK:
		return (struct place_grain){1, 1, 1};
	case PLACE_CPU:
	case PLACE_MEMORY:
		break;
	}
	return (struct place_grain){
		spread, granularity == PLACE_SCALE ? spread : ranks, spread};
}

/* ---- requests ---- */

static bool fits(const struct place_request *request,
		 const struct place_request *free)
{
	return request->millicores <= free->millicores &&
	       request->memory <= free->memory;
}

static void add(struct place_request *sum, const struct place_request *request)
{
	sum->millicores += request->millicores;
	sum->memory += request->memory;
}

static struct place_request difference(const struct place_request *a,
				       const struct place_request *b)
{
	return (struct place_request){a->millicores - b->millicores,
				      a->memory - b->memory};
}

static void bind(struct place_worker *worker, struct place_node *nodes,
		 int node)
{
	worker->node = node;
	nodes[node].free = difference(&nodes[node].free, &worker->request);
}

void place_release(struct place_worker *workers, unsigned n,
		   struct place_node *nodes)
{
	for (unsigned i = 0; i < n; i++) {
		if (workers[i].running || workers[i].node == PLACE_UNBOUND)
			continue;
		add(&nodes[workers[i].node].free, &workers[i].request);
		workers[i].node = PLACE_UNBOUND;
	}
}

/* ---- Algorithm 2 ---- */

void place_share_out(struct place_worker *workers, unsigned n, unsigned ranks,
		     const struct place_request *rank)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned here = ranks / n + (i < ranks % n);

		workers[i] = (struct place_worker){
			.ranks = here,
			.request = {rank->millicores * here,
				    rank->memory * here},
			.node = PLACE_UNBOUND,
		};
	}
}

/* ---- Algorithm 3, step 1 ---- */

static unsigned first_group(const uint64_t *millicores, unsigned groups,
			    enum place_group_order order)
{
	unsigned first = 0;

	for (unsigned g = 1; g < groups; g++)
		if (order == PLACE_ASCENDING
			    ? millicores[g] < millicores[first]
			    : millicores[g] > millicores[first])
			first = g;
	return first;
}

/* The one before workers[i] that runs on the same node. */
static const struct place_worker *neighbour(const struct place_worker *workers,
					    unsigned i)
{
	for (unsigned j = 0; j < i; j++)
		if (workers[j].running && workers[j].node == workers[i].node)
			return &workers[j];
	return NULL;
}

void place_group(struct place_worker *workers, unsigned n, unsigned groups,
		 enum place_group_order order, uint64_t *millicores)
{
	memset(millicores, 0, groups * sizeof(*millicores));
	for (unsigned i = 0; i < n; i++) {
		const struct place_worker *other;

		if (!workers[i].running)
			continue;
		other = neighbour(workers, i);
		workers[i].group =
			other ? other->group
			      : first_group(millicores, groups, order);
		millicores[workers[i].group] += workers[i].request.millicores;
	}
	for (unsigned i = 0; i < n; i++) {
		if (workers[i].running)
			continue;
		workers[i].group = first_group(millicores, groups, order);
		millicores[workers[i].group] += workers[i].request.millicores;
	}
}

/* ---- Algorithm 4 ---- */

int place_score(unsigned bound, unsigned others, unsigned fitting)
{
	return (int)bound - (int)others + (int)fitting;
}

/* ---- Algorithm 3, step 2 ---- */

struct binding {
	struct place_worker *workers;
	struct place_node *nodes;
	unsigned n_nodes;
	struct place_count *counts;
	const unsigned *order;      /* of the group's workers to be placed */
	unsigned n;                 /* of these */
	struct place_request *sums; /* of those before each of them, and all */
};

static int compare_order(const void *a, const void *b, void *user)
{
	const struct place_worker *workers = user;
	unsigned i = *(const unsigned *)a, j = *(const unsigned *)b;
	const struct place_worker *x = &workers[i], *y = &workers[j];

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->running != y->running)
		return x->running ? -1 : 1;
	return (i > j) - (i < j);
}

/* How many of the group's workers, from number at on, fit together. */
static unsigned fitting(const struct binding *b, unsigned node, unsigned at)
{
	struct place_count *count = &b->counts[node];

	if (count->fit < at)
		count->fit = at;
	while (count->fit < b->n) {
		struct place_request sum =
			difference(&b->sums[count->fit + 1], &b->sums[at]);

		if (!fits(&sum, &b->nodes[node].free))
			break;
		count->fit++;
	}
	return count->fit - at;
}

static int best_node(const struct binding *b, unsigned at)
{
	int best = PLACE_UNBOUND, best_score = 0;

	for (unsigned j = 0; j < b->n_nodes; j++) {
		const struct place_count *count = &b->counts[j];
		unsigned fit = fitting(b, j, at);
		int score = place_score(
			count->bound, count->groups - (count->bound > 0), fit);
		const struct place_count *other;

		if (fit == 0 || (best >= 0 && score < best_score))
			continue;
		other = best >= 0 ? &b->counts[best] : NULL;
		if (!other || score > best_score ||
		    count->bound > other->bound ||
		    (count->bound == other->bound &&
		     b->nodes[j].free.millicores >
			     b->nodes[best].free.millicores)) {
			best = (int)j;
			best_score = score;
		}
	}
	return best;
}

static bool bind_group(struct binding *b)
{
	b->sums[0] = (struct place_request){0};
	for (unsigned i = 0; i < b->n; i++) {
		b->sums[i + 1] = b->sums[i];
		add(&b->sums[i + 1], &b->workers[b->order[i]].request);
	}
	for (unsigned i = 0; i < b->n; i++) {
		struct place_worker *worker = &b->workers[b->order[i]];
		int node = best_node(b, i);

		if (node == PLACE_UNBOUND)
			return false;
		bind(worker, b->nodes, node);
		if (b->counts[node].bound++ == 0)
			b->counts[node].groups++;
	}
	return true;
}

/* Of how many groups the workers are that run on each node. */
static void count_running(const struct place_worker *workers, unsigned n,
			  const unsigned *order, struct place_count *counts)
{
	for (unsigned i = 0; i < n; i++) {
		const struct place_worker *worker = &workers[order[i]];
		struct place_count *count;

		if (!worker->running)
			continue;
		count = &counts[worker->node];
		if (count->last != worker->group + 1)
			count->groups++;
		count->last = worker->group + 1;
	}
}

/* Begins with a group, which is in order[from] and after it; returns the index
 * behind it. */
static unsigned begin_group(struct binding *b, const unsigned *order,
			    unsigned from, unsigned n)
{
	unsigned group = b->workers[order[from]].group, to = from;

	for (unsigned j = 0; j < b->n_nodes; j++)
		b->counts[j].bound = b->counts[j].fit = 0;
	for (; to < n && b->workers[order[to]].group == group; to++)
		if (b->workers[order[to]].running) {
			b->counts[b->workers[order[to]].node].bound++;
			from++;
		}
	b->order = order + from;
	b->n = to - from;
	return to;
}

bool place_bind_groups(struct place_worker *workers, unsigned n,
		       struct place_node *nodes, unsigned n_nodes,
		       struct place_count *counts, unsigned *order,
		       struct place_request *sums)
{
	struct binding b = {.workers = workers,
			    .nodes = nodes,
			    .n_nodes = n_nodes,
			    .counts = counts,
			    .sums = sums};

	for (unsigned i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), compare_order, workers);
	memset(counts, 0, n_nodes * sizeof(*counts));
	count_running(workers, n, order, counts);
	for (unsigned from = 0; from < n;) {
		from = begin_group(&b, order, from, n);
		if (!bind_group(&b)) {
			place_release(workers, n, nodes);
			return false;
		}
	}
	return true;
}

/* ---- without groups ---- */

static int freest(const struct place_request *request,
		  const struct place_node *nodes, unsigned n)
{
	int best = PLACE_UNBOUND;

	for (unsigned j = 0; j < n; j++)
		if (fits(request, &nodes[j].free) &&
		    (best < 0 ||
		     nodes[j].free.millicores > nodes[best].free.millicores))
			best = (int)j;
	return best;
}

bool place_bind_spread(struct place_worker *workers, unsigned n,
		       struct place_node *nodes, unsigned n_nodes)
{
	for (unsigned i = 0; i < n; i++) {
		int node;

		if (workers[i].running)
			continue;
		node = freest(&workers[i].request, nodes, n_nodes);
		if (node == PLACE_UNBOUND) {
			place_release(workers, n, nodes);
			return false;
		}
		bind(&workers[i], nodes, node);
	}
	return true;
}
