/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "coordinator/coordinator.h"

/*
 * Executors that are recalled: their host is drained, their pod deleted
 *
 *     recalled --has ranks--> the job moves off --> it has none --> released
 *
 * The job decides what fits into the time that is left (core/job.h); here it is
 * told, and who has no ranks any more is let go.
 */

/* Of the time an executor gives, for ending ranks that did not save. */
enum { STOP_TIME = 4000 };

static bool has_ranks(const struct coordinator *c, int member)
{
	return !job_is_over(&c->job) &&
	       launches_ranks(c->launches, member) > 0 &&
	       !launch_is_gone(launches_now(c->launches));
}

static bool is_recalled(const struct coordinator *c, int member)
{
	return members_ledger(c->members)->members[member].state ==
	       MEMBER_RECALLED;
}

unsigned coordinator_leavers(const struct coordinator *c)
{
	unsigned n = 0;

	for (int i = 0; i < members_ledger(c->members)->n; i++)
		n += is_recalled(c, i) && has_ranks(c, i);
	return n;
}

void coordinator_let_go(struct coordinator *c)
{
	for (int i = 0; i < members_ledger(c->members)->n; i++)
		if (is_recalled(c, i) && !has_ranks(c, i))
			members_release(c->members, i,
					"it wanted to leave, and has no ranks");
}

void coordinator_on_recalled(struct coordinator *c, int member, msec_t grace)
{
	const struct member *m = &members_ledger(c->members)->members[member];
	msec_t now = loop_now();
	struct job_event event = {
		.type = JOB_EV_LEAVE,
		.now = now,
		.leave = now + grace -
			 (grace / 4 < STOP_TIME ? grace / 4 : STOP_TIME),
	};
	char reason[128];

	if (!job_is_over(&c->job)) {
		snprintf(reason, sizeof(reason), "%s is to leave within %lld s",
			 m->name, (long long)grace / 1000);
		record_notice(c->record,
			      BELLOWS__V1__NOTICE_KIND__NOTICE_RECALLED,
			      reason);
	}
	event.size = coordinator_possible(c, c->job.target);
	/* The job may be about to move to who has no ranks yet. */
	if (has_ranks(c, member) ||
	    (c->job.leave != 0 && event.size < c->job.target)) {
		log_info("executor=%s leaves within %lld ms; those who stay "
			 "can run %u of %u ranks",
			 m->name, (long long)grace, event.size, c->job.target);
		snprintf(reason, sizeof(reason), "%s leaves", m->name);
		coordinator_post_event(c, &event, reason);
	}
	coordinator_post_executors(c);
	service_publish(c, PUBLISH_SOON);
}
