/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_SUPERSTEPS_RUN_POD_LIMIT_H
#define APPS_SUPERSTEPS_RUN_POD_LIMIT_H

/*
 * The limit of processors of a pod, which others set
 *
 * A program in a pod has no right to limit its own processors.  Rank 0 says
 * what the pod of each rank needs; the coordinator hears it, the monitor
 * resizes the pods, and the kubelet of each sets the limit of the container,
 * which the first rank in it waits for.
 */

#include "base/error.h"
#include "loop/loop.h"

#include <mpi.h>
#include <stdbool.h>

struct pod_limit {
	struct loop *loop;
	int rank, ranks;    /* of all */
	int first;          /* of the ranks of its pod */
	MPI_Comm of_pod;    /* these ranks */
	unsigned shares;    /* that the pod needs; 0: not known yet */
	bool was_late;      /* what was needed last did not come in time */
	double wanted;      /* processors */
	double until;       /* seconds of the clock; then it has not come */
	struct error error; /* the limit cannot be read */
	/* Of rank 0, by rank. */
	int *firsts;
	unsigned *needs, *told; /* of the pod of a first one */
};

/* Ranks of a host are of one pod.  All ranks call it; pod_limit_fini() in each
 * case. */
int pod_limit_init(struct pod_limit *limit, struct loop *loop,
		   struct error *err);

/* Asks for what all tasks of each pod need together and waits until it is
 * there, 30 s at most; if it has not come the last time, for a second.  shares:
 * of the tasks of this rank.  All ranks call it; the first of a pod waits.
 * *seconds: that it took. */
int pod_limit_ask(struct pod_limit *limit, unsigned shares, double *seconds,
		  struct error *err);

/* The communicator goes with MPI_Finalize(). */
void pod_limit_fini(struct pod_limit *limit);

#endif
