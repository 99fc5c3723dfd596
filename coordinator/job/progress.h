/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOB_PROGRESS_H
#define COORDINATOR_JOB_PROGRESS_H

/*
 * How far the application is, and whether it went on from its checkpoint, by
 * what it prints
 *
 * See core/resume_proof.h for what proves it.
 */

#include "coordinator/job/driver.h"
#include "core/end_proof.h"

/* A start begins: what it has to prove. */
void progress_on_start(struct driver *driver);

/* Its ranks are up.  One that begins anew is taken for proven after a while. */
void progress_on_up(struct driver *driver);

/* The checkpoint that was ordered is complete; its step, 0: not known.  taken:
 * it was there before the order. */
void progress_on_saved(struct driver *driver, uint64_t step, bool taken);

/* Whether an end with 0 of the start that runs would be one. */
enum end_verdict progress_judge_end(const struct driver *driver);

/* Whether the newest checkpoint that is there costs less than the next one;
 * notes how far the application is when it is told to save. */
bool progress_takes_newest(struct driver *driver);

#endif
