/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_POD_POOL_LIST_H
#define MONITOR_POD_POOL_LIST_H

/*
 * The pods that a pool knows, by name
 *
 * For the files of the pool alone.
 */

#include "monitor/pod_pool.h"

/* NULL: there is none. */
struct pod_pool_pod *pods_find(const struct pod_pool *pool, const char *name);

/* One that is not there yet; NULL: out of memory. */
struct pod_pool_pod *pods_add(struct pod_pool *pool, const char *name,
			      msec_t now);

/* One that is there. */
void pods_forget(struct pod_pool *pool, const char *name);

/* Pods that the owner's task is yet to make. */
unsigned pods_promised(const struct pod_pool *pool);

bool pod_has_ended(const struct pod_pool_pod *pod);

/* Its executor was a member, and has not been for too long. */
bool pod_has_parted(const struct pod_pool_pod *pod, msec_t now);

/* It is an executor that stays, or becomes one. */
bool pod_serves(const struct pod_pool_pod *pod, msec_t now);

/* It is in the cluster, and has not ended. */
bool pod_is_here(const struct pod_pool_pod *pod);

#endif
