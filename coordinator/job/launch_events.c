/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/coordinator.h"

#include "base/log.h"
#include "coordinator/job/progress.h"
#include "coordinator/launch/mpiexec.h"

/*
 * What starts and trials report, as events of the job
 */

static void on_prepared(void *user, struct launch *launch)
{
	struct coordinator *c = user;

	if (launch == launches_next(c->launches) &&
	    trials_look(c->trials, c->job.target, NULL) == 0)
		coordinator_post(c, JOB_EV_PREPARED, launch_epoch(launch), 0,
				 "the next start is prepared");
}

static void on_trial_passed(void *user, unsigned ranks)
{
	struct coordinator *c = user;
	struct launch *next = launches_next(c->launches);

	if (next && ranks == c->job.target && launch_is_prepared(next))
		on_prepared(c, next);
}

static void on_trial_failed(void *user, unsigned ranks, const char *reason)
{
	struct coordinator *c = user;

	if (ranks == c->job.target)
		coordinator_post(c, JOB_EV_UNPREPARED, c->job.next, ranks,
				 reason);
}

const struct trials_events coordinator_trials_events = {
	on_trial_passed,
	on_trial_failed,
};

static void on_up(void *user, struct launch *launch)
{
	struct coordinator *c = user;

	if (launch != launches_now(c->launches))
		return;
	log_info("epoch=%u up ranks=%u network=%s", launch_epoch(launch),
		 launch_layout(launch)->ranks,
		 mpiexec_network(c->jobfile, members_ledger(c->members),
				 launch_layout(launch)));
	coordinator_post(c, JOB_EV_RANKS_UP, launch_epoch(launch), 0,
			 "all ranks run where they belong");
	progress_on_up(c);
}

static void on_failed(void *user, struct launch *launch, const char *reason,
		      bool by_itself, int status)
{
	struct coordinator *c = user;

	log_warn("epoch=%u failed: %s", launch_epoch(launch), reason);
	if (launch == launches_next(c->launches)) {
		coordinator_post(c, JOB_EV_UNPREPARED, launch_epoch(launch), 0,
				 reason);
		return;
	}
	if (launch != launches_now(c->launches))
		return;
	if (by_itself) {
		c->app_ended = true;
		c->app_status = coordinator_exit_code(status) << 8;
	}
	coordinator_post(c, by_itself ? JOB_EV_CRASHED : JOB_EV_UNSTARTED,
			 launch_epoch(launch), 0, reason);
}

static void on_ended(void *user, struct launch *launch, int status)
{
	struct coordinator *c = user;

	if (launch == launches_now(c->launches)) {
		c->app_ended = true;
		c->app_status = status;
	}
	coordinator_post_kind(c, EVENT_ENDED, launch_epoch(launch));
}

static void on_gone(void *user, struct launch *launch)
{
	struct coordinator *c = user;

	if (launch == launches_now(c->launches) && c->job.state == JOB_STOPPING)
		coordinator_on_stopped(c);
}

static void on_printed(void *user, unsigned epoch, unsigned rank, bool error,
		       const char *text, size_t n)
{
	output_show(user, epoch, rank, error, (const uint8_t *)text, n);
}

static void on_judged(void *user, const Bellows__V1__CheckpointReport *report)
{
	coordinator_on_checkpoint(user, report);
}

const struct launch_events coordinator_launch_events = {
	on_prepared, on_up, on_failed, on_ended, on_gone, on_printed, on_judged,
};

void coordinator_on_stopped(struct coordinator *c)
{
	unsigned now = coordinator_possible(c, c->job.target);

	if (c->jobfile->replacement_wait > 0 &&
	    coordinator_possible_soon(c, c->job.target) > now)
		coordinator_post(c, JOB_EV_REPLACED_SOON, 0, now,
				 "no rank is left, and an executor will be "
				 "ready soon");
	else
		coordinator_post(c, JOB_EV_STOPPED, 0, now, "no rank is left");
}
