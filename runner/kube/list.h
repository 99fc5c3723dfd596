/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KUBE_LIST_H
#define RUNNER_KUBE_LIST_H

#include "runner/job_list.h"
#include "runner/lookup.h"

/* The jobs of a namespace, 200 at most; as of list_jobs(). */
int kube_list_jobs(struct job_list *list, const struct lookup *lookup,
		   struct error *err);

#endif
