/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_POD_RESIZE_H
#define MONITOR_POD_RESIZE_H

/*
 * A pod that is given another limit of processors while it runs, by its
 * subresource `resize` (Kubernetes 1.33 and newer)
 *
 * Pure.  The limit is that of its first container, the executor's.  What it
 * requests is lowered where the limit is less, and is the limit in a pod of the
 * QoS class Guaranteed: a resize may not change the class.
 */

#include "monitor/pod_pool.h"

#include <cjson/cJSON.h>

/* A strategic merge patch for that many shares, of which 1000 are a processor.
 * NULL: the pod has no container, or out of memory. */
cJSON *pod_resize_make(const cJSON *pod, unsigned shares);

/* True: the container has the limit.  False: why not, in words. */
bool pod_resize_is_done(const cJSON *pod, unsigned shares,
			char why[POD_POOL_TEXT_MAX]);

#endif
