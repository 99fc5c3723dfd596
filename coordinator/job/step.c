/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"

#include "base/log.h"
#include "base/text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/*
 * The events that wait, and what follows from each of them
 *
 *     event -> job_step() -> journal -> effect -> status
 *
 * The journal may take its time.  Until the line of an event is on the disk the
 * event is pending: the job is as it was before, and no other event is taken
 * out.
 */

static int exit_code_of(const struct driver *driver)
{
	switch (driver->job.state) {
	case JOB_DONE:
		return EXIT_DONE;
	case JOB_CANCELLED:
		return EXIT_CANCELLED;
	case JOB_SUSPENDED:
		return EXIT_SUSPENDED;
	case JOB_FAILED:
		if (driver->exit_code != 0)
			return driver->exit_code;
		if (driver->progress.restarted_clean != 0 &&
		    driver->progress.restarted_clean == driver->job.epoch)
			return EXIT_RESTARTED;
		if (!driver->app_ended)
			return EXIT_UNREACHABLE;
		if (WIFSIGNALED(driver->app_status))
			return 128 + WTERMSIG(driver->app_status);
		return WEXITSTATUS(driver->app_status)
			       ? WEXITSTATUS(driver->app_status)
			       : EXIT_EARLY;
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

#define PATIENCE(member) offsetof(struct job_patience, member)

/* What a state waits for, how long, and the key of the job file that says so.
 */
static const struct {
	size_t patience;
	const char *failure, *key;
} waits[] = {
	[JOB_WAITING] = {PATIENCE(executors),
			 "the executors of the job did not come",
			 "wait_deadline"},
	[JOB_GROWING] = {PATIENCE(grow),
			 "the executors of the new size did not come",
			 "scale.deadline"},
	[JOB_REPLACING] = {PATIENCE(replace), "no replacement was ready",
			   "replacement_wait"},
	[JOB_PREPARING] = {PATIENCE(start), "the next start was not ready",
			   "start_deadline"},
	[JOB_STARTING] = {PATIENCE(start), "the ranks did not come up",
			  "start_deadline"},
	[JOB_RESUMING] = {PATIENCE(resume),
			  "no line of the application showed that it went on "
			  "from its checkpoint",
			  "resume_deadline"},
	[JOB_SAVING] = {PATIENCE(save), "no complete checkpoint was written",
			"checkpoint.deadline"},
	[JOB_STOPPING] = {PATIENCE(stop), "the ranks did not end", NULL},
	[JOB_RUNNING] = {0}, /* the instant at which a size is tried again */
};

/* The cause, as far as it is known; else "". */
static const char *cause_of(const struct driver *driver)
{
	enum job_state state = driver->job.state;
	const struct launch *now = launches_now(driver->launches);

	if (state == JOB_SAVING)
		return checkpoint_recovery_dir(driver->recovery);
	if (state == JOB_STOPPING)
		return now && launch_is_dying(now)
			       ? "mpiexec was killed and has not ended"
			       : "";
	return state == JOB_WAITING || state == JOB_REPLACING ||
			       state == JOB_GROWING
		       ? driver->trouble
		       : "";
}

/* Executors that leave, and a coordinator, shorten these patiences. */
static bool is_hurried(const struct job *job)
{
	return job->leave != 0 &&
	       (job->state == JOB_PREPARING || job->state == JOB_SAVING);
}

static void describe_timeout(const struct driver *driver, char *text, size_t n)
{
	const struct job *job = &driver->job;
	msec_t patience = *(const msec_t *)((const char *)&job->patience +
					    waits[job->state].patience);
	const char *key = waits[job->state].key;
	const char *cause = cause_of(driver);

	/* a request may have a deadline of its own */
	if (job->state == JOB_GROWING &&
	    patience != driver->jobfile->scale_deadline)
		key = NULL;
	if (job->state == JOB_RUNNING)
		snprintf(text, n, "the size is tried again");
	else if (is_hurried(job))
		snprintf(text, n, "%s before %s leaves",
			 waits[job->state].failure,
			 job->hands_over ? "the coordinator" : "an executor");
	else
		snprintf(text, n, "%s within %s%s%s%s",
			 waits[job->state].failure, text_duration(patience).s,
			 key ? " (" : "", key ? key : "", key ? ")" : "");
	if (*cause)
		snprintf(text + strlen(text), n - strlen(text), ": %s", cause);
}

static void on_deadline(void *user)
{
	struct driver *driver = user;
	unsigned target = driver->job.target;
	char reason[EVENT_REASON_MAX];

	/* however the ranks ended before */
	if (driver->job.state == JOB_WAITING)
		driver->exit_code = EXIT_UNREACHABLE;
	describe_timeout(driver, reason, sizeof(reason));
	if (is_hurried(&driver->job) && driver->job.state == JOB_SAVING)
		log_warn("epoch=%u no new checkpoint in time: going on from "
			 "the newest one that is complete",
			 driver->job.epoch);
	driver_post(driver, JOB_EV_TIMEOUT, 0, driver_possible(driver, target),
		    reason);
}

/* A start that waits for the fence has all its time when that is over. */
static msec_t deadline_of(const struct driver *driver)
{
	const struct job *job = &driver->job;
	msec_t fenced = driver->fence.until + job->patience.start;

	return job->state == JOB_STARTING && fenced > job->deadline
		       ? fenced
		       : job->deadline;
}

void driver_arm_deadline(struct driver *driver)
{
	msec_t left = deadline_of(driver) - loop_now();

	loop_timer_clear(&driver->deadline);
	if (driver->job.deadline != 0)
		loop_timer_set(driver->loop, &driver->deadline,
			       left > 0 ? left : 0, on_deadline, driver);
}

static void log_transition(const struct driver *driver,
			   const struct job *before, enum job_event_type type)
{
	log_info("job=%s %s -> %s size=%u target=%u epoch=%u: %s",
		 driver->jobfile->name, job_state_name(before->state),
		 job_state_name(driver->job.state), driver->job.size,
		 driver->job.target, driver->job.epoch,
		 *driver->reason ? driver->reason : job_event_name(type));
}

/* The job may be about to go on from what is there. */
static bool goes_back(const struct driver *driver, enum job_event_type type)
{
	return type == JOB_EV_CRASHED || type == JOB_EV_LOST ||
	       type == JOB_EV_UNSTARTED || type == JOB_EV_STALLED ||
	       (driver->job.leave != 0 &&
		(type == JOB_EV_TIMEOUT || type == JOB_EV_UNSAVED));
}

/* ---- one event of the job ---- */

/* What follows from a job that was as before. */
static void follow(struct driver *driver, const struct job *before,
		   const struct event *event)
{
	bool moved = before->state != driver->job.state;

	history_on_step(driver->history, before, &driver->job, &event->job,
			event->reason);
	if (driver->job.proven != 0)
		trials_pass(driver->trials, driver->job.proven);
	if (moved) {
		snprintf(driver->reason, sizeof(driver->reason), "%s",
			 event->reason);
		log_transition(driver, before, event->job.type);
	}
	if (job_is_over(&driver->job))
		driver->exit_code = exit_code_of(driver);
	driver_arm_deadline(driver);
	checkpoint_recovery_on_step(driver->recovery, before, &driver->job);
	periodic_on_step(driver, before);
	stall_watch_on_job(driver);
	eta_watch_on_job(driver);
	/* or another start is to be prepared */
	if (moved || job_effect(before) != job_effect(&driver->job) ||
	    (driver->job.next != 0 && driver->job.next != before->next))
		driver_carry_out(driver);
	else
		driver_post_executors(driver);
	driver_hold_executors(driver);
	driver_publish(driver, moved ? PUBLISH_NOW : PUBLISH_SOON);
}

/* A patience begins when the ranks or executors can be told, not before; an
 * executor that leaves does not wait for that. */
static void put_off_deadline(struct job *job, const struct job *before,
			     msec_t since)
{
	if (job->deadline != 0 && job->deadline != before->deadline &&
	    job->leave == 0)
		job->deadline += loop_now() - since;
}

/* The pending event is written down, and takes effect. */
static void apply(struct driver *driver)
{
	const struct event event = driver->pending.event;
	const struct job before = driver->job;

	driver->job = driver->pending.after;
	driver->pending.is = false;
	put_off_deadline(&driver->job, &before, event.job.now);
	if (event.job.type == JOB_EV_KEPT)
		driver_arm_deadline(driver);
	else
		follow(driver, &before, &event);
}

void driver_on_written(void *user)
{
	apply(user);
}

/* False: the state that the job is in does not expect it. */
static bool step(struct driver *driver, const struct event *event)
{
	struct event dated = *event;

	dated.job.now = journal_writer_instant(driver->writer, event->job.now);
	driver->pending.after = driver->job;
	if (!job_step(&driver->pending.after, &dated.job))
		return false;
	driver->pending.event = dated;
	driver->pending.is = true;
	loop_timer_clear(&driver->deadline); /* it may be another one then */
	if (journal_writer_event(driver->writer, &dated.job, dated.reason))
		apply(driver);
	return true;
}

/* Losses are counted since the last checkpoint, asked for or not; but a
 * start that may have begun afresh has written none that is worth more. */
static bool forgives(struct driver *driver, enum job_event_type type)
{
	return goes_back(driver, type) && driver->job.resumed &&
	       checkpoint_recovery_find(driver->recovery);
}

static void take(struct driver *driver, const struct event *event)
{
	const struct event kept = {
		.kind = EVENT_JOB,
		.job = {.type = JOB_EV_KEPT, .now = loop_now()},
		.reason = "a newer checkpoint is there",
	};

	if (forgives(driver, event->job.type) && step(driver, &kept)) {
		driver->pending.next = *event;
		driver->pending.has_next = true;
		return;
	}
	if (!step(driver, event) && event->job.type == JOB_EV_UNPREPARED &&
	    driver->job.next == 0 &&
	    launches_find(driver->launches, event->job.epoch) ==
		    launches_next(driver->launches))
		driver_drop_next(driver);
}

/* ---- all of them ---- */

/* Makes an event of the job of it; false: there is none. */
static bool read_event(struct driver *driver, struct event *event)
{
	switch (event->kind) {
	case EVENT_JOB:
		/* executors may have come or gone since */
		if (event->job.type == JOB_EV_LEAVE)
			event->job.size =
				driver_possible(driver, driver->job.target);
		return true;
	case EVENT_EXECUTORS:
		return driver_count_executors(driver, event);
	case EVENT_SAVED:
		save_result_on_saved(driver, event);
		return true;
	case EVENT_STOPPED:
		driver_count_stopped(driver, event);
		return true;
	case EVENT_ENDED:
		return save_result_on_ended(driver, event);
	case EVENT_OVERDUE:
		return save_result_on_overdue(driver, event);
	}
	return false;
}

/* The next one, of which an event of the job is to be made. */
static bool take_out(struct driver *driver, struct event *event)
{
	if (driver->pending.is)
		return false;
	if (driver->pending.has_next) {
		driver->pending.has_next = false;
		step(driver, &driver->pending.next);
	}
	return !driver->pending.is && events_take(&driver->events, event);
}

/* True: no event waits, for its turn or for the journal. */
static bool step_all(struct driver *driver)
{
	struct event event;

	while (take_out(driver, &event)) {
		driver->settled = false;
		if (read_event(driver, &event))
			take(driver, &event);
	}
	return !driver->pending.is;
}

static void finish_settling(struct driver *driver)
{
	if (driver->settled)
		return;
	driver->settled = true;
	if (driver_hold_executors(driver)) /* an executor leaves */
		driver_publish(driver, PUBLISH_NOW);
	driver_release_drained(driver);
	driver_release_surplus(driver);
}

static bool let_one_in(struct driver *driver)
{
	struct list *first = driver->visitors.next;
	struct driver_visitor *visitor;

	if (first == &driver->visitors)
		return false;
	list_remove(first);
	visitor = CONTAINER(first, struct driver_visitor, link);
	visitor->fn(visitor->user);
	return true;
}

void driver_settle(struct driver *driver)
{
	do {
		if (!step_all(driver))
			return;
		finish_settling(driver);
	} while (let_one_in(driver));
}
