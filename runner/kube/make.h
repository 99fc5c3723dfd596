/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KUBE_MAKE_H
#define RUNNER_KUBE_MAKE_H

/*
 * Making and removing a job in a cluster
 *
 * The Job owns what else is made for it, so it suffices to delete that.  The
 * data do not belong to it: a job that was stopped goes on from them.
 *
 * Each of these runs the loop until it is done.
 */

#include "runner/kube/manifests.h"
#include "runner/kube/patience.h"
#include "runner/kube/reach.h"

/* What is there of a job's name, before it is made. */
struct kube_previous {
	bool volcano; /* the cluster has Volcano's Jobs */
	const struct kube_kind
		*kind; /* of the Job of a previous run; NULL: none
			*/
	char uid[64];  /* its */
	bool is_same;  /* it is a Job of this run */
};

/* Whether a Job, of Volcano or of Kubernetes alone, has ended; has ended well.
 */
bool kube_job_is_over(const cJSON *job);
bool kube_job_is_done(const cJSON *job);

/* Waits for the end of a job of that name which is ending.  run_id: of this
 * run; NULL: none.  -EEXIST: one of another run is there that runs, or which we
 * have not made; -ETIMEDOUT: it does not end; and what to do about it. */
int kube_survey(struct kube_previous *previous, struct reach *reach,
		const char *job, const char *run_id,
		struct kube_patience *patience, struct error *err);

/* Deletes the previous run's Job, and waits until nothing of it is in the way
 * of objects.  Its data stay. */
int kube_clear(struct reach *reach, const struct kube_previous *previous,
	       const struct kube_objects *objects, const bool *stop,
	       struct error *err);

/* Makes all, or removes what it made.  Waits for what is left of a previous
 * run, whose Job is gone, and is about to go; makes anew what this run has made
 * before without its Job.  The patience's stop is looked at between two
 * requests: true ends with -ECANCELED. */
int kube_make(struct reach *reach, struct kube_objects *objects,
	      const char *run_id, struct kube_patience *patience,
	      struct error *err);

/* Makes the Job of that uid, which was made before, the owner of the others. */
int kube_own(struct reach *reach, struct kube_objects *objects, const char *uid,
	     struct error *err);

#endif
