/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_WORKLOAD_USERS_H
#define SIM_WORKLOAD_USERS_H

/*
 * The users of a workload
 *
 * The jobs that name nobody are of one user, whose name is "".
 */

#include "sim/workload.h"
#include "json/json_reader.h"

/* Fills workload->users, and jobs may name no others.  0, -ENOMEM, or -EINVAL
 * with "PATH:LINE: what is wrong". */
int workload_users_read(const struct json_reader *reader, const cJSON *item,
			struct workload *workload);

/* The user of a job: -EINVAL with a sentence if the list has no such user. */
int workload_users_find(const struct json_reader *reader, const cJSON *item,
			struct workload *workload, const char *name,
			unsigned *index);

/* The index of the user of that name, who is added with a share of 1 if there
 * is none.  0; -ENOMEM; -E2BIG: there are WORKLOAD_USERS_MAX. */
int workload_users_add(struct workload_users *users, const char *name,
		       unsigned *index);

void workload_users_fini(struct workload_users *users);

#endif
