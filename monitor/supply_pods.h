/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_SUPPLY_PODS_H
#define MONITOR_SUPPLY_PODS_H

/*
 * The pods that a supply knows, by name
 *
 * For the files of supply.
 */

#include "monitor/supply.h"

/* NULL: there is none. */
struct supply_pod *pods_find(const struct supply *supply, const char *name);

/* One that is not there yet; NULL: out of memory. */
struct supply_pod *pods_add(struct supply *supply, const char *name,
			    msec_t now);

/* One that is there. */
void pods_forget(struct supply *supply, const char *name);

/* Pods that the owner's task is yet to make. */
unsigned pods_promised(const struct supply *supply);

bool pod_has_ended(const struct supply_pod *pod);

/* Its executor was a member, and has not been for too long. */
bool pod_has_parted(const struct supply_pod *pod, msec_t now);

/* It is an executor that stays, or becomes one. */
bool pod_serves(const struct supply_pod *pod, msec_t now);

/* It is in the cluster, and has not ended. */
bool pod_is_here(const struct supply_pod *pod);

#endif
