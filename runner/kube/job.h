/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KUBE_JOB_H
#define RUNNER_KUBE_JOB_H

/*
 * The job file as the pods are to read it
 *
 * They find it in a folder that cannot be written to, so relative directories
 * in it would lead nowhere.  What pods share is the volume at /data: it is
 * where a job runs that does not say where, and where its checkpoints are.
 */

#include "jobfile/jobfile.h"

#define KUBE_DATA "/data"

/* Zero-initialised. */
struct kube_job {
	struct jobfile *job; /* with directories as they are in a pod */
	char *text;
};

/* text: of a job file; path: what sentences call it. */
int kube_job_parse(struct kube_job *job, const char *path, const char *text,
		   struct error *err);
void kube_job_fini(struct kube_job *job);

#endif
