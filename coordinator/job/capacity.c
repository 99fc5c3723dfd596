/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"

/*
 * Ranks that the executors can run, and executors that the ranks need
 */

#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* The largest size that the application accepts, up to limit. */
static unsigned largest(struct driver *driver, unsigned limit)
{
	unsigned ranks = jobfile_largest(driver->jobfile, limit);

	while (ranks > 0 && trials_look(driver->trials, ranks, NULL) < 0)
		ranks = jobfile_largest(driver->jobfile, ranks - 1);
	return ranks;
}

unsigned driver_possible(struct driver *driver, unsigned limit)
{
	return largest(driver, MIN(member_slots_ready(
					   members_ledger(driver->members),
					   driver->jobfile->ranks_per_executor),
				   limit));
}

unsigned driver_possible_soon(struct driver *driver, unsigned limit)
{
	return largest(driver, MIN(member_slots_soon(
					   members_ledger(driver->members),
					   driver->jobfile->ranks_per_executor),
				   limit));
}

bool driver_count_executors(struct driver *driver, struct event *event)
{
	unsigned ranks = job_ranks_awaited(&driver->job);

	if (ranks == 0)
		return false;
	event->job.type = JOB_EV_EXECUTORS;
	event->job.size = driver_possible(driver, ranks);
	if (driver->job.state == JOB_RUNNING)
		snprintf(event->reason, sizeof(event->reason),
			 "the job is to have %u ranks", ranks);
	else
		snprintf(event->reason, sizeof(event->reason),
			 "all executors are ready");
	return true;
}

void driver_count_stopped(struct driver *driver, struct event *event)
{
	unsigned now = driver_possible(driver, driver->job.target);
	bool more = driver->jobfile->replacement_wait > 0 &&
		    driver_possible_soon(driver, driver->job.target) > now;

	event->job.type = more ? JOB_EV_REPLACED_SOON : JOB_EV_STOPPED;
	event->job.size = now;
	if (more)
		snprintf(event->reason, sizeof(event->reason),
			 "no rank is left, and an executor will be ready soon");
	else if (now < driver->job.target)
		snprintf(event->reason, sizeof(event->reason),
			 "executors for %u of %u ranks are left", now,
			 driver->job.target);
	else
		snprintf(event->reason, sizeof(event->reason),
			 "no rank is left");
}

bool driver_hold_executors(struct driver *driver)
{
	unsigned n = job_executors_wanted(&driver->job,
					  driver->jobfile->ranks_per_executor,
					  driver_draining(driver));

	if (n == driver->held)
		return false;
	driver->held = n;
	return true;
}

/* Until the new size has proven itself there is a way back. */
static bool may_release(const struct job *job)
{
	return job->state == JOB_RUNNING && job->stepped;
}

static unsigned count_ready(const struct ledger *ledger)
{
	unsigned ready = 0;

	for (int i = 0; i < ledger->n; i++)
		ready += ledger->members[i].state == MEMBER_READY;
	return ready;
}

bool driver_spares(const struct driver *driver, int member)
{
	return launches_ranks(driver->launches, member) == 0 &&
	       count_ready(members_ledger(driver->members)) >= driver->held;
}

static void on_surplus(void *user)
{
	struct driver *driver = user;

	if (!driver->pending.is) /* or else what it leads to is not known */
		driver_release_surplus(driver);
}

void driver_release_surplus(struct driver *driver)
{
	struct ledger *ledger = members_ledger(driver->members);
	unsigned ready = count_ready(ledger);

	if (!may_release(&driver->job))
		return;
	for (int i = ledger->n - 1; i >= 0 && ready > driver->held; i--) {
		const struct member *m = &ledger->members[i];
		msec_t left =
			m->joined + driver->jobfile->lost_after - loop_now();

		if (m->state != MEMBER_READY || m->ranks > 0)
			continue;
		if (left > 0) {
			loop_timer_set(driver->loop, &driver->surplus, left,
				       on_surplus, driver);
			return;
		}
		members_release(driver->members, i, "the job does not need it");
		ready--;
	}
}
