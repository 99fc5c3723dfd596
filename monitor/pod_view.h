/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_POD_VIEW_H
#define MONITOR_POD_VIEW_H

/*
 * What a pod of the API says of an executor: how far it is, and in words why it
 * is not farther
 */

#include "monitor/pod_pool.h"

#include <cjson/cJSON.h>

#define LABEL_JOB     "bellows.io/job"
#define LABEL_ROLE    "bellows.io/role"
#define LABEL_MANAGER "app.kubernetes.io/managed-by"
#define MANAGER       "bellows-monitor"

enum { POD_VIEW_QUERY_MAX = 192 };

/* The pod of a list that counts: one that stays, before one that goes or has
 * ended; of several the newest.  NULL: the list is empty. */
const cJSON *pod_view_choose(const cJSON *list);

/* The query for the pods of a job that have that role. */
void pod_view_query(char out[POD_VIEW_QUERY_MAX], const char *job,
		    const char *role);

/* owner: uid of the owner of pods of our own.  The view borrows from pod and
 * why.  -EINVAL: it is not a pod.  1: another owner's, made by its monitor. */
int pod_view_read(struct pod_view *out, const cJSON *pod, const char *owner,
		  char why[POD_POOL_TEXT_MAX]);

/* Its quality-of-service class is Guaranteed. */
bool pod_view_is_guaranteed(const cJSON *pod);

#endif
