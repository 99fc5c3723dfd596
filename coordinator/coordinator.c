/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/coordinator.h"

#include "base/list.h"
#include "coordinator/run_records.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- signals ---- */

/* A platform takes this program away, and not the job. */
static void on_terminate(void *user, int signo, pid_t sender)
{
	struct coordinator *c = user;

	run_records_mark_ending(c->config->state);
	driver_hand_over(c->driver, c->told_to_end ? 0 : c->config->grace,
			 strsignal(signo));
	c->told_to_end = true;
}

/* A person wants the job to end. */
static void on_interrupt(void *user, int signo, pid_t sender)
{
	struct coordinator *c = user;

	run_records_mark_ending(c->config->state);
	driver_cancel(c->driver, !c->told_to_end, strsignal(signo));
	c->told_to_end = true;
}

static void on_forward(void *user, int signo, pid_t sender)
{
	struct coordinator *c = user;

	driver_signal(c->driver, signo);
}

static int catch_signals(struct coordinator *c, struct error *err)
{
	static const int forwarded[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH};
	int r = loop_signal_add(c->loop, SIGTERM, on_terminate, c, err);

	if (r == 0)
		r = loop_signal_add(c->loop, SIGINT, on_interrupt, c, err);
	for (size_t i = 0; r == 0 && i < LENGTH(forwarded); i++)
		r = loop_signal_add(c->loop, forwarded[i], on_forward, c, err);
	return r;
}

/* ---- life ---- */

static int create_driver(struct coordinator *c, const char *bindir,
			 const struct former *former, struct error *err)
{
	const struct driver_config config = {
		.loop = c->loop,
		.jobfile = c->jobfile,
		.want = c->config->want,
		.grant = c->config->grant,
		.state_dir = c->config->state,
		.journal_dir = coordinator_journal_dir(c->config),
		.bindir = bindir,
		.former = former,
		.events = &service_driver_events,
		.user = c->service,
	};
	int r = driver_create(&c->driver, &config, err);

	if (r == 0)
		service_set_driver(c->service, c->driver);
	return r;
}

int coordinator_create(struct coordinator **out, struct loop *loop,
		       const struct coordinator_config *config,
		       struct error *err)
{
	CLEANUP(coordinator_destroy)
	struct coordinator *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return error_set(err, -ENOMEM, "out of memory");
	c->config = config;
	c->loop = loop;
	r = jobfile_read(&c->jobfile, config->job, config->folder, err);
	if (r == 0)
		r = service_create(&c->service, loop, config, c->jobfile, err);
	if (r < 0)
		return r;
	*out = STEAL(c);
	return 0;
}

int coordinator_prepare(struct coordinator *c, const char *bindir,
			const struct former *former, struct error *err)
{
	int r = create_driver(c, bindir, former, err);

	if (r == 0)
		r = coordinator_wait_fence(c);
	return r == 0 ? catch_signals(c, err) : r;
}

static void after_each(void *user)
{
	driver_settle(user);
}

int coordinator_run(struct coordinator *c)
{
	loop_after_each(c->loop, after_each, c->driver);
	return loop_run(c->loop);
}

struct coordinator *coordinator_destroy(struct coordinator *c)
{
	enum checkpoint_owner_end end;

	if (!c)
		return NULL;
	end = coordinator_judge_end(c);
	loop_after_each(c->loop, NULL, NULL);
	service_destroy(c->service);
	driver_destroy(c->driver);
	checkpoint_owner_leave(c->owner, end);
	jobfile_destroy(c->jobfile);
	free(c);
	return NULL;
}
