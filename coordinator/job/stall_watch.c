/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/stall_watch.h"

#include "base/log.h"
#include "base/text.h"
#include "coordinator/job/internal.h"

/* ---- it stands still ---- */

msec_t driver_stall_length(const struct driver *driver)
{
	const struct stall *stall = &driver->stall.stall;

	return stall->told && !job_is_over(&driver->job)
		       ? stall_length(stall, loop_now())
		       : 0;
}

void driver_describe_stall(const struct driver *driver, char *text, size_t n)
{
	msec_t length = driver_stall_length(driver);

	if (length == 0)
		*text = '\0';
	else if (driver->stall.stall.knows_steps)
		snprintf(text, n, "no progress after %.60s for %s",
			 text_amount(driver->history->step,
				     jobfile_unit(driver->jobfile))
				 .s,
			 text_duration(length).s);
	else
		snprintf(text, n, "no output for %s", text_duration(length).s);
}

/* The ranks are killed: one that is told to leave might write a checkpoint
 * while another one stands still, and would never complete it. */
static void restart(struct driver *driver, const char *reason)
{
	launch_forbid(launches_now(driver->launches));
	driver_post(driver, JOB_EV_STALLED, driver->job.epoch, 0, reason);
}

static void on_stall(struct driver *driver)
{
	char reason[128], text[256];

	driver_describe_stall(driver, reason, sizeof(reason));
	snprintf(text, sizeof(text), "the job stands still: %s (stall_after)%s",
		 reason,
		 driver->jobfile->restarts_stalled
			 ? "; its ranks are killed (on_stall)"
			 : "");
	log_warn("epoch=%u %s", driver->job.epoch, text);
	driver_notice(driver, BELLOWS__V1__NOTICE_KIND__NOTICE_STALLED, text,
		      PUBLISH_NOW);
	if (driver->jobfile->restarts_stalled)
		restart(driver, reason);
}

/* ---- and gets on again ---- */

static void on_progress(struct driver *driver)
{
	char text[128];

	if (driver->stall.stall.knows_steps)
		snprintf(text, sizeof(text), "the job gets on again: %.60s",
			 text_amount(driver->history->step,
				     jobfile_unit(driver->jobfile))
				 .s);
	else
		snprintf(text, sizeof(text),
			 "the job gets on again: there is output");
	log_info("epoch=%u %s", driver->job.epoch, text);
	driver_notice(driver, BELLOWS__V1__NOTICE_KIND__NOTICE_STALL_OVER, text,
		      PUBLISH_NOW);
}

void stall_watch_on_step(struct driver *driver)
{
	if (stall_on_step(&driver->stall.stall, loop_now()))
		on_progress(driver);
}

void driver_on_output(struct driver *driver, unsigned epoch)
{
	if (epoch == driver->job.epoch &&
	    stall_on_output(&driver->stall.stall, loop_now()))
		on_progress(driver);
}

/* ---- looking ---- */

/* Some ranks were stopped by the lease of their executor.  Those of polled ones
 * have none. */
static bool is_excused(const struct driver *driver)
{
	const struct ledger *ledger = members_ledger(driver->members);
	msec_t lease = members_lease(driver->members);

	for (int i = 0; i < ledger->n; i++) {
		const struct member *m = &ledger->members[i];

		if (member_is_alive(m) && m->ranks > 0 && !m->polled &&
		    loop_now() - m->heard > lease)
			return true;
	}
	return false;
}

static void arm(struct driver *driver);

static void on_look(void *user)
{
	struct driver *driver = user;

	if (stall_look(&driver->stall.stall, is_excused(driver), loop_now()))
		on_stall(driver);
	arm(driver);
}

static void arm(struct driver *driver)
{
	struct stall_watch *watch = &driver->stall;
	msec_t next = stall_next_look(&watch->stall);

	if (next == 0)
		loop_timer_clear(&watch->timer);
	else
		loop_timer_set(driver->loop, &watch->timer, next, on_look,
			       driver);
}

/* While a checkpoint is written, checkpoint.deadline watches; while ranks come
 * up, start_deadline does. */
static bool can_compute(const struct driver *driver)
{
	switch (driver->job.state) {
	case JOB_RESUMING:
	case JOB_RUNNING:
	case JOB_GROWING:
	case JOB_PREPARING:
		return !driver->stall.held_back;
	case JOB_WAITING:
	case JOB_STARTING:
	case JOB_SAVING:
	case JOB_STOPPING:
	case JOB_REPLACING:
	case JOB_DONE:
	case JOB_FAILED:
	case JOB_CANCELLED:
	case JOB_SUSPENDED:
		return false;
	}
	return false;
}

void stall_watch_on_job(struct driver *driver)
{
	struct stall *stall = &driver->stall.stall;
	bool compute = can_compute(driver);

	if (stall->epoch == driver->job.epoch && stall->counts == compute)
		return;
	stall_on_ranks(stall, driver->job.epoch, compute, loop_now());
	arm(driver);
}

void driver_hold_back(struct driver *driver, bool yes)
{
	driver->stall.held_back = yes;
	stall_watch_on_job(driver);
	eta_watch_on_job(driver);
}

/* ---- life ---- */

void stall_watch_begin(struct driver *driver)
{
	driver->stall.stall = (struct stall){
		.patience = driver->jobfile->stall_after,
		.knows_steps = driver->history->step > 0,
		.looked = loop_now(),
	};
}

void stall_watch_fini(struct stall_watch *watch)
{
	loop_timer_clear(&watch->timer);
}
