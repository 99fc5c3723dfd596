/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_PLACE_H
#define CORE_PLACE_H

/*
 * Place: into how many workers a job is cut, and which node gets which worker
 *
 * A worker (a pod, an executor) holds some of a job's ranks.  Workers are put
 * into groups; those of one group are to be on one node, and those of two
 * groups on two.
 *
 * The paper: "Fine-Grained Scheduling for Containerized HPC Workloads in
 * Kubernetes Clusters", section IV, Algorithms 1 to 4.  Where its text and its
 * published code differ, both are here by name.
 */

#include <stdbool.h>
#include <stdint.h>

enum { PLACE_UNBOUND = -1 };

/* What bounds the speed of a program. */
enum place_profile { PLACE_NETWORK, PLACE_CPU, PLACE_MEMORY };

/* How fine a job is cut. */
enum place_granularity {
	PLACE_AS_GIVEN,    /* into the workers that the user names */
	PLACE_SCALE,       /* into a worker a node */
	PLACE_GRANULARITY, /* into a worker a rank */
};

/* In which order of their requests the groups are when the first of them gets
 * the next worker. */
enum place_group_order {
	PLACE_ASCENDING,  /* as the code: the groups become alike */
	PLACE_DESCENDING, /* as the text: the first group gets all workers */
};

struct place_grain {
	unsigned nodes, workers, groups;
};

struct place_request {
	uint64_t millicores;
	uint64_t memory; /* bytes */
};

struct place_worker {
	unsigned ranks;
	struct place_request request;
	unsigned group;
	int node;     /* PLACE_UNBOUND: none yet */
	bool running; /* on its node, where it stays */
};

struct place_node {
	struct place_request free;
};

/* Of each node while a job is placed: the caller's memory. */
struct place_count {
	unsigned groups; /* of the job that have workers there */
	unsigned last;   /* group that was counted last, from 1 */
	unsigned bound;  /* workers of the group that is placed */
	unsigned fit;    /* workers of it, from the first on, up to the last
			  * that would fit */
};

/* Algorithm 1.  nodes: of the cluster; workers: as the user names them.  A job
 * has at most a worker a rank. */
struct place_grain place_cut(enum place_granularity granularity,
			     enum place_profile profile, unsigned ranks,
			     unsigned nodes, unsigned workers);

/* Algorithm 2: ranks go to workers in turn, so the first ranks % workers have
 * one more.  What a rank needs, times its ranks, is what a worker requests;
 * its line of a hostfile has as many slots as it has ranks. */
void place_share_out(struct place_worker *workers, unsigned n, unsigned ranks,
		     const struct place_request *rank);

/* Algorithm 3, step 1: a worker that runs joins the group of the one that runs
 * on the same node; any other one joins the first group in the order of what
 * they request in millicores, of two alike the one with the lower number.
 * millicores: of groups elements, the caller's memory. */
void place_group(struct place_worker *workers, unsigned n, unsigned groups,
		 enum place_group_order order, uint64_t *millicores);

/* Algorithm 4 as published: bound workers of the group on the node, less the
 * other groups there, plus those of the group's next workers that fit.  The
 * published code drops the ones that do not fit in a random order; here the
 * last ones are dropped.  It then multiplies by 100 / (size of the largest
 * group). */
int place_score(unsigned bound, unsigned others, unsigned fitting);

/*
 * Algorithm 3, step 2: group by group each worker goes to the node with the
 * best score; of nodes alike, to the one with most workers of the group, then
 * with most free millicores, then to the first.  False, and nothing is changed,
 * if not all workers can be placed.
 * counts: one a node; order, sums: n and n + 1 elements; all the caller's.
 */
bool place_bind_groups(struct place_worker *workers, unsigned n,
		       struct place_node *nodes, unsigned n_nodes,
		       struct place_count *counts, unsigned *order,
		       struct place_request *sums);

/* Without groups, as Kubernetes does: each worker goes to the node with most
 * free millicores on which it fits, of nodes alike to the first.  False, and
 * nothing is changed, if not all can be placed. */
bool place_bind_spread(struct place_worker *workers, unsigned n,
		       struct place_node *nodes, unsigned n_nodes);

/* Gives back what the workers hold that do not run; they are unbound then. */
void place_release(struct place_worker *workers, unsigned n,
		   struct place_node *nodes);

#endif
