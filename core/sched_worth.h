/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SCHED_WORTH_H
#define CORE_SCHED_WORTH_H

/*
 * What a job is worth to the policy `bellows`, and how long it takes
 *
 *   weight      priority, times 1 / (1 + usage / share) of its user: one half
 *               for a user whose usage of late equals the share, as in the
 *               fair-share factor of Slurm, which is 2^(-usage / share)
 *   importance  weight, doubled by each view->aging that it has waited for its
 *               starts; a job that runs keeps what it had
 *   urgency     importance by slot-second of what is left on its minimum: the
 *               rule of Smith ("Various optimizers for single-stage
 *               production", 1956) for the least weighted completion time
 *
 * Powers are straight between 1, 2, 4, ..., so that every machine computes the
 * same.  Seconds follow from the time of a step; where that is not known, from
 * the length that the user expects, at ideal speed-up.
 */

#include "core/sched.h"

double sched_weight(const struct sched_view *view, const struct sched_job *job);
double sched_importance(const struct sched_view *view,
			const struct sched_job *job);
double sched_urgency(const struct sched_view *view,
		     const struct sched_job *job);

/* Seconds that the job takes from now on, if it computes on so many ranks. */
double sched_rest(const struct sched_view *view, const struct sched_job *job,
		  unsigned ranks);

/* The next size that the application accepts; 0: there is none. */
unsigned sched_size_above(const struct sched_job *job, unsigned ranks);
unsigned sched_size_below(const struct sched_job *job, unsigned ranks);

#endif
