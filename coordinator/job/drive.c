/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/coordinator.h"

#include "base/log.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

/*
 * The queue of events, and what follows from each of them
 *
 *     event -> job_step() -> journal -> effect -> status
 */

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
	const char *more = awaits ? c->trouble
			   : c->job.state == JOB_SAVING
				   ? storage_dir(c->storage)
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
	coordinator_post(c, JOB_EV_TIMEOUT, 0, coordinator_possible(c, target),
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

/* ---- one event of the job ---- */

enum taken {
	TAKEN,      /* written down, and then so */
	UNEXPECTED, /* by the state that the job is in */
	DISOWNED,   /* the job is another coordinator's */
};

static enum taken take(struct coordinator *c, const struct job_event *event,
		       const char *reason)
{
	struct job after = c->job;

	if (!job_step(&after, event))
		return UNEXPECTED;
	if (!record_event(c->record, event, reason))
		return DISOWNED;
	c->job = after;
	return TAKEN;
}

/* Losses are counted since the last checkpoint, asked for or not; but a
 * start that may have begun afresh has written none that is worth more. */
static bool forgive(struct coordinator *c, enum job_event_type type)
{
	const struct job_event kept = {.type = JOB_EV_KEPT, .now = loop_now()};

	return !goes_back(c, type) || !c->job.resumed ||
	       !storage_find(c->storage) ||
	       take(c, &kept, "a newer checkpoint is there") != DISOWNED;
}

/* What follows from a job that was as before. */
static void follow(struct coordinator *c, const struct job *before,
		   const struct event *event)
{
	bool moved = before->state != c->job.state;

	history_on_step(c->history, before, &c->job, event->job.type,
			event->reason, event->job.now);
	if (c->job.proven != 0)
		trials_pass(c->trials, c->job.proven);
	if (moved) {
		snprintf(c->reason, sizeof(c->reason), "%s", event->reason);
		log_transition(c, before, event->job.type);
	}
	if (job_is_over(&c->job))
		c->exit_code = exit_code_of(c);
	coordinator_arm_deadline(c);
	storage_on_step(c->storage, before, &c->job);
	periodic_on_step(c, before);
	/* or another start is to be prepared */
	if (moved || (c->job.next != 0 && c->job.next != before->next))
		coordinator_carry_out(c);
	else
		coordinator_post_executors(c);
	coordinator_hold_executors(c);
	service_publish(c, moved ? PUBLISH_NOW : PUBLISH_SOON);
}

/* False: the job is another coordinator's. */
static bool step(struct coordinator *c, const struct event *event)
{
	struct job before;
	enum taken taken;

	if (!forgive(c, event->job.type))
		return false;
	before = c->job;
	taken = take(c, &event->job, event->reason);
	if (taken == TAKEN)
		follow(c, &before, event);
	if (event->job.type == JOB_EV_UNPREPARED && c->job.next == 0 &&
	    launches_find(c->launches, event->job.epoch) ==
		    launches_next(c->launches))
		coordinator_drop_next(c);
	return taken != DISOWNED;
}

/* ---- the queue ---- */

static void put(struct coordinator *c, const struct event *event)
{
	if (events_put(&c->events, event) == 0)
		return;
	log_error("out of memory: the coordinator ends, and the job with it");
	loop_stop(c->loop, -ENOMEM);
}

void coordinator_post_event(struct coordinator *c,
			    const struct job_event *event, const char *reason)
{
	struct event posted = {.kind = EVENT_JOB, .job = *event};

	snprintf(posted.reason, sizeof(posted.reason), "%s", reason);
	put(c, &posted);
}

void coordinator_post(struct coordinator *c, enum job_event_type type,
		      unsigned epoch, unsigned size, const char *reason)
{
	const struct job_event event = {
		.type = type, .now = loop_now(), .epoch = epoch, .size = size};

	coordinator_post_event(c, &event, reason);
}

void coordinator_post_kind(struct coordinator *c, enum event_kind kind,
			   unsigned epoch)
{
	const struct event event = {.kind = kind,
				    .job = {.now = loop_now(), .epoch = epoch}};

	put(c, &event);
}

/* Makes an event of the job of it; false: there is none. */
static bool read_event(struct coordinator *c, struct event *event)
{
	switch (event->kind) {
	case EVENT_JOB:
		return true;
	case EVENT_EXECUTORS:
		return coordinator_count_executors(c, event);
	case EVENT_ENDED:
		return verdict_on_ended(c, event);
	case EVENT_OVERDUE:
		return verdict_on_overdue(c, event);
	}
	return false;
}

void coordinator_settle(struct coordinator *c)
{
	struct event event;

	if (list_is_empty(&c->events))
		return;
	while (events_take(&c->events, &event))
		if (read_event(c, &event) && !step(c, &event)) {
			events_clear(&c->events);
			return;
		}
	if (coordinator_hold_executors(c)) /* an executor leaves */
		service_publish(c, PUBLISH_NOW);
	coordinator_let_go(c);
	coordinator_release_surplus(c);
}
