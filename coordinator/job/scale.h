/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOB_SCALE_H
#define COORDINATOR_JOB_SCALE_H

/*
 * The want and the grant of the job, by whichever call they are stated
 */

#include "coordinator/job/driver.h"

/* Whether the job can be asked to have that many ranks.  err: the reason, or ""
 * if there is nothing to say. */
Bellows__V1__ScaleCode scale_check(const struct driver *driver, int64_t ranks,
				   struct error *err);

/* The same of a grant.  *rounded: the largest size up to it that the job
 * accepts; 0: the job is to be suspended. */
Bellows__V1__ScaleCode scale_check_grant(const struct driver *driver,
					 unsigned ranks, unsigned *rounded,
					 struct error *err);

bool scale_is_accepted(Bellows__V1__ScaleCode code);

/* It was declined for that reason: programs that watch the job are told. */
void scale_declined(struct driver *driver, int64_t ranks, const char *reason);

/* After scale_check().  deadline: for new executors; 0: the job file's. */
void scale_begin(struct driver *driver, unsigned ranks, msec_t deadline,
		 const char *reason);

/* After scale_check_grant(), with what it rounded to. */
void scale_grant(struct driver *driver, unsigned ranks, const char *reason);

#endif
