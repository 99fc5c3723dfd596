/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "coordinator/job/progress.h"
#include "coordinator/members/polled.h"
#include "jobfile/exit.h"

#include <errno.h>

/*
 * What must be true in each state, brought about; again does no harm
 */

#define LEAVE_PATIENCE SECONDS(5) /* for ranks that have saved */
#define KILL_AFTER     SECONDS(5) /* the end of the job, for mpiexec */
#define LOOK_AGAIN     MSEC(50)

void driver_drop_next(struct driver *driver)
{
	trials_cancel(driver->trials);
	launches_drop_next(driver->launches);
}

/* The ranks that were are gone; their mpiexec may still be leaving. */
static void take_over(struct driver *driver)
{
	launches_take_over(driver->launches);
	progress_on_start(driver);
	driver->app_ended = driver->save.judged = driver->save.saved = false;
	driver->save.epoch = 0;
	loop_timer_clear(&driver->save.overdue);
}

static void count_ranks(struct driver *driver)
{
	struct ledger *ledger = members_ledger(driver->members);

	for (int i = 0; i < ledger->n; i++) {
		struct member *m = &ledger->members[i];

		m->ranks = launches_ranks(driver->launches, i);
		m->had_ranks |= m->ranks > 0;
	}
}

static const struct checkpoint *restart_of(const struct driver *driver)
{
	return driver->job.has_checkpoint
		       ? checkpoint_recovery_newest(driver->recovery)
		       : NULL;
}

static int rehearse(const struct driver *driver, struct error *err)
{
	const struct jobfile *job = driver->jobfile;

	return job->adapter->rehearse ? job->adapter->rehearse(&job->app, err)
				      : 0;
}

/* What no rescale could do is refused at the first start. */
static int prepare_files(struct driver *driver, struct error *err)
{
	const struct jobfile *job = driver->jobfile;
	const struct checkpoint *restart = restart_of(driver);
	int r = restart ? 0 : rehearse(driver, err);

	if (r < 0 || !job->adapter->prepare)
		return r;
	return job->adapter->prepare(&job->app, restart, err);
}

/* A start without its checkpoint is not made: it would begin afresh. */
static void on_unprepared_files(struct driver *driver, int r,
				const char *reason)
{
	bool gone = r == -ENOENT && !driver->job.resumed;

	log_error("epoch=%u not started: %s", driver->job.epoch, reason);
	driver->exit_code = gone ? EXIT_RESTARTED : EXIT_CHECKPOINT;
	driver_post(driver, gone ? JOB_EV_RESTARTED_CLEAN : JOB_EV_UNSTARTED,
		    driver->job.epoch, 0, reason);
}

/* Prepares a start, and tells it if its ranks are not bound as asked for. */
static int prepare(struct driver *driver, unsigned epoch, struct error *err)
{
	int r = launches_prepare(driver->launches, epoch, driver->job.target,
				 err);
	const char *trouble;

	if (r < 0)
		return r;
	trouble = launch_placement(launches_next(driver->launches))->trouble;
	if (*trouble)
		driver_notice(driver, BELLOWS__V1__NOTICE_KIND__NOTICE_UNBOUND,
			      trouble, PUBLISH_SOON);
	return 0;
}

static int make_start(struct driver *driver, struct error *err)
{
	if (!launch_has_epoch(launches_next(driver->launches),
			      driver->job.epoch)) {
		int r;

		driver_drop_next(driver);
		r = prepare(driver, driver->job.epoch, err);
		if (r < 0)
			return r;
	}
	take_over(driver);
	count_ranks(driver);
	return 0;
}

static void start_again(void *user)
{
	struct driver *driver = user;

	checkpoint_recovery_find(driver->recovery);
	driver_carry_out(driver);
}

void driver_own_until(struct driver *driver, msec_t until)
{
	bool again = loop_now() >= driver->fence.owned_until;

	driver->fence.owned_until = until;
	members_answer_until(driver->members, until);
	if (again && job_effect(&driver->job) == JOB_DO_START)
		loop_timer_set(driver->loop, &driver->fence.timer, 0,
			       start_again, driver);
}

static bool is_fenced(struct driver *driver)
{
	msec_t left = driver->fence.until - loop_now();

	if (left > 0)
		loop_timer_set(driver->loop, &driver->fence.timer, left,
			       start_again, driver);
	return left > 0 || loop_now() >= driver->fence.owned_until;
}

static void do_start(struct driver *driver)
{
	struct error err;
	int r;

	if (launch_has_epoch(launches_now(driver->launches),
			     driver->job.epoch) ||
	    is_fenced(driver))
		return;
	if (driver->job.has_checkpoint &&
	    !driver->save.saved && /* or it was seen just now */
	    !checkpoint_recovery_on_start(driver->recovery)) {
		driver_post(
			driver, JOB_EV_NO_CHECKPOINT, driver->job.epoch,
			driver_begins_anew(driver),
			checkpoint_recovery_unreadable(driver->recovery)->text);
		return;
	}
	r = make_start(driver, &err);
	if (r == 0) {
		r = prepare_files(driver, &err);
		if (r < 0) {
			on_unprepared_files(driver, r, err.text);
			return;
		}
		driver->exit_code = 0;
		r = launch_open(launches_now(driver->launches),
				restart_of(driver), &err);
	}
	if (r < 0)
		driver_post(driver, JOB_EV_UNSTARTED, driver->job.epoch, 0,
			    err.text);
}

static void do_prepare(struct driver *driver)
{
	struct error err;
	int r;

	if (launch_has_epoch(launches_next(driver->launches), driver->job.next))
		return;
	driver_drop_next(driver);
	r = checkpoint_recovery_on_prepare(driver->recovery, &err);
	if (r == 0)
		r = rehearse(driver, &err);
	if (r == 0)
		r = trials_look(driver->trials, driver->job.target, &err);
	if (r > 0)
		r = trials_begin(driver->trials, driver->job.target, &err);
	if (r == 0)
		r = prepare(driver, driver->job.next, &err);
	if (r < 0)
		driver_post(driver, JOB_EV_UNPREPARED, driver->job.next, 0,
			    err.text);
}

static void do_save(struct driver *driver)
{
	if (driver->job.next == 0)
		driver_drop_next(driver);
	if (driver->app_ended) /* what it left is being judged */
		return;
	checkpoint_recovery_on_order(driver->recovery);
}

void driver_order_save(struct driver *driver)
{
	if (job_effect(&driver->job) != JOB_DO_SAVE || driver->app_ended)
		return;
	driver->save.epoch = driver->job.epoch;
	driver->save.judged = driver->save.saved = false;
	launch_save(launches_now(driver->launches), true,
		    progress_takes_newest(driver));
}

void driver_on_stopped(struct driver *driver)
{
	driver_post_kind(driver, EVENT_STOPPED, 0);
}

/* Ranks that were told to save by a signal leave by themselves; others would
 * compute on, and that work would be lost. */
static msec_t leave_patience(const struct driver *driver)
{
	return driver->save.saved && !jobfile_saves_unasked(driver->jobfile)
		       ? LEAVE_PATIENCE
		       : 0;
}

static void do_stop(struct driver *driver)
{
	struct launch *now = launches_now(driver->launches);

	if (now && driver->save.saved && driver->jobfile->adapter->first_writes)
		launch_forbid(now);
	if (now && !launch_is_gone(now))
		launch_stop(now, leave_patience(driver));
	else
		driver_on_stopped(driver);
}

static void finish(void *user)
{
	struct driver *driver = user;

	loop_stop(driver->loop, driver->exit_code);
}

/* A polled executor asks only now and then: it needs the time to ask once more,
 * and so to hear that the job is over. */
static msec_t end_after(const struct driver *driver)
{
	return member_all_polled(members_ledger(driver->members))
		       ? POLLED_SILENCE
		       : MEMBERS_LAST_WORDS;
}

static msec_t spent_on_end(struct driver *driver)
{
	if (driver->end.since == 0)
		driver->end.since = loop_now();
	return loop_now() - driver->end.since;
}

/* Executors are not released: they look for the next coordinator. */
static void do_hand_over(void *user)
{
	struct driver *driver = user;
	struct launch *now = launches_now(driver->launches);
	msec_t spent = spent_on_end(driver);

	driver_drop_next(driver);
	driver->exit_code = EXIT_SUSPENDED;
	loop_timer_set(driver->loop, &driver->end.timer, LOOK_AGAIN,
		       !now || launch_has_ended(now) || spent > KILL_AFTER
			       ? finish
			       : do_hand_over,
		       driver);
}

static void do_end(void *user)
{
	struct driver *driver = user;
	struct ledger *ledger = members_ledger(driver->members);
	struct launch *now = launches_now(driver->launches);
	msec_t spent = spent_on_end(driver);

	driver_drop_next(driver);
	if (now)
		launch_stop(now, 0);
	/* mpiexec leaves by itself once its ranks have, or is made to */
	if (now && spent > KILL_AFTER)
		launch_kill(now);
	if (!now || launch_has_ended(now) || spent > KILL_AFTER)
		for (int i = 0; i < ledger->n; i++)
			if (ledger->members[i].state != MEMBER_LEAVING)
				members_release(driver->members, i,
						"the job is over");
	if ((members_alive(driver->members) == 0 &&
	     trials_are_over(driver->trials)) ||
	    spent > end_after(driver)) {
		driver->config.events->over(driver->config.user);
		loop_timer_set(driver->loop, &driver->end.timer, LOOK_AGAIN,
			       finish, driver);
		return;
	}
	loop_timer_set(driver->loop, &driver->end.timer, LOOK_AGAIN, do_end,
		       driver);
}

void driver_carry_out(struct driver *driver)
{
	switch (job_effect(&driver->job)) {
	case JOB_DO_WAIT:
	case JOB_DO_COMPUTE:
	case JOB_DO_GATHER:
		driver_drop_next(driver);
		driver_post_executors(driver);
		return;
	case JOB_DO_START:
		do_start(driver);
		return;
	case JOB_DO_PREPARE:
		do_prepare(driver);
		return;
	case JOB_DO_SAVE:
		do_save(driver);
		return;
	case JOB_DO_STOP:
		do_stop(driver);
		return;
	case JOB_DO_HAND_OVER:
		do_hand_over(driver);
		return;
	case JOB_DO_END:
		do_end(driver);
		return;
	}
}
