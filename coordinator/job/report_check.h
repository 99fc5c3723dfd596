/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOB_REPORT_CHECK_H
#define COORDINATOR_JOB_REPORT_CHECK_H

/*
 * What an executor says, held against what it can know
 *
 * An executor knows of its own ranks, in starts that were made.  What it says
 * of others, or of starts that never were, is a lie or a fault of its program,
 * and is refused with a sentence; nothing else comes of it.  Of starts that
 * were there and are not any more nothing is asked: a report may be late, and
 * is dropped where such reports are.
 *
 * All of them: 0, or -EPERM with the sentence.
 */

#include "coordinator/job/driver.h"

int report_check(const struct driver *driver, int member,
		 const Bellows__V1__Report *report, struct error *err);

/* A rank of a start has printed something there. */
int report_check_output(const struct driver *driver, int member, unsigned epoch,
			unsigned rank, struct error *err);

/* The report on a checkpoint; -ENOENT: its sender has not joined. */
int report_check_checkpoint(const struct driver *driver,
			    const Bellows__V1__CheckpointReport *report,
			    struct error *err);

#endif
