/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_CLUSTER_H
#define MONITOR_CLUSTER_H

/*
 * The provider of pods, for its files
 *
 *     READING the owner --> WATCHING the pods --+--> acts, one call each
 *        ^                                      |
 *        +----- another wish, a conflict -------+
 */

#include "kube/kube.h"
#include "monitor/owner.h"
#include "monitor/pod_pool.h"
#include "monitor/pod_view.h"
#include "monitor/provider.h"

struct cluster {
	struct provider base;
	struct loop *loop; /* borrowed */
	struct kube *kube;
	struct kube_watch *watch;
	struct kube_call *reading;
	struct owner owner;
	struct pod_pool pool;
	struct list flights;
	struct list shares; /* of pods; cluster_share.c */
	struct loop_timer timer;
	char namespace[64], podtemplate[256];
	char made[POD_POOL_NAME_MAX], task[POD_POOL_NAME_MAX + 64],
		query[POD_VIEW_QUERY_MAX];
	char objected[POD_POOL_TEXT_MAX]; /* logged */
	bool fresh;                       /* the owner is as it was read */
	bool blind;                       /* the watch is in trouble */
	bool find_coordinator, ending;
	bool exclusive; /* pods are to be Guaranteed, and all were so far */
};

/* Decides, carries out, and tells what is the matter. */
void cluster_settle(struct cluster *cluster);
void cluster_settle_soon(struct cluster *cluster);

/* cluster_read.c: reads the owner and all that belongs to it, then begins to
 * watch the pods.  Nothing if it is being read. */
void cluster_read(struct cluster *cluster);

/* Something has changed that the owner has to be read for again. */
void cluster_read_again(struct cluster *cluster);

/* The owner was read; another objection to it is logged. */
void cluster_own(struct cluster *cluster);

/* A pod as the API shows it.  False: it is not of this job. */
bool cluster_see(struct cluster *cluster, const cJSON *pod);

/* cluster_act.c: its end is told to the pool. */
void cluster_act(struct cluster *cluster, const struct pod_pool_act *act);

/* Removes the pods of our own, bounded.  Runs the loop. */
void cluster_clear(struct cluster *cluster);

/* cluster_share.c: pods of members get the processors that these need. */
void cluster_share(struct cluster *cluster, const Bellows__V1__Job *job);
void cluster_share_none(struct cluster *cluster); /* from here on */

/* Breaks off all calls.  The pool is told: a pod that was to be removed may
 * still be there. */
void cluster_cancel(struct cluster *cluster);

#endif
