/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/coordinator.h"

#include "base/log.h"
#include "base/text.h"
#include "coordinator/run_records.h"
#include "jobfile/exit.h"

#include <errno.h>
#include <signal.h>

/*
 * Whose the job is: the checkpoint directory's owner, and what follows from it
 */

/* ---- what the owner tells ---- */

static void on_owned(void *user)
{
	struct coordinator *c = user;

	loop_stop(c->loop, 0);
}

static void on_seen(void *user, msec_t until)
{
	struct coordinator *c = user;

	c->owned_until = until;
	if (c->driver)
		driver_own_until(c->driver, until);
}

/* As when another one has written to the journal. */
static void on_lost(void *user, const char *text)
{
	struct coordinator *c = user;

	log_error("%s", text);
	loop_stop(c->loop, -EBUSY);
}

static const struct checkpoint_owner_events events = {
	on_owned,
	on_seen,
	on_lost,
};

/* ---- waiting ---- */

/* Nothing of the job has begun, so nothing is saved. */
static void on_end(void *user, int signo, pid_t sender)
{
	struct coordinator *c = user;

	run_records_mark_ending(c->config->state);
	c->told_to_end = true;
	log_info("told to end before the job has begun");
	loop_stop(c->loop, EXIT_SUSPENDED);
}

static int wait_in_loop(struct coordinator *c)
{
	int r = loop_run(c->loop);

	return r < 0 ? EXIT_SYSTEM : r;
}

static int wait_for_other(struct coordinator *c)
{
	const char *whom = checkpoint_owner_waits_for(c->owner);
	int r;

	if (!*whom)
		return 0;
	run_records_tell_wait(c->config->state, whom);
	r = wait_in_loop(c);
	run_records_end_wait(c->config->state);
	return r;
}

int coordinator_own(struct coordinator *c, struct error *err)
{
	const struct jobfile *job = c->jobfile;
	int r = loop_signal_add(c->loop, SIGTERM, on_end, c, err);

	if (r == 0)
		r = loop_signal_add(c->loop, SIGINT, on_end, c, err);
	run_records_end_wait(c->config->state); /* of one that was killed */
	if (r == 0)
		r = checkpoint_owner_create(&c->owner, c->loop,
					    job->app.checkpoint_dir, job->name,
					    c->config->state, &events, c, err);
	return r < 0 ? r : wait_for_other(c);
}

static void on_fence_over(void *user)
{
	struct coordinator *c = user;

	loop_stop(c->loop, 0);
}

/* A job that goes on from its journal waits before its first start, and mends
 * nothing before that. */
int coordinator_wait_fence(struct coordinator *c)
{
	char text[120];
	msec_t lease;
	int r;

	if (!c->owner)
		return 0;
	driver_own_until(c->driver, c->owned_until);
	if (!checkpoint_owner_is_fenced(c->owner))
		return 0;
	lease = driver_fence(c->driver);
	if (driver_goes_on(c->driver))
		return 0;
	snprintf(text, sizeof(text),
		 "ranks of the coordinator before may compute for up to %s: "
		 "waiting",
		 text_duration(lease).s);
	log_info("%s", text);
	loop_timer_set(c->loop, &c->fence, lease, on_fence_over, c);
	run_records_tell_wait(c->config->state, text);
	r = wait_in_loop(c);
	run_records_end_wait(c->config->state);
	loop_timer_clear(&c->fence);
	return r;
}

/* ---- the end ---- */

enum checkpoint_owner_end coordinator_judge_end(const struct coordinator *c)
{
	if (!c->driver)
		return c->owner && checkpoint_owner_is_fenced(c->owner)
			       ? CHECKPOINT_OWNER_LEAVES
			       : CHECKPOINT_OWNER_LEAVES_NO_RANK;
	if (driver_job(c->driver)->state == JOB_DONE)
		return CHECKPOINT_OWNER_IS_DONE;
	return driver_has_no_rank(c->driver) ? CHECKPOINT_OWNER_LEAVES_NO_RANK
					     : CHECKPOINT_OWNER_LEAVES;
}
