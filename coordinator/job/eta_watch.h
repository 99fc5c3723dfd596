/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOB_ETA_WATCH_H
#define COORDINATOR_JOB_ETA_WATCH_H

/*
 * Measures the steps of the job, for driver_eta(); see core/eta.h
 *
 * What is measured is lost with the coordinator: the next one measures anew.
 */

struct driver;

/* After each event that the job took, and when its output is held back. */
void eta_watch_on_job(struct driver *driver);
/* A step of the start that runs is in the history; whether the job stood still
 * before it is not forgotten yet. */
void eta_watch_on_step(struct driver *driver);

#endif
