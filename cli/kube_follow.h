/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_KUBE_FOLLOW_H
#define CLI_KUBE_FOLLOW_H

/*
 * A job in a cluster from its coordinator's start to its end, as `bellows run
 * --on kube` sees it
 *
 *     pod found -> it runs -> watching, and its log -> over -> log drained
 *
 * It is shown and stopped as a local one is (session.h): the first signal saves
 * and stops, the second stops at once, the third deletes the Job; what has no
 * effect for a while is followed by the next harder one.  A coordinator that
 * does not come up within the job file's wait_deadline has its Job deleted.
 *
 * Of the pod's log, the coordinator's own lines are left out, but for errors.
 */

#include "cli/views/output.h"
#include "runner/kube/make.h"

struct kube_follow_config {
	const struct args *args;
	const struct output *output;
	const struct jobfile *job;
	const struct kube_objects *objects; /* made */
	struct reach *reach;
	struct client *client; /* with its loop */
};

/* Returns the exit status of the command; says why if it is not 0. */
int kube_follow(const struct kube_follow_config *config);

#endif
