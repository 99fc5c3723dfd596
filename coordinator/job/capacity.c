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

bool coordinator_count_executors(struct coordinator *c, struct event *event)
{
	unsigned ranks = job_ranks_awaited(&c->job);

	if (ranks == 0)
		return false;
	event->job.type = JOB_EV_EXECUTORS;
	event->job.size = coordinator_possible(c, ranks);
	if (c->job.state == JOB_RUNNING)
		snprintf(event->reason, sizeof(event->reason),
			 "the job is to have %u ranks", ranks);
	else
		snprintf(event->reason, sizeof(event->reason),
			 "all executors are ready");
	return true;
}

bool coordinator_hold_executors(struct coordinator *c)
{
	unsigned n =
		job_executors_wanted(&c->job, c->jobfile->ranks_per_executor,
				     coordinator_leavers(c));

	if (n == c->held)
		return false;
	c->held = n;
	return true;
}

/* Until the new size has proven itself there is a way back. */
static bool may_release(const struct job *job)
{
	return job->state == JOB_RUNNING && job->stepped;
}

void coordinator_release_surplus(struct coordinator *c)
{
	struct ledger *ledger = members_ledger(c->members);
	unsigned ready = 0;

	if (!may_release(&c->job))
		return;
	for (int i = 0; i < ledger->n; i++)
		ready += ledger->members[i].state == MEMBER_READY;
	for (int i = ledger->n - 1; i >= 0 && ready > c->held; i--) {
		if (ledger->members[i].state != MEMBER_READY ||
		    ledger->members[i].ranks > 0)
			continue;
		members_release(c->members, i, "the job does not need it");
		ready--;
	}
}
