/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"

#include "base/log.h"
#include "coordinator/job/progress.h"
#include "coordinator/launch/mpiexec.h"

/*
 * What starts and trials report, as events of the job
 */

static void on_prepared(void *user, struct launch *launch)
{
	struct driver *driver = user;

	if (launch == launches_next(driver->launches) &&
	    trials_look(driver->trials, driver->job.target, NULL) == 0)
		driver_post(driver, JOB_EV_PREPARED, launch_epoch(launch), 0,
			    "the next start is prepared");
}

static void on_trial_passed(void *user, unsigned ranks)
{
	struct driver *driver = user;
	struct launch *next = launches_next(driver->launches);

	if (next && ranks == driver->job.target && launch_is_prepared(next))
		on_prepared(driver, next);
}

static void on_trial_failed(void *user, unsigned ranks, const char *reason)
{
	struct driver *driver = user;

	if (ranks == driver->job.target)
		driver_post(driver, JOB_EV_UNPREPARED, driver->job.next, ranks,
			    reason);
}

const struct trials_events driver_trials_events = {
	on_trial_passed,
	on_trial_failed,
};

/* In as many lines as it takes. */
static void write_binding(struct driver *driver, const struct launch *launch)
{
	const struct placement *placement = launch_placement(launch);
	char text[REASON_MAX];
	unsigned rank = 0;

	if (!placement->planned)
		return;
	while (rank < placement->ranks) {
		rank = placement_text(placement, rank, text, sizeof(text));
		log_info("epoch=%u bound: %s", launch_epoch(launch), text);
		journal_writer_binding(driver->writer, launch_epoch(launch),
				       text);
	}
}

static void on_up(void *user, struct launch *launch)
{
	struct driver *driver = user;

	if (launch != launches_now(driver->launches))
		return;
	log_info("epoch=%u up ranks=%u network=%s", launch_epoch(launch),
		 launch_layout(launch)->ranks,
		 mpiexec_network(driver->jobfile,
				 members_ledger(driver->members),
				 launch_layout(launch)));
	write_binding(driver, launch);
	driver_post(driver, JOB_EV_RANKS_UP, launch_epoch(launch), 0,
		    "all ranks run where they belong");
	progress_on_up(driver);
	match_watch_on_up(driver);
}

static void on_failed(void *user, struct launch *launch, const char *reason,
		      bool by_itself, int status)
{
	struct driver *driver = user;

	log_warn("epoch=%u failed: %s", launch_epoch(launch), reason);
	if (launch == launches_next(driver->launches)) {
		driver_post(driver, JOB_EV_UNPREPARED, launch_epoch(launch), 0,
			    reason);
		return;
	}
	if (launch != launches_now(driver->launches))
		return;
	if (by_itself) {
		driver->app_ended = true;
		driver->app_status = driver_reported_code(status) << 8;
	}
	driver_post(driver, by_itself ? JOB_EV_CRASHED : JOB_EV_UNSTARTED,
		    launch_epoch(launch), 0, reason);
}

static void on_ended(void *user, struct launch *launch, int status)
{
	struct driver *driver = user;

	if (launch == launches_now(driver->launches)) {
		driver->app_ended = true;
		driver->app_status = status;
	}
	driver_post_kind(driver, EVENT_ENDED, launch_epoch(launch));
}

static void on_gone(void *user, struct launch *launch)
{
	struct driver *driver = user;

	if (launch == launches_now(driver->launches) &&
	    driver->job.state == JOB_STOPPING)
		driver_on_stopped(driver);
}

static void on_printed(void *user, unsigned epoch, unsigned rank, bool error,
		       const char *text, size_t n)
{
	struct driver *driver = user;

	driver->config.events->printed(driver->config.user, epoch, rank, error,
				       text, n);
}

static void on_judged(void *user, const Bellows__V1__CheckpointReport *report)
{
	driver_on_checkpoint(user, report);
}

const struct launch_events driver_launch_events = {
	on_prepared, on_up, on_failed, on_ended, on_gone, on_printed, on_judged,
};
