/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SIM_USERS_H
#define SIM_SIM_USERS_H

/*
 * What each user has had of the cluster, and how long the jobs took for it
 *
 * The usage of a user is the sum of slot-seconds, each of which counts half as
 * much a half-life later.
 */

#include "core/sched.h"
#include "sim/workload.h"

struct sim_user {
	unsigned slots;  /* that the jobs hold */
	double used;     /* slot-seconds that still count */
	double slowdown; /* sum over the jobs that have ended */
	size_t jobs;     /* that have ended */
};

struct sim_users {
	size_t n;
	struct sim_user *at;
	struct sched_user *seen; /* by the policy */
	double half_life;        /* seconds; 0: without end */
	usec_t now;              /* instant of `used` */
};

/* 0 or -ENOMEM; then, too, sim_users_fini() is to be called. */
int sim_users_init(struct sim_users *users, const struct workload *workload);
void sim_users_fini(struct sim_users *users);

/* The jobs of a user have so many slots more, or fewer, from `now` on. */
void sim_users_slots(struct sim_users *users, usec_t now, unsigned user,
		     int more);

void sim_users_end(struct sim_users *users, unsigned user, double slowdown);

/* For the policy; NULL: there is one user. */
const struct sched_user *sim_users_view(struct sim_users *users, usec_t now);

/* Jain's index of the users' mean slowdowns: the square of their sum, divided
 * by the sum of their squares and their number.  1: that of each user is the
 * same; of n users it is 1 / n at least.  (Jain, Chiu and Hawe, "A quantitative
 * measure of fairness and discrimination", DEC-TR-301, 1984.) */
double sim_users_fairness(const struct sim_users *users);

#endif
