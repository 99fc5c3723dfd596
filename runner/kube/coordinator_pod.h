/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KUBE_COORDINATOR_POD_H
#define RUNNER_KUBE_COORDINATOR_POD_H

/*
 * Which pod is the coordinator of a job
 *
 * Pure: from a list of pods to one of them, or to a sentence.
 */

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#define KUBE_JOB  "bellows.io/job"
#define KUBE_ROLE "bellows.io/role"
#define KUBE_RUN  "bellows.io/run" /* of all that one run is made of */

/* The query that lists the coordinator of job; NULL: of all jobs. */
void kube_find_query(char *out, size_t n, const char *job);

/* The one of list that runs; *out is borrowed from it.  -ENOENT: there is no
 * such job; -EAGAIN: its pod does not run, and why; -EEXIST: there are several.
 */
int kube_find_coordinator(const cJSON **out, const cJSON *list, const char *job,
			  const char *namespace, struct error *err);

/* Whether its first container runs and may go on doing so. */
bool kube_pod_runs(const cJSON *pod);

/* The pod has ended: its containers are not started again. */
bool kube_pod_is_over(const cJSON *pod);

/* "Pending: Unschedulable: 0/1 nodes are available", "Failed: exit status 65".
 */
void kube_pod_tell(char *out, size_t n, const cJSON *pod);

/* Exit status of its container if it has ended; negative: it has not. */
int kube_pod_exit_code(const cJSON *pod);

/* The same if it was started again since, or is about to be. */
int kube_pod_last_exit_code(const cJSON *pod);

/* An exit status of a coordinator whose job was saved or cancelled. */
bool kube_is_leave(int code);

/* Its job was saved or cancelled: it has ended, and if its container runs all
 * the same, it was started again and ends at once in the same way. */
bool kube_pod_has_left(const cJSON *pod);

#endif
