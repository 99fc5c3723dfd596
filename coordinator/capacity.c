/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/coordinator.h"

/*
 * Ranks that the executors can run, and executors that the ranks need
 */

#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* The largest size that the application accepts, up to limit. */
static unsigned largest(struct coordinator *c, unsigned limit)
{
	unsigned ranks = jobfile_largest(c->jobfile, limit);

	while (ranks > 0 && trials_look(c->trials, ranks, NULL) < 0)
		ranks = jobfile_largest(c->jobfile, ranks - 1);
	return ranks;
}

unsigned coordinator_possible(struct coordinator *c, unsigned limit)
{
	return largest(c,
		       MIN(member_slots_ready(members_ledger(c->members),
					      c->jobfile->ranks_per_executor),
			   limit));
}

unsigned coordinator_possible_soon(struct coordinator *c, unsigned limit)
{
	return largest(c, MIN(member_slots_soon(members_ledger(c->members),
						c->jobfile->ranks_per_executor),
			      limit));
}

unsigned coordinator_executors_wanted(const struct coordinator *c)
{
	return job_executors_wanted(&c->job, c->jobfile->ranks_per_executor,
				    coordinator_leavers(c));
}

void coordinator_count_executors(struct coordinator *c)
{
	unsigned ranks = job_ranks_awaited(&c->job);
	char reason[64] = "all executors are ready";

	if (c->job.state == JOB_RUNNING)
		snprintf(reason, sizeof(reason), "the job is to have %u ranks",
			 ranks);
	if (ranks > 0)
		coordinator_event(c, JOB_EV_EXECUTORS, 0,
				  coordinator_possible(c, ranks), reason);
	coordinator_release_surplus(c);
}
