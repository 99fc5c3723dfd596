/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/coordinator.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "coordinator/job/progress.h"
#include "coordinator/members/polled.h"
#include "jobfile/exit.h"

#include <errno.h>

/*
 * What must be true in each state, brought about; again does no harm
 */

enum {
	LEAVE_PATIENCE = 5000, /* for ranks that have saved */
	KILL_AFTER = 5000,     /* the end of the job, for mpiexec */
	LOOK_AGAIN = 50,
};

void coordinator_drop_next(struct coordinator *c)
{
	trials_cancel(c->trials);
	launches_drop_next(c->launches);
}

static bool has_epoch(const struct launch *launch, unsigned epoch)
{
	return launch && launch_epoch(launch) == epoch;
}

/* The ranks that were are gone; their mpiexec may still be leaving. */
static void take_over(struct coordinator *c)
{
	launches_take_over(c->launches);
	progress_on_start(c);
	c->app_ended = c->judged = c->saved = false;
	c->save_ordered = 0;
	loop_timer_clear(&c->verdict);
}

static void count_ranks(struct coordinator *c)
{
	struct ledger *ledger = members_ledger(c->members);

	for (int i = 0; i < ledger->n; i++) {
		struct member *m = &ledger->members[i];

		m->ranks = launches_ranks(c->launches, i);
		m->had_ranks |= m->ranks > 0;
	}
}

static const struct checkpoint *restart_of(const struct coordinator *c)
{
	return c->job.has_checkpoint ? storage_newest(c->storage) : NULL;
}

static int prepare_files(struct coordinator *c, struct error *err)
{
	const struct jobfile *job = c->jobfile;

	if (!job->adapter->prepare)
		return 0;
	return job->adapter->prepare(&job->app, restart_of(c), err);
}

/* A start without its checkpoint is not made: it would begin afresh. */
static void on_unprepared_files(struct coordinator *c, int r,
				const char *reason)
{
	bool gone = r == -ENOENT && !c->job.resumed;

	log_error("epoch=%u not started: %s", c->job.epoch, reason);
	c->exit_code = gone ? EXIT_AFRESH : EXIT_CHECKPOINT;
	coordinator_post(c, gone ? JOB_EV_AFRESH : JOB_EV_UNSTARTED,
			 c->job.epoch, 0, reason);
}

static int make_start(struct coordinator *c, struct error *err)
{
	if (!has_epoch(launches_next(c->launches), c->job.epoch)) {
		int r;

		coordinator_drop_next(c);
		r = launches_prepare(c->launches, c->job.epoch, c->job.target,
				     err);
		if (r < 0)
			return r;
	}
	take_over(c);
	count_ranks(c);
	return 0;
}

static void start_again(void *user)
{
	struct coordinator *c = user;

	storage_find(c->storage);
	coordinator_carry_out(c);
}

static bool is_fenced(struct coordinator *c)
{
	msec_t left = c->fence - loop_now();

	if (left > 0)
		loop_timer_set(c->loop, &c->fenced, left, start_again, c);
	return left > 0;
}

static void do_start(struct coordinator *c)
{
	struct error err;
	int r;

	if (has_epoch(launches_now(c->launches), c->job.epoch) || is_fenced(c))
		return;
	if (c->job.has_checkpoint && !c->saved) /* or it was seen just now */
		storage_on_start(c->storage);
	r = make_start(c, &err);
	if (r == 0) {
		r = prepare_files(c, &err);
		if (r < 0) {
			on_unprepared_files(c, r, err.text);
			return;
		}
		c->exit_code = 0;
		r = launch_open(launches_now(c->launches), restart_of(c), &err);
	}
	if (r < 0)
		coordinator_post(c, JOB_EV_UNSTARTED, c->job.epoch, 0,
				 err.text);
}

static void do_prepare(struct coordinator *c)
{
	struct error err;
	int r;

	if (has_epoch(launches_next(c->launches), c->job.next))
		return;
	coordinator_drop_next(c);
	r = storage_on_prepare(c->storage, &err);
	if (r == 0)
		r = trials_look(c->trials, c->job.target, &err);
	if (r > 0)
		r = trials_begin(c->trials, c->job.target, &err);
	if (r == 0)
		r = launches_prepare(c->launches, c->job.next, c->job.target,
				     &err);
	if (r < 0)
		coordinator_post(c, JOB_EV_UNPREPARED, c->job.next, 0,
				 err.text);
}

static void do_save(struct coordinator *c)
{
	if (c->job.next == 0)
		coordinator_drop_next(c);
	c->save_ordered = c->job.epoch;
	c->judged = c->saved = false;
	storage_on_order(c->storage);
	launch_save(launches_now(c->launches), true, progress_takes_newest(c));
}

/* Whoever was told by a signal leaves; others would compute on in vain. */
static msec_t leave_patience(const struct coordinator *c)
{
	return c->saved && !jobfile_saves_unasked(c->jobfile) ? LEAVE_PATIENCE
							      : 0;
}

static void do_stop(struct coordinator *c)
{
	struct launch *now = launches_now(c->launches);

	if (now && !launch_is_gone(now))
		launch_stop(now, leave_patience(c));
	else
		coordinator_on_stopped(c);
}

static void finish(void *user)
{
	struct coordinator *c = user;

	loop_stop(c->loop, c->exit_code);
}

/* Who only asks now and then has to ask once more. */
static msec_t end_after(const struct coordinator *c)
{
	return member_all_polled(members_ledger(c->members))
		       ? POLLED_SILENCE
		       : MEMBERS_LAST_WORDS;
}

static void do_end(void *user)
{
	struct coordinator *c = user;
	struct ledger *ledger = members_ledger(c->members);
	struct launch *now = launches_now(c->launches);
	msec_t spent;

	if (c->ending_since == 0)
		c->ending_since = loop_now();
	spent = loop_now() - c->ending_since;
	coordinator_drop_next(c);
	if (now)
		launch_stop(now, 0);
	/* mpiexec leaves by itself once its ranks have, or is made to */
	if (now && spent > KILL_AFTER)
		launch_kill(now);
	if (!now || launch_has_ended(now) || spent > KILL_AFTER)
		for (int i = 0; i < ledger->n; i++)
			if (ledger->members[i].state != MEMBER_LEAVING)
				members_release(c->members, i,
						"the job is over");
	if ((members_alive(c->members) == 0 && trials_are_over(c->trials)) ||
	    spent > end_after(c)) {
		service_finish(c);
		loop_timer_set(c->loop, &c->end, LOOK_AGAIN, finish, c);
		return;
	}
	loop_timer_set(c->loop, &c->end, LOOK_AGAIN, do_end, c);
}

void coordinator_carry_out(struct coordinator *c)
{
	switch (job_effect(&c->job)) {
	case JOB_DO_WAIT:
	case JOB_DO_COMPUTE:
	case JOB_DO_GATHER:
		coordinator_drop_next(c);
		coordinator_post_executors(c);
		return;
	case JOB_DO_START:
		do_start(c);
		return;
	case JOB_DO_PREPARE:
		do_prepare(c);
		return;
	case JOB_DO_SAVE:
		do_save(c);
		return;
	case JOB_DO_STOP:
		do_stop(c);
		return;
	case JOB_DO_END:
		do_end(c);
		return;
	}
}
