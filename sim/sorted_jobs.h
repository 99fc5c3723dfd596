/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SORTED_JOBS_H
#define SIM_SORTED_JOBS_H

/*
 * Jobs in the order of a policy, as an array, found by halving
 *
 * What the order goes by must not change while a job is in the list.
 */

#include "core/sched.h"

struct sorted_jobs {
	enum sched_order order;
	struct sched_job **jobs;
	size_t n, room;
};

/* 0 or -ENOMEM. */
int sorted_jobs_add(struct sorted_jobs *list, struct sched_job *job);
/* The job is in the list. */
void sorted_jobs_remove(struct sorted_jobs *list, const struct sched_job *job);

#endif
