/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOB_PERIODIC_H
#define COORDINATOR_JOB_PERIODIC_H

/*
 * Checkpoints that nobody asks for, so that a loss costs no more than the time
 * since the last one
 *
 * They are for applications that write when they are told to, and not by
 * themselves.  Such a one leaves when it has written: its next start, at the
 * same size, is wired up before, as that of a rescale is.  When the next one is
 * due is in the job file, or follows from what the last one cost and how often
 * nodes fail (core/interval.h).
 */

#include "core/job.h"
#include "loop/loop.h"

struct driver;

/* Zero-initialised: none is due. */
struct periodic {
	msec_t due; /* instant; 0: none is */
	struct loop_timer timer;
};

/* After each event that moved the job; before: as it was. */
void periodic_on_step(struct driver *driver, const struct job *before);

void periodic_fini(struct periodic *periodic);

#endif
