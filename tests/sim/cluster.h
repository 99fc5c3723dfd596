/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SIM_CLUSTER_H
#define TESTS_SIM_CLUSTER_H

/*
 * A cluster around a pool, in virtual time
 *
 * Pods that are made are scheduled and run after a while, and their executors
 * become members of the job.  It does what the pool plans, and prints a line
 * for each act and for each change of the trouble.
 */

#include "monitor/pod_pool.h"

enum { CLUSTER_PODS_MAX = 64 };

struct cluster_pod {
	char name[POD_POOL_NAME_MAX], uid[16];
	enum pod_pool_phase phase;
	enum pod_pool_hitch hitch;
	const char *why;
	bool ours, ending, member, leaving;
	msec_t made, runs;
};

struct cluster {
	struct pod_pool pool;
	struct cluster_pod pods[CLUSTER_PODS_MAX];
	size_t n;
	msec_t now;
	msec_t start, join; /* what takes how long; 0: for ever */
	msec_t removal;
	bool deaf;   /* the watch shows nothing */
	bool stingy; /* the owner makes no pods */
	unsigned replicas, floor, uids;
	enum pod_pool_hitch hitch; /* of pods that are made */
	const char *why;
	int refusal; /* of creations: as of struct kube_answer */
	const char *refusal_text;
	const char *cut; /* the next removal of this pod is broken off */
	char trouble[POD_POOL_TEXT_MAX];
	char text[8192];
};

void cluster_init(struct cluster *cluster, enum pod_pool_mode mode);

/* A monitor that knows nothing of what was before. */
void cluster_restart_monitor(struct cluster *cluster);

void cluster_own(struct cluster *cluster, unsigned replicas, unsigned floor);
void cluster_hold(struct cluster *cluster, unsigned executors);
void cluster_run(struct cluster *cluster, msec_t until);

struct cluster_pod *cluster_find(struct cluster *cluster, const char *name);
struct cluster_pod *cluster_make(struct cluster *cluster, const char *name,
				 bool ours);
void cluster_end(struct cluster *cluster, const char *name,
		 enum pod_pool_phase phase, const char *why);
void cluster_vanish(struct cluster *cluster, const char *name);

/* The coordinator lets go of it; it ends half a second later. */
void cluster_release(struct cluster *cluster, const char *name);

/* The pods are listed anew. */
void cluster_list(struct cluster *cluster);

/* All lines since the beginning or the last transcript. */
const char *cluster_transcript(struct cluster *cluster);

#endif
