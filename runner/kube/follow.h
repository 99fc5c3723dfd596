/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KUBE_FOLLOW_H
#define RUNNER_KUBE_FOLLOW_H

/*
 * A run in a cluster, whose objects were made
 *
 *     pod found -> it runs -> watching, and its log -> over -> log drained
 *         -> on_end
 *
 * STOP_END deletes the Job.  A coordinator that does not come up within the job
 * file's wait_deadline has its Job deleted.
 *
 * The coordinator's own lines in the log of its pod are left out, but for
 * errors.
 */

#include "jobfile/jobfile.h"
#include "runner/kube/manifests.h"
#include "runner/kube/reach.h"
#include "runner/run.h"

/* All borrowed until the run is destroyed. */
struct follow_config {
	const struct jobfile *job;
	const struct kube_objects *objects;
	struct reach *reach;
};

int follow_start(struct run **out, struct loop *loop,
		 const struct follow_config *config,
		 const struct run_events *events, void *user,
		 struct error *err);

#endif
