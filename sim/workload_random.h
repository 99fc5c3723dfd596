/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_WORKLOAD_RANDOM_H
#define SIM_WORKLOAD_RANDOM_H

/*
 * Jobs that are drawn by a seed, in place of 'jobs' and 'sets'
 *
 * Of each job the class is drawn, then its priority, then the time from the job
 * before it; of the first job of a set there is no such time.  So the first
 * sets are the same however many there are.
 */

#include "sim/workload.h"
#include "json/json_reader.h"

/* The classes of the workload are known.  0, -ENOMEM, or -EINVAL with
 * "PATH:LINE: what is wrong". */
int workload_random_read(const struct json_reader *reader, const cJSON *item,
			 struct workload *workload);

#endif
