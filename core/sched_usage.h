/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SCHED_USAGE_H
#define CORE_SCHED_USAGE_H

/*
 * What a user has had of the cluster: the sum of slot-seconds, each of which
 * counts half as much a half-life later
 */

/* What is usual: seconds of waiting that double the importance of a job, and of
 * a half-life; a week, as in Slurm. */
enum { SCHED_AGING = 3600, SCHED_USAGE_HALF_LIFE = 7 * 24 * 3600 };

/* Of a stretch of time. */
struct sched_decay {
	double lost;   /* part of the old usage that counts no more */
	double counts; /* seconds that a slot adds if it was held all the time
			*/
};

/* half_life: seconds; 0: without end. */
struct sched_decay sched_decay(double seconds, double half_life);

/* The usage at the end of the stretch, in slot-seconds.  used: the usage at its
 * beginning; slots: how many the user held all the time. */
double sched_used(const struct sched_decay *decay, double used, unsigned slots);

#endif
