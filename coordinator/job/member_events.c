/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"

#include "base/log.h"
#include "coordinator/job/report_check.h"

/*
 * What executors report, as events of the job
 */

/* The part of an executor's grace that is left for ending ranks that did not
 * save. */
#define STOP_TIME SECONDS(4)

static void on_probed(void *user, int member)
{
	struct driver *driver = user;

	driver->launcher->ops->admit(driver->launcher, member);
}

static void on_ready(void *user, int member)
{
	driver_post_executors(user);
}

static void on_unfit(void *user, int member, const char *failure, int exit_code)
{
	struct driver *driver = user;
	char reason[512];

	snprintf(reason, sizeof(reason), "%s: %.400s",
		 members_ledger(driver->members)->members[member].name,
		 failure);
	log_warn("executor=%s", reason);
	if (driver->job.starts != 0)
		return;
	driver->exit_code = driver_reported_code(exit_code);
	driver_post(driver, JOB_EV_UNFIT, 0, 0, reason);
}

/* It has no ranks any more, whatever it was to have. */
static void forget(struct driver *driver, int member)
{
	driver->launcher->ops->on_gone(driver->launcher, member);
	checkpoint_recovery_on_gone(driver->recovery, member);
	launches_on_lost(driver->launches, member);
}

static void on_lost(void *user, int member, const char *reason)
{
	struct driver *driver = user;
	bool had_ranks = launches_ranks(driver->launches, member) > 0;
	bool is_missed = !driver_spares(driver, member);
	char text[192];

	forget(driver, member);
	snprintf(text, sizeof(text), "%s was lost: %.100s",
		 members_ledger(driver->members)->members[member].name, reason);
	/* otherwise the line in the log will do */
	if (is_missed && !job_is_over(&driver->job) &&
	    journal_writer_notice(driver->writer,
				  BELLOWS__V1__NOTICE_KIND__NOTICE_LOST, text))
		driver_publish(driver, PUBLISH_SOON);
	if (had_ranks)
		driver_post(driver, JOB_EV_LOST, driver->job.epoch, 0, text);
}

static void on_left(void *user, int member)
{
	forget(user, member);
}

static void on_recalled(void *user, int member, msec_t grace)
{
	struct driver *driver = user;
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

	/* it gets no start, and cannot be in the way of one */
	checkpoint_recovery_on_gone(driver->recovery, member);
	if (!driver_spares(driver, member) && !job_is_over(&driver->job)) {
		snprintf(reason, sizeof(reason), "%s is to leave within %lld s",
			 m->name, (long long)grace / 1000);
		journal_writer_notice(driver->writer,
				      BELLOWS__V1__NOTICE_KIND__NOTICE_DRAINING,
				      reason);
	}
	event.size = driver_possible(driver, driver->job.target);
	/* The job may be about to move to an executor without ranks. */
	if (drain_has_ranks(driver, member) ||
	    (driver->job.leave != 0 && event.size < driver->job.target)) {
		log_info("executor=%s leaves within %lld ms; the others "
			 "can run %u of %u ranks",
			 m->name, (long long)grace, event.size,
			 driver->job.target);
		snprintf(reason, sizeof(reason), "%s leaves", m->name);
		driver_post_event(driver, &event, reason);
	}
	driver_post_executors(driver);
	driver_publish(driver, PUBLISH_SOON);
}

static bool is_referred_to(void *user, int member)
{
	struct driver *driver = user;

	return launches_refer_to(driver->launches, member);
}

static void on_log_lines(struct driver *driver,
			 const Bellows__V1__LogLines *log)
{
	if (log->n_line > 0)
		driver_on_output(driver, log->epoch);
	for (size_t i = 0; i < log->n_line; i++)
		driver_on_line(driver, log->epoch, log->line[i]);
}

/* The next start is planned by it. */
static void on_topology(struct driver *driver, int member)
{
	const struct member *m =
		&members_ledger(driver->members)->members[member];
	char machine[TOPOLOGY_TEXT_MAX];
	struct error text;

	if (!m->topology)
		return;
	error_describe(&text, "executor %s may use other processors now: %s",
		       m->name, topology_text(m->topology, machine));
	log_warn("%s", text.text);
	driver_notice(driver, BELLOWS__V1__NOTICE_KIND__NOTICE_MACHINE,
		      text.text, PUBLISH_SOON);
}

/* A report about a start that is over is dropped. */

static void on_arrived(struct driver *driver, int member,
		       const Bellows__V1__GateArrived *gate)
{
	struct launch *launch = launches_find(driver->launches, gate->epoch);

	if (launch)
		launch_on_arrived(launch, member, gate);
}

static void on_ranks_up(struct driver *driver, int member,
			const Bellows__V1__RanksUp *up)
{
	struct launch *launch = launches_find(driver->launches, up->epoch);

	if (launch)
		launch_on_ranks_up(launch, member, up);
}

static void on_ranks_gone(struct driver *driver, int member,
			  const Bellows__V1__RanksGone *gone)
{
	struct launch *launch = launches_find(driver->launches, gone->epoch);

	if (launch)
		launch_on_ranks_gone(launch, member);
}

static void on_save_begun(struct driver *driver,
			  const Bellows__V1__SaveBegun *begun)
{
	struct launch *launch = launches_find(driver->launches, begun->epoch);

	if (launch)
		launch_save(launch, false, false);
}

static void dispatch(struct driver *driver, int member,
		     const Bellows__V1__Report *report)
{
	switch (report->what_case) {
	case BELLOWS__V1__REPORT__WHAT_GATE_ARRIVED:
		on_arrived(driver, member, report->gate_arrived);
		return;
	case BELLOWS__V1__REPORT__WHAT_RANKS_UP:
		on_ranks_up(driver, member, report->ranks_up);
		return;
	case BELLOWS__V1__REPORT__WHAT_RANKS_GONE:
		on_ranks_gone(driver, member, report->ranks_gone);
		return;
	case BELLOWS__V1__REPORT__WHAT_SAVE_BEGUN:
		on_save_begun(driver, report->save_begun);
		return;
	case BELLOWS__V1__REPORT__WHAT_LOG_LINES:
		on_log_lines(driver, report->log_lines);
		return;
	case BELLOWS__V1__REPORT__WHAT_DISK:
		checkpoint_recovery_on_report(
			driver->recovery, member,
			members_ledger(driver->members)->members[member].name,
			report->disk->trouble);
		return;
	case BELLOWS__V1__REPORT__WHAT_TOPOLOGY:
		on_topology(driver, member);
		return;
	case BELLOWS__V1__REPORT__WHAT_SSHD:
	case BELLOWS__V1__REPORT__WHAT_PROGRAM_ENDED:
		driver->launcher->ops->on_report(driver->launcher, member,
						 report);
		return;
	case BELLOWS__V1__REPORT__WHAT_HEARTBEAT: /* members.c has looked at */
	case BELLOWS__V1__REPORT__WHAT_PROBED:    /* these */
	case BELLOWS__V1__REPORT__WHAT__NOT_SET:
	case _BELLOWS__V1__REPORT__WHAT__CASE_IS_INT_SIZE:
		return;
	}
}

static void on_report(void *user, int member, const Bellows__V1__Report *report)
{
	struct driver *driver = user;
	struct error err;

	if (report_check(driver, member, report, &err) < 0) {
		members_refute(driver->members, member, err.text);
		return;
	}
	dispatch(driver, member, report);
}

/* What was to happen within some time may have happened. */
static void on_paused(void *user, msec_t pause)
{
	struct driver *driver = user;

	if (driver->job.deadline != 0)
		driver->job.deadline += pause;
	driver_arm_deadline(driver);
	loop_timer_put_off(driver->loop, &driver->save.overdue, pause);
	loop_timer_put_off(driver->loop, &driver->progress.proof, pause);
}

const struct members_events driver_members_events = {
	on_probed,   on_ready,       on_unfit,  on_lost,   on_left,
	on_recalled, is_referred_to, on_report, on_paused,
};
