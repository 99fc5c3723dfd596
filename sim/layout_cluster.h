/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_LAYOUT_CLUSTER_H
#define SIM_LAYOUT_CLUSTER_H

/*
 * Nodes, their sockets and cores, and where on them a policy puts a job
 *
 * A policy is a row of table II of "Fine-Grained Scheduling for Containerized
 * HPC Workloads in Kubernetes Clusters", or Bellows' own.  The scheduler
 * gives workers nodes by core/place.h.  On its node a worker has its cores as
 * the kubelet's static CPU manager packs them: on the fullest socket with room,
 * or, if it fits on none, on several.
 */

#include "core/place_sockets.h"
#include "sim/layout_pace.h"

struct layout_policy {
	const char *name;
	enum place_granularity granularity;
	bool floating; /* ranks have no cores of their own */
	bool groups;   /* workers are placed by Algorithms 3 and 4 */
	bool sockets;  /* ranks are placed by core/place_sockets.h */
};

extern const struct layout_policy layout_policies[]; /* the last has no name */

/* NULL: there is none. */
const struct layout_policy *layout_policy_find(const char *name);

enum {
	LAYOUT_NODES_MAX = 10000,
	LAYOUT_SOCKETS_MAX = 8,  /* of a node */
	LAYOUT_CORES_MAX = 1024, /* of a socket */
};

struct layout_shape {
	unsigned nodes, sockets, cores; /* sockets of a node, cores of one */
};

extern const struct layout_shape layout_shape_published;

/* Where a job is. */
struct layout_place {
	enum place_profile profile;
	unsigned workers;
	struct layout_containers containers;
	/* Ranks on each socket; those that float are on all sockets of their
	 * node, and counted at its first one. */
	unsigned *on;
};

struct layout_cluster {
	struct layout_shape shape;
	const struct layout_policy *policy;
	unsigned n_sockets; /* of all nodes */
	struct place_node *nodes;
	struct place_socket *sockets;
	/* While a job is placed. */
	struct place_worker *workers;
	struct place_count *counts;
	struct place_request *sums;
	uint64_t *millicores;
	unsigned *order;
};

/* ranks_max: of any job.  -ENOMEM; layout_cluster_fini() in each case. */
int layout_cluster_init(struct layout_cluster *cluster,
			const struct layout_shape *shape,
			const struct layout_policy *policy, unsigned ranks_max);
void layout_cluster_fini(struct layout_cluster *cluster);

static inline void layout_cluster_fini_at(struct layout_cluster *cluster)
{
	layout_cluster_fini(cluster);
}

/* The caller gives place->profile and place->on.  False, and nothing is
 * changed, if the job cannot be placed now. */
bool layout_cluster_place(struct layout_cluster *cluster, unsigned ranks,
			  struct layout_place *place);
void layout_cluster_release(struct layout_cluster *cluster,
			    const struct layout_place *place);

/* Ranks on socket i, in the mean over time. */
double layout_cluster_ranks(const struct layout_cluster *cluster,
			    const struct layout_place *place, unsigned i);

#endif
