/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/layout_cluster.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const struct layout_policy layout_policies[] = {
	{.name = "none", .granularity = PLACE_AS_GIVEN, .floating = true},
	{.name = "cm", .granularity = PLACE_AS_GIVEN},
	{.name = "cm_s", .granularity = PLACE_SCALE},
	{.name = "cm_g", .granularity = PLACE_GRANULARITY},
	{.name = "cm_s_tg", .granularity = PLACE_SCALE, .groups = true},
	{.name = "cm_g_tg", .granularity = PLACE_GRANULARITY, .groups = true},
	{.name = "bellows", .sockets = true},
	{.name = NULL},
};

const struct layout_policy *layout_policy_find(const char *name)
{
	for (const struct layout_policy *at = layout_policies; at->name; at++)
		if (strcmp(at->name, name) == 0)
			return at;
	return NULL;
}

/* Two processors of 18 cores, of which two are reserved. */
const struct layout_shape layout_shape_published = {
	.nodes = 4, .sockets = 2, .cores = 16};

enum { WORKERS_GIVEN = 1, CORE = 1000 /* millicores */ };

/* ---- memory ---- */

int layout_cluster_init(struct layout_cluster *cluster,
			const struct layout_shape *shape,
			const struct layout_policy *policy, unsigned ranks_max)
{
	uint64_t cores = (uint64_t)shape->sockets * shape->cores;

	*cluster = (struct layout_cluster){
		.shape = *shape,
		.policy = policy,
		.n_sockets = shape->nodes * shape->sockets,
		.nodes = calloc(shape->nodes, sizeof(*cluster->nodes)),
		.sockets = calloc((size_t)shape->nodes * shape->sockets,
				  sizeof(*cluster->sockets)),
		.workers = calloc(ranks_max, sizeof(*cluster->workers)),
		.counts = calloc(shape->nodes, sizeof(*cluster->counts)),
		.sums = calloc((size_t)ranks_max + 1, sizeof(*cluster->sums)),
		.millicores = calloc(ranks_max, sizeof(*cluster->millicores)),
		.order = calloc(ranks_max, sizeof(*cluster->order)),
	};
	if (!cluster->nodes || !cluster->sockets || !cluster->workers ||
	    !cluster->counts || !cluster->sums || !cluster->millicores ||
	    !cluster->order)
		return -ENOMEM;
	for (unsigned i = 0; i < shape->nodes; i++)
		cluster->nodes[i].free.millicores = cores * CORE;
	for (unsigned i = 0; i < cluster->n_sockets; i++)
		cluster->sockets[i].free = shape->cores;
	return 0;
}

void layout_cluster_fini(struct layout_cluster *cluster)
{
	free(cluster->nodes);
	free(cluster->sockets);
	free(cluster->workers);
	free(cluster->counts);
	free(cluster->sums);
	free(cluster->millicores);
	free(cluster->order);
}

/* ---- workers ---- */

/* A whole worker goes to one socket, if it fits on one: to the fullest. */
static unsigned socket_for(const struct place_socket *sockets, unsigned n,
			   unsigned ranks)
{
	unsigned best = n, most = 0;

	for (unsigned i = 0; i < n; i++) {
		if (sockets[i].free >= ranks &&
		    (best == n || sockets[i].free < sockets[best].free))
			best = i;
		if (sockets[i].free > sockets[most].free)
			most = i;
	}
	return best < n ? best : most;
}

/* The kubelet gives the worker its cores. */
static void give_cores(struct layout_cluster *cluster,
		       const struct place_worker *worker, unsigned *on)
{
	unsigned n = cluster->shape.sockets, ranks = worker->ranks;
	unsigned first = (unsigned)worker->node * n;

	if (cluster->policy->floating) {
		on[first] += ranks;
		return;
	}
	while (ranks > 0) {
		unsigned at =
			first + socket_for(cluster->sockets + first, n, ranks);
		struct place_socket *socket = &cluster->sockets[at];
		unsigned cores = ranks < socket->free ? ranks : socket->free;

		socket->free -= cores;
		on[at] += cores;
		ranks -= cores;
	}
}

static bool place_workers(struct layout_cluster *cluster, unsigned ranks,
			  struct layout_place *place)
{
	static const struct place_request rank = {CORE, 0};
	const struct layout_policy *policy = cluster->policy;
	unsigned nodes = cluster->shape.nodes;
	struct place_grain grain =
		place_cut(policy->granularity, place->profile, ranks, nodes,
			  WORKERS_GIVEN);
	struct place_worker *workers = cluster->workers;
	unsigned n = grain.workers;

	place_share_out(workers, n, ranks, &rank);
	if (policy->groups)
		place_group(workers, n, grain.groups, PLACE_ASCENDING,
			    cluster->millicores);
	if (!(policy->groups
		      ? place_bind_groups(workers, n, cluster->nodes, nodes,
					  cluster->counts, cluster->order,
					  cluster->sums)
		      : place_bind_spread(workers, n, cluster->nodes, nodes)))
		return false;
	memset(place->on, 0, cluster->n_sockets * sizeof(*place->on));
	for (unsigned i = 0; i < n; i++)
		give_cores(cluster, &workers[i], place->on);
	place->workers = n;
	place->containers.ranks = workers[0].ranks;
	return true;
}

/* ---- jobs ---- */

static bool is_apart(const struct layout_cluster *cluster,
		     const struct layout_place *place)
{
	unsigned per_node = cluster->shape.sockets, node = UINT_MAX;

	for (unsigned i = 0; i < cluster->n_sockets; i++) {
		if (place->on[i] == 0)
			continue;
		if (node != UINT_MAX && node != i / per_node)
			return true;
		node = i / per_node;
	}
	return false;
}

bool layout_cluster_place(struct layout_cluster *cluster, unsigned ranks,
			  struct layout_place *place)
{
	bool one = place->profile == PLACE_NETWORK;

	place->containers.floating = cluster->policy->floating;
	if (!cluster->policy->sockets) {
		if (!place_workers(cluster, ranks, place))
			return false;
	} else {
		if (!place_on_sockets(place->profile, ranks, cluster->sockets,
				      cluster->n_sockets,
				      cluster->shape.sockets, place->on))
			return false;
		place->workers = one ? 1 : ranks;
		place->containers.ranks = one ? ranks : 1;
	}
	place->containers.apart = is_apart(cluster, place);
	return true;
}

void layout_cluster_release(struct layout_cluster *cluster,
			    const struct layout_place *place)
{
	unsigned per_node = cluster->shape.sockets;

	if (cluster->policy->sockets) {
		place_off_sockets(place->profile, cluster->sockets,
				  cluster->n_sockets, place->on);
		return;
	}
	for (unsigned i = 0; i < cluster->n_sockets; i++) {
		cluster->nodes[i / per_node].free.millicores +=
			(uint64_t)place->on[i] * CORE;
		if (!cluster->policy->floating)
			cluster->sockets[i].free += place->on[i];
	}
}

double layout_cluster_ranks(const struct layout_cluster *cluster,
			    const struct layout_place *place, unsigned i)
{
	unsigned per_node = cluster->shape.sockets;

	return place->containers.floating
		       ? (double)place->on[i - i % per_node] / per_node
		       : place->on[i];
}
