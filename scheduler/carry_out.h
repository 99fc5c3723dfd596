/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_CARRY_OUT_H
#define SCHEDULER_CARRY_OUT_H

/*
 * What is done about the difference between what should be of each job and what
 * is: programs are started, coordinators told their grants
 *
 * A job gets slots when those that had them have left them, not before.
 */

#include "scheduler/scheduler.h"

void carry_out(struct scheduler *scheduler);

/* Sets up its programs and its link, and looks for programs that run already,
 * if the record says so. */
int carry_out_prepare(struct queued *queued, struct error *err);

#endif
