/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "coordinator/job/driver_internal.h"

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

static bool has_ranks(const struct driver *driver, int member)
{
	return !job_is_over(&driver->job) &&
	       launches_ranks(driver->launches, member) > 0 &&
	       !launch_is_gone(launches_now(driver->launches));
}

static bool is_recalled(const struct driver *driver, int member)
{
	return members_ledger(driver->members)->members[member].state ==
	       MEMBER_RECALLED;
}

unsigned driver_leavers(const struct driver *driver)
{
	unsigned n = 0;

	for (int i = 0; i < members_ledger(driver->members)->n; i++)
		n += is_recalled(driver, i) && has_ranks(driver, i);
	return n;
}

void driver_let_go(struct driver *driver)
{
	for (int i = 0; i < members_ledger(driver->members)->n; i++)
		if (is_recalled(driver, i) && !has_ranks(driver, i))
			members_release(driver->members, i,
					"it wanted to leave, and has no ranks");
}

void driver_on_recalled(struct driver *driver, int member, msec_t grace)
{
	const struct member *m =
		&members_ledger(driver->members)->members[member];
	msec_t now = loop_now();
	struct job_event event = {
		.type = JOB_EV_LEAVE,
		.now = now,
		.leave = now + grace -
			 (grace / 4 < STOP_TIME ? grace / 4 : STOP_TIME),
	};
	char reason[128];

	if (!job_is_over(&driver->job)) {
		snprintf(reason, sizeof(reason), "%s is to leave within %lld s",
			 m->name, (long long)grace / 1000);
		record_notice(driver->record,
			      BELLOWS__V1__NOTICE_KIND__NOTICE_RECALLED,
			      reason);
	}
	event.size = driver_possible(driver, driver->job.target);
	/* The job may be about to move to who has no ranks yet. */
	if (has_ranks(driver, member) ||
	    (driver->job.leave != 0 && event.size < driver->job.target)) {
		log_info("executor=%s leaves within %lld ms; those who stay "
			 "can run %u of %u ranks",
			 m->name, (long long)grace, event.size,
			 driver->job.target);
		snprintf(reason, sizeof(reason), "%s leaves", m->name);
		driver_post_event(driver, &event, reason);
	}
	driver_post_executors(driver);
	driver_publish(driver, PUBLISH_SOON);
}
