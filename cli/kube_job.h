/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_KUBE_JOB_H
#define CLI_KUBE_JOB_H

/*
 * The job file as the pods are to read it
 *
 * They find it in a folder that cannot be written to, so relative directories
 * in it would lead nowhere.  What pods share is the volume at /data: it is
 * where a job runs that does not say where, and where its checkpoints are.
 */

#include "cli/commands/args.h"
#include "jobfile/jobfile.h"

#define KUBE_DATA "/data"

struct kube_job {
	struct jobfile *job; /* with directories as they are in a pod */
	char *text;
};

/* Reads the file that args name, or writes the one that its options stand for.
 * Returns 0 or an exit status, with a sentence. */
int kube_job_read(struct kube_job *job, const struct args *args,
		  struct error *err);
void kube_job_fini(struct kube_job *job);

#endif
