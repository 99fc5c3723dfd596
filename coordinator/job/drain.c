/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"

/*
 * Drain: the host of an executor is to be emptied, or its pod was deleted
 *
 *     draining --has ranks--> the job moves off --> it has none --> released
 *
 * The job decides what fits into the time that is left (core/job.h); here it is
 * told, and an executor that has no ranks any more is released.
 */

bool drain_has_ranks(const struct driver *driver, int member)
{
	return !job_is_over(&driver->job) &&
	       launches_ranks(driver->launches, member) > 0 &&
	       !launch_is_gone(launches_now(driver->launches));
}

static bool is_recalled(const struct driver *driver, int member)
{
	return members_ledger(driver->members)->members[member].state ==
	       MEMBER_DRAINING;
}

unsigned driver_draining(const struct driver *driver)
{
	unsigned n = 0;

	for (int i = 0; i < members_ledger(driver->members)->n; i++)
		n += is_recalled(driver, i) && drain_has_ranks(driver, i);
	return n;
}

void driver_release_drained(struct driver *driver)
{
	for (int i = 0; i < members_ledger(driver->members)->n; i++)
		if (is_recalled(driver, i) && !drain_has_ranks(driver, i))
			members_release(driver->members, i,
					"it wanted to leave, and has no ranks");
}
