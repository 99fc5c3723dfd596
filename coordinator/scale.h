/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SCALE_H
#define COORDINATOR_SCALE_H

/*
 * Another size, whoever asks for it and by which call
 */

#include "coordinator/coordinator.h"

/* 0 if the job can go to that many ranks now, or -errno with the reason it is
 * declined for. */
int scale_check(const struct coordinator *c, int64_t ranks, struct error *err);

/* It was declined for that reason: who watches the job is told. */
void scale_declined(struct coordinator *c, int64_t ranks, const char *reason);

/* After scale_check().  deadline: for new executors; 0: the job file's. */
void scale_begin(struct coordinator *c, unsigned ranks, msec_t deadline,
		 const char *reason);

#endif
