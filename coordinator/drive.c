/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/coordinator.h"

#include "base/log.h"
#include "coordinator/claims.h"
#include "coordinator/mpiexec.h"
#include "coordinator/progress.h"
#include "jobfile/exit.h"

#include <string.h>
#include <sys/wait.h>

/*
 * Everything that happens, turned into events of the job
 */

/* ---- events ---- */

/* An application may have written a newer one unasked. */
bool coordinator_find_checkpoint(struct coordinator *c)
{
	struct checkpoint found;
	struct error err;
	int r = c->jobfile->adapter->checkpoint(&c->jobfile->app, &found, &err);
	bool newer = r == 0 && found.mark != c->checkpoint.mark;

	if (r < 0)
		log_warn("the checkpoint that is there is not used: %s",
			 err.text);
	if (newer)
		c->checkpoint = found;
	return newer;
}

/* Of a failure that an executor tells of. */
static int as_exit_code(int told)
{
	return told > 0 && told <= 255 ? told : EXIT_INTERNAL;
}

static int exit_code_of(const struct coordinator *c)
{
	switch (c->job.state) {
	case JOB_DONE:
		return EXIT_DONE;
	case JOB_CANCELLED:
		return EXIT_CANCELLED;
	case JOB_SUSPENDED:
		return EXIT_SUSPENDED;
	case JOB_FAILED:
		if (c->exit_code != 0)
			return c->exit_code;
		if (c->afresh != 0 && c->afresh == c->job.epoch)
			return EXIT_AFRESH;
		if (!c->app_ended)
			return EXIT_UNREACHABLE;
		if (WIFSIGNALED(c->app_status))
			return 128 + WTERMSIG(c->app_status);
		return WEXITSTATUS(c->app_status) ? WEXITSTATUS(c->app_status)
						  : EXIT_INTERNAL;
	case JOB_WAITING:
	case JOB_STARTING:
	case JOB_RESUMING:
	case JOB_RUNNING:
	case JOB_GROWING:
	case JOB_PREPARING:
	case JOB_SAVING:
	case JOB_STOPPING:
	case JOB_REPLACING:
		return 0;
	}
	return 0;
}

static void on_deadline(void *user)
{
	struct coordinator *c = user;
	unsigned target = c->job.target;
	bool leaves = c->job.leave != 0 && c->job.state == JOB_SAVING;
	bool awaits = c->job.state == JOB_WAITING ||
		      c->job.state == JOB_REPLACING ||
		      c->job.state == JOB_GROWING;
	const char *more = awaits                       ? c->trouble
			   : c->job.state == JOB_SAVING ? storage_dir(c)
							: "";
	char reason[320];

	if (c->job.state == JOB_WAITING) /* however the ranks ended before */
		c->exit_code = EXIT_UNREACHABLE;
	snprintf(reason, sizeof(reason), "the %s for %s passed%s%.240s",
		 leaves ? "time that who leaves has" : "deadline",
		 job_state_name(c->job.state), *more ? ": " : "", more);
	if (leaves)
		log_warn("epoch=%u no new checkpoint in time: going on from "
			 "the newest one that is complete",
			 c->job.epoch);
	coordinator_event(c, JOB_EV_TIMEOUT, 0, coordinator_possible(c, target),
			  reason);
}

void coordinator_arm_deadline(struct coordinator *c)
{
	msec_t left = c->job.deadline - loop_now();

	loop_timer_clear(&c->deadline);
	if (c->job.deadline != 0)
		loop_timer_set(c->loop, &c->deadline, left > 0 ? left : 0,
			       on_deadline, c);
}

static void log_transition(const struct coordinator *c,
			   const struct job *before, enum job_event_type type)
{
	log_info("job=%s %s -> %s size=%u target=%u epoch=%u: %s",
		 c->jobfile->name, job_state_name(before->state),
		 job_state_name(c->job.state), c->job.size, c->job.target,
		 c->job.epoch, *c->reason ? c->reason : job_event_name(type));
}

/* The job may be about to go on from what is there. */
static bool goes_back(const struct coordinator *c, enum job_event_type type)
{
	return type == JOB_EV_CRASHED || type == JOB_EV_LOST ||
	       type == JOB_EV_UNSTARTED ||
	       (c->job.leave != 0 &&
		(type == JOB_EV_TIMEOUT || type == JOB_EV_UNSAVED));
}

/* Written down, and then so.  False: it is not expected, or not ours to say. */
static bool take(struct coordinator *c, const struct job_event *event,
		 const char *reason)
{
	struct job after = c->job;

	if (!job_step(&after, event) || !record_event(c, event, reason))
		return false;
	c->job = after;
	return true;
}

/* Losses since the last checkpoint count, whoever asked for it; but who may
 * have begun afresh has written none that is worth more. */
static void forgive(struct coordinator *c, enum job_event_type type)
{
	const struct job_event kept = {.type = JOB_EV_KEPT, .now = loop_now()};

	if (goes_back(c, type) && c->job.resumed &&
	    coordinator_find_checkpoint(c))
		take(c, &kept, "a newer checkpoint is there");
}

void coordinator_event(struct coordinator *c, enum job_event_type type,
		       unsigned epoch, unsigned size, const char *reason)
{
	const struct job_event event = {
		.type = type, .now = loop_now(), .epoch = epoch, .size = size};

	coordinator_step(c, &event, reason);
}

void coordinator_step(struct coordinator *c, const struct job_event *event,
		      const char *reason)
{
	enum job_event_type type = event->type;
	struct job before;
	bool moved;

	forgive(c, type);
	before = c->job;
	if (!take(c, event, reason))
		return;
	moved = before.state != c->job.state;
	history_on_step(&c->history, &before, &c->job, type, reason,
			event->now);
	if (c->job.proven != 0)
		trials_pass(c->trials, c->job.proven);
	if (moved) {
		snprintf(c->reason, sizeof(c->reason), "%s", reason);
		log_transition(c, &before, type);
	}
	if (job_is_over(&c->job))
		c->exit_code = exit_code_of(c);
	coordinator_arm_deadline(c);
	storage_on_step(c, &before);
	periodic_on_step(c, &before);
	service_publish(c, moved ? PUBLISH_NOW : PUBLISH_SOON);
	/* or another start is to be prepared */
	if (moved || (c->job.next != 0 && c->job.next != before.next))
		coordinator_carry_out(c);
	else
		coordinator_count_executors(c);
}

/* ---- launches ---- */

static void on_prepared(void *user, struct launch *launch)
{
	struct coordinator *c = user;

	if (launch == c->next &&
	    trials_look(c->trials, c->job.target, NULL) == 0)
		coordinator_event(c, JOB_EV_PREPARED, launch_epoch(launch), 0,
				  "the next start is prepared");
}

static void on_trial_passed(void *user, unsigned ranks)
{
	struct coordinator *c = user;

	if (c->next && ranks == c->job.target && launch_is_prepared(c->next))
		on_prepared(c, c->next);
}

static void on_trial_failed(void *user, unsigned ranks, const char *reason)
{
	struct coordinator *c = user;

	if (ranks == c->job.target)
		coordinator_event(c, JOB_EV_UNPREPARED, c->job.next, ranks,
				  reason);
}

const struct trials_events coordinator_trials_events = {
	on_trial_passed,
	on_trial_failed,
};

static void on_up(void *user, struct launch *launch)
{
	struct coordinator *c = user;

	if (launch != c->now)
		return;
	log_info("epoch=%u up ranks=%u network=%s", launch_epoch(launch),
		 launch_layout(launch)->ranks,
		 mpiexec_network(c->jobfile, members_ledger(c->members),
				 launch_layout(launch)));
	coordinator_event(c, JOB_EV_RANKS_UP, launch_epoch(launch), 0,
			  "all ranks run where they belong");
	progress_on_up(c);
}

static void on_failed(void *user, struct launch *launch, const char *reason,
		      bool by_itself, int status)
{
	struct coordinator *c = user;

	log_warn("epoch=%u failed: %s", launch_epoch(launch), reason);
	if (launch == c->next) {
		coordinator_event(c, JOB_EV_UNPREPARED, launch_epoch(launch), 0,
				  reason);
		if (launch == c->next && c->job.next == 0)
			coordinator_drop_next(c);
		return;
	}
	if (launch != c->now)
		return;
	if (by_itself) {
		c->app_ended = true;
		c->app_status = as_exit_code(status) << 8;
	}
	coordinator_event(c, by_itself ? JOB_EV_CRASHED : JOB_EV_UNSTARTED,
			  launch_epoch(launch), 0, reason);
}

static void on_ended(void *user, struct launch *launch, int status)
{
	struct coordinator *c = user;

	if (launch == c->retired) {
		c->retired = launch_destroy(launch);
		return;
	}
	if (launch == c->now)
		coordinator_on_ended(c, status);
}

static void on_gone(void *user, struct launch *launch)
{
	struct coordinator *c = user;

	if (launch == c->now && c->job.state == JOB_STOPPING)
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
		coordinator_event(c, JOB_EV_REPLACED_SOON, 0, now,
				  "no rank is left, and an executor will be "
				  "ready soon");
	else
		coordinator_event(c, JOB_EV_STOPPED, 0, now, "no rank is left");
}

/* ---- members ---- */

static void on_probed(void *user, int member)
{
	struct coordinator *c = user;

	c->launcher->ops->admit(c->launcher, member);
}

static void on_ready(void *user, int member)
{
	coordinator_count_executors(user);
}

static void on_unfit(void *user, int member, const char *failure, int exit_code)
{
	struct coordinator *c = user;
	char reason[512];

	snprintf(reason, sizeof(reason), "%s: %.400s",
		 members_ledger(c->members)->members[member].name, failure);
	log_warn("executor=%s", reason);
	if (c->job.starts != 0)
		return;
	c->exit_code = as_exit_code(exit_code);
	coordinator_event(c, JOB_EV_UNFIT, 0, 0, reason);
}

static void on_attached(void *user, int member)
{
	struct coordinator *c = user;

	if (c->now)
		launch_on_attached(c->now, member);
	if (c->next)
		launch_on_attached(c->next, member);
}

/* It has no ranks any more, whatever it was to have.  The start in preparation
 * is the first to hear: with the last rank of the other gone, it is made. */
static void forget(struct coordinator *c, int member)
{
	c->launcher->ops->on_gone(c->launcher, member);
	storage_on_gone(c, member);
	if (c->next)
		launch_on_lost(c->next, member);
	if (c->now)
		launch_on_lost(c->now, member);
}

static void on_lost(void *user, int member, const char *reason)
{
	struct coordinator *c = user;
	bool had_ranks =
		c->now && layout_ranks(launch_layout(c->now), member) > 0;
	unsigned epoch = c->job.epoch; /* forgetting it may begin another */
	char text[192];

	forget(c, member);
	snprintf(text, sizeof(text), "%s was lost: %.100s",
		 members_ledger(c->members)->members[member].name, reason);
	if (!job_is_over(&c->job) &&
	    record_notice(c, BELLOWS__V1__NOTICE_KIND__NOTICE_LOST, text))
		service_publish(c, PUBLISH_SOON);
	if (had_ranks)
		coordinator_event(c, JOB_EV_LOST, epoch, 0, text);
}

static void on_left(void *user, int member)
{
	forget(user, member);
}

static void on_recalled(void *user, int member, msec_t grace)
{
	coordinator_on_recalled(user, member, grace);
}

static void on_log_lines(struct coordinator *c,
			 const Bellows__V1__LogLines *log)
{
	for (size_t i = 0; i < log->n_line; i++)
		coordinator_on_line(c, log->epoch, log->line[i]);
}

/* NULL: the start is over, and a report about it is dropped. */
static struct launch *find_start(const struct coordinator *c, unsigned epoch)
{
	if (c->now && launch_epoch(c->now) == epoch)
		return c->now;
	if (c->next && launch_epoch(c->next) == epoch)
		return c->next;
	return NULL;
}

static void on_arrived(struct coordinator *c, int member,
		       const Bellows__V1__GateArrived *gate)
{
	struct launch *launch = find_start(c, gate->epoch);

	if (launch)
		launch_on_arrived(launch, member, gate->rank);
}

static void on_ranks_up(struct coordinator *c, int member,
			const Bellows__V1__RanksUp *up)
{
	struct launch *launch = find_start(c, up->epoch);

	if (launch)
		launch_on_ranks_up(launch, member, up);
}

static void on_ranks_gone(struct coordinator *c, int member,
			  const Bellows__V1__RanksGone *gone)
{
	struct launch *launch = find_start(c, gone->epoch);

	if (launch)
		launch_on_ranks_gone(launch, member);
}

static void on_save_begun(struct coordinator *c,
			  const Bellows__V1__SaveBegun *begun)
{
	struct launch *launch = find_start(c, begun->epoch);

	if (launch)
		launch_save(launch, false, false);
}

static void dispatch(struct coordinator *c, int member,
		     const Bellows__V1__Report *report)
{
	switch (report->what_case) {
	case BELLOWS__V1__REPORT__WHAT_GATE_ARRIVED:
		on_arrived(c, member, report->gate_arrived);
		return;
	case BELLOWS__V1__REPORT__WHAT_RANKS_UP:
		on_ranks_up(c, member, report->ranks_up);
		return;
	case BELLOWS__V1__REPORT__WHAT_RANKS_GONE:
		on_ranks_gone(c, member, report->ranks_gone);
		return;
	case BELLOWS__V1__REPORT__WHAT_SAVE_BEGUN:
		on_save_begun(c, report->save_begun);
		return;
	case BELLOWS__V1__REPORT__WHAT_LOG_LINES:
		on_log_lines(c, report->log_lines);
		return;
	case BELLOWS__V1__REPORT__WHAT_DISK:
		storage_on_report(c, member, report->disk);
		return;
	case BELLOWS__V1__REPORT__WHAT_SSHD:
	case BELLOWS__V1__REPORT__WHAT_PROGRAM_ENDED:
		c->launcher->ops->on_report(c->launcher, member, report);
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
	struct coordinator *c = user;
	struct error err;

	if (claims_check_report(c, member, report, &err) < 0) {
		members_refute(c->members, member, err.text);
		return;
	}
	dispatch(c, member, report);
}

const struct members_events coordinator_members_events = {
	on_probed, on_ready, on_unfit,    on_attached,
	on_lost,   on_left,  on_recalled, on_report,
};
