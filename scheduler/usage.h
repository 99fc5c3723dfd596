/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_USAGE_H
#define SCHEDULER_USAGE_H

/*
 * How many slot-seconds each user had of late: those of a week ago count half,
 * as in the simulator (sim/sim_users.h)
 */

#include "core/sched.h"

struct usage_user {
	char name[64];
	double used; /* slot-seconds */
	unsigned slots;
};

/* Zero-initialised. */
struct usage {
	struct usage_user *at;
	struct sched_user *seen; /* by policies, likewise */
	size_t n;
	usec_t now;
};

/* The index of that user, who is added; -ENOMEM. */
int usage_find(struct usage *usage, const char *name);

/* All users have no slots from now on, but for what is added. */
void usage_clear(struct usage *usage, usec_t now);
void usage_add(struct usage *usage, int user, unsigned slots);

/* NULL: there is one user alone. */
const struct sched_user *usage_view(struct usage *usage, usec_t now);

void usage_fini(struct usage *usage);

#endif
