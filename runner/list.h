/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_LIST_H
#define RUNNER_LIST_H

/*
 * The jobs of this user on this machine, or those of a namespace
 *
 * On this machine the jobs are listed whose coordinators answer.  Of a
 * namespace all are: the reason of one whose coordinator does not answer says
 * why.
 */

#include "runner/job_list.h"
#include "runner/lookup.h"

/* list is zeroed before; job_list_fini() also after a failure. */
int list_jobs(struct job_list *list, const struct lookup *lookup,
	      struct error *err);

#endif
