/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/coordinator.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "coordinator/mpiexec.h"
#include "jobfile/exit.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

enum {
	PROVEN_AFTER = 10000, /* if no step is seen */
	VERDICT_AFTER = 10000,
	LEAVE_PATIENCE = 5000, /* for ranks that have saved */
	RETIRE_AFTER = 5000,
	END_AFTER = 15000,
	LOOK_AGAIN = 50,
	STOP_PATIENCE = 30000,
};

/* ---- what is possible ---- */

unsigned coordinator_possible(struct coordinator *c, unsigned limit)
{
	unsigned slots = member_slots_ready(members_ledger(c->members),
					    c->jobfile->ranks_per_executor);

	return jobfile_largest(c->jobfile, slots < limit ? slots : limit);
}

unsigned coordinator_executors_wanted(const struct coordinator *c)
{
	unsigned per = c->jobfile->ranks_per_executor;

	return (job_ranks_held(&c->job) + per - 1) / per;
}

/* ---- effects ---- */

static void retire(void *user)
{
	struct coordinator *c = user;

	c->retired = launch_destroy(c->retired);
}

static void drop_next(struct coordinator *c)
{
	struct launch *dropped = c->next;

	c->next = NULL;
	if (!dropped)
		return;
	launch_stop(dropped, 0);
	launch_destroy(dropped);
}

/* An application may have written a newer one unasked. */
static bool find_checkpoint(struct coordinator *c)
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

static int begin_launch(struct coordinator *c, struct launch **out,
			unsigned epoch, struct error *err)
{
	return launch_create(out, &c->room, epoch, c->job.target,
			     c->now ? launch_layout(c->now) : NULL, err);
}

/* The ranks that were are gone; their mpiexec may still be leaving. */
static void take_over(struct coordinator *c)
{
	retire(c);
	c->retired = c->now;
	c->now = c->next;
	c->next = NULL;
	c->app_ended = c->judged = c->saved = false;
	c->save_ordered = 0;
	loop_timer_clear(&c->verdict);
	loop_timer_set(c->loop, &c->retire, RETIRE_AFTER, retire, c);
}

static void count_ranks(struct coordinator *c)
{
	struct ledger *ledger = members_ledger(c->members);

	for (int i = 0; i < ledger->n; i++)
		ledger->members[i].ranks =
			c->now ? layout_ranks(launch_layout(c->now), i) : 0;
}

static void do_start(struct coordinator *c)
{
	struct error err;
	int r = 0;

	if (c->now && launch_epoch(c->now) == c->job.epoch)
		return;
	if (c->next && launch_epoch(c->next) != c->job.epoch)
		drop_next(c);
	if (!c->next)
		r = begin_launch(c, &c->next, c->job.epoch, &err);
	if (r == 0) {
		take_over(c);
		count_ranks(c);
		r = launch_open(c->now,
				c->job.has_checkpoint ? &c->checkpoint : NULL,
				&err);
	}
	if (r < 0)
		coordinator_event(c, JOB_EV_UNSTARTED, c->job.epoch, 0,
				  err.text);
}

static void do_prepare(struct coordinator *c)
{
	struct error err;

	if (c->next && launch_epoch(c->next) == c->job.next)
		return;
	drop_next(c);
	if (begin_launch(c, &c->next, c->job.next, &err) < 0)
		coordinator_event(c, JOB_EV_UNPREPARED, c->job.next, 0,
				  err.text);
}

static void do_save(struct coordinator *c)
{
	c->save_ordered = c->job.epoch;
	c->judged = c->saved = false;
	launch_save(c->now, true);
}

static void on_gone(void *user, struct launch *launch);

static void do_stop(struct coordinator *c)
{
	if (c->now && !launch_is_gone(c->now))
		launch_stop(c->now, c->saved ? LEAVE_PATIENCE : 0);
	else
		on_gone(c, c->now);
}

static void release_surplus(struct coordinator *c)
{
	struct ledger *ledger = members_ledger(c->members);

	/* until the new size has proven itself there is a way back */
	if (c->job.state != JOB_RUNNING || !c->job.stepped)
		return;
	for (int i = 0; i < ledger->n; i++)
		if (ledger->members[i].state == MEMBER_READY &&
		    ledger->members[i].ranks == 0)
			members_release(c->members, i,
					"the job does not need it");
}

/* Executors came or went: is the job waiting for them? */
static void count_executors(struct coordinator *c)
{
	if (c->job.state == JOB_WAITING || c->job.state == JOB_GROWING)
		coordinator_event(c, JOB_EV_EXECUTORS, 0,
				  coordinator_possible(c, c->job.target),
				  "all executors are ready");
	release_surplus(c);
}

static void finish(void *user)
{
	struct coordinator *c = user;

	loop_stop(c->loop, c->exit_code);
}

static void do_end(void *user)
{
	struct coordinator *c = user;
	struct ledger *ledger = members_ledger(c->members);
	msec_t spent;

	if (c->ending_since == 0)
		c->ending_since = loop_now();
	spent = loop_now() - c->ending_since;
	drop_next(c);
	if (c->now)
		launch_stop(c->now, 0);
	/* mpiexec leaves by itself once its ranks have, or is made to */
	if (c->now && spent > RETIRE_AFTER)
		launch_kill(c->now);
	if (!c->now || launch_has_ended(c->now) || spent > RETIRE_AFTER)
		for (int i = 0; i < ledger->n; i++)
			if (ledger->members[i].state != MEMBER_LEAVING)
				members_release(c->members, i,
						"the job is over");
	if (members_alive(c->members) == 0 || spent > END_AFTER) {
		service_finish(c);
		loop_timer_set(c->loop, &c->end, LOOK_AGAIN, finish, c);
		return;
	}
	loop_timer_set(c->loop, &c->end, LOOK_AGAIN, do_end, c);
}

static void carry_out(struct coordinator *c)
{
	switch (job_effect(&c->job)) {
	case JOB_DO_WAIT:
		drop_next(c);
		count_executors(c);
		return;
	case JOB_DO_START:
		do_start(c);
		return;
	case JOB_DO_COMPUTE:
		drop_next(c);
		count_executors(c);
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

/* ---- events ---- */

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
		if (!c->app_ended)
			return EXIT_UNREACHABLE;
		if (WIFSIGNALED(c->app_status))
			return 128 + WTERMSIG(c->app_status);
		return WEXITSTATUS(c->app_status) ? WEXITSTATUS(c->app_status)
						  : EXIT_INTERNAL;
	case JOB_WAITING:
	case JOB_STARTING:
	case JOB_RUNNING:
	case JOB_GROWING:
	case JOB_PREPARING:
	case JOB_SAVING:
	case JOB_STOPPING:
		return 0;
	}
	return 0;
}

static void on_deadline(void *user)
{
	struct coordinator *c = user;
	unsigned target = c->job.target;
	char reason[128];

	snprintf(reason, sizeof(reason), "the deadline for %s passed",
		 job_state_name(c->job.state));
	coordinator_event(c, JOB_EV_TIMEOUT, 0,
			  coordinator_possible(c, target), reason);
}

static void on_proven(void *user)
{
	struct coordinator *c = user;

	coordinator_event(c, JOB_EV_STEP, c->job.epoch, 0, "runs");
}

static void log_transition(const struct coordinator *c,
			   const struct job *before, enum job_event_type type)
{
	log_info("job=%s %s -> %s size=%u target=%u epoch=%u: %s",
		 c->jobfile->name, job_state_name(before->state),
		 job_state_name(c->job.state), c->job.size, c->job.target,
		 c->job.epoch, *c->reason ? c->reason : job_event_name(type));
}

/* Losses since the last checkpoint count, whoever asked for it. */
static void forgive(struct coordinator *c, enum job_event_type type)
{
	const struct job_event kept = {.type = JOB_EV_KEPT,
				       .now = loop_now()};

	if ((type == JOB_EV_CRASHED || type == JOB_EV_LOST ||
	     type == JOB_EV_UNSTARTED) &&
	    find_checkpoint(c))
		job_step(&c->job, &kept);
}

void coordinator_event(struct coordinator *c, enum job_event_type type,
		       unsigned epoch, unsigned size, const char *reason)
{
	const struct job_event event = {
		.type = type, .now = loop_now(), .epoch = epoch, .size = size};
	struct job before;
	msec_t left;

	forgive(c, type);
	before = c->job;
	if (!job_step(&c->job, &event))
		return;
	history_on_step(&c->history, &before, &c->job, type, reason, event.now);
	if (before.state != c->job.state) {
		snprintf(c->reason, sizeof(c->reason), "%s", reason);
		log_transition(c, &before, type);
	}
	if (job_is_over(&c->job))
		c->exit_code = exit_code_of(c);
	loop_timer_clear(&c->deadline);
	left = c->job.deadline - event.now;
	if (c->job.deadline != 0)
		loop_timer_set(c->loop, &c->deadline, left > 0 ? left : 0,
			       on_deadline, c);
	service_publish(c, before.state == c->job.state);
	if (before.state != c->job.state)
		carry_out(c);
	else if (type == JOB_EV_STEP)
		release_surplus(c);
}

/* ---- launches ---- */

static void on_prepared(void *user, struct launch *launch)
{
	struct coordinator *c = user;

	if (launch == c->next)
		coordinator_event(c, JOB_EV_PREPARED, launch_epoch(launch), 0,
				  "the next start waits at its gates");
}

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
	loop_timer_set(c->loop, &c->proof, PROVEN_AFTER, on_proven, c);
}

static void on_failed(void *user, struct launch *launch, const char *reason,
		      bool by_itself, int status)
{
	struct coordinator *c = user;

	log_warn("epoch=%u failed: %s", launch_epoch(launch), reason);
	if (launch == c->next) {
		coordinator_event(c, JOB_EV_UNPREPARED, launch_epoch(launch),
				  0, reason);
		if (launch == c->next && c->job.next == 0)
			drop_next(c);
		return;
	}
	if (launch != c->now)
		return;
	if (by_itself) {
		c->app_ended = true;
		c->app_status = status << 8;
	}
	coordinator_event(c, by_itself ? JOB_EV_CRASHED : JOB_EV_UNSTARTED,
			  launch_epoch(launch), 0, reason);
}

/* The ranks left and nobody waits for a verdict on their checkpoint. */
static void on_application_end(void *user)
{
	struct coordinator *c = user;
	int status = c->app_status;
	char reason[128];

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		coordinator_event(c, JOB_EV_FINISHED, c->job.epoch, 0,
				  "the application ended with 0");
		return;
	}
	if (WIFEXITED(status))
		snprintf(reason, sizeof(reason),
			 "the application ended with %d", WEXITSTATUS(status));
	else
		snprintf(reason, sizeof(reason), "mpiexec ended by signal %d",
			 WTERMSIG(status));
	coordinator_event(c, JOB_EV_CRASHED, c->job.epoch, 0, reason);
}

static void on_ended(void *user, struct launch *launch, int status)
{
	struct coordinator *c = user;

	if (launch == c->retired) {
		c->retired = launch_destroy(launch);
		return;
	}
	if (launch != c->now)
		return;
	c->app_ended = true;
	c->app_status = status;
	if (c->save_ordered != c->job.epoch || c->judged)
		on_application_end(c);
	else
		loop_timer_set(c->loop, &c->verdict, VERDICT_AFTER,
			       on_application_end, c);
}

static void on_gone(void *user, struct launch *launch)
{
	struct coordinator *c = user;

	if (launch == c->now && c->job.state == JOB_STOPPING)
		coordinator_event(c, JOB_EV_STOPPED, 0,
				  coordinator_possible(c, c->job.target),
				  "no rank is left");
}

static const struct launch_events launch_events = {
	on_prepared, on_up, on_failed, on_ended, on_gone,
};

void coordinator_on_checkpoint(struct coordinator *c,
			       const Bellows__V1__CheckpointReport *report)
{
	char reason[128];

	if (report->epoch != c->save_ordered || c->judged)
		return;
	c->judged = true;
	loop_timer_clear(&c->verdict);
	if (report->complete && report->newer) {
		c->saved = true;
		find_checkpoint(c);
		c->checkpoint.step = report->step;
		snprintf(reason, sizeof(reason),
			 "checkpoint of step %llu, %llu bytes",
			 (unsigned long long)report->step,
			 (unsigned long long)report->bytes);
		coordinator_event(c, JOB_EV_SAVED, report->epoch, 0, reason);
		return;
	}
	log_warn("epoch=%u no checkpoint: %s", report->epoch, report->failure);
	if (c->app_ended)
		on_application_end(c);
}

void coordinator_on_line(struct coordinator *c, unsigned epoch,
			 const char *line)
{
	const struct adapter *adapter = c->jobfile->adapter;
	struct line_facts facts = {0};

	if (!adapter->on_line || epoch != c->job.epoch)
		return;
	switch (adapter->on_line(&c->jobfile->app, line, &facts)) {
	case LINE_OTHER:
		return;
	case LINE_PROGRESS:
		history_on_progress(&c->history, facts.step, facts.total,
				    c->progress_epoch != epoch, loop_now());
		c->progress_epoch = epoch;
		if (!c->job.stepped)
			coordinator_event(c, JOB_EV_STEP, epoch, 0, "a step");
		else
			service_publish(c, true);
		return;
	case LINE_SAVE_FAILED:
		coordinator_event(c, JOB_EV_UNSAVED, epoch, 0, line);
		return;
	}
}

/* ---- members ---- */

static void on_ready(void *user, int member)
{
	count_executors(user);
}

static void on_unfit(void *user, int member, const char *failure)
{
	struct coordinator *c = user;
	char reason[512];

	snprintf(reason, sizeof(reason), "%s: %.400s",
		 members_ledger(c->members)->members[member].name, failure);
	log_error("executor=%s", reason);
	if (c->job.starts != 0)
		return;
	c->exit_code = strstr(failure, "checkpoint.dir") ? EXIT_CHECKPOINT
		       : strstr(failure, "cannot run") ? 127
						       : EXIT_SYSTEM;
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

static void on_lost(void *user, int member, const char *reason)
{
	struct coordinator *c = user;
	bool had_ranks =
		c->now && layout_ranks(launch_layout(c->now), member) > 0;
	char text[192];

	agents_on_lost(c->agents, member);
	if (c->now)
		launch_on_lost(c->now, member);
	if (c->next)
		launch_on_lost(c->next, member);
	snprintf(text, sizeof(text), "%s was lost: %.100s",
		 members_ledger(c->members)->members[member].name, reason);
	if (had_ranks)
		coordinator_event(c, JOB_EV_LOST, c->job.epoch, 0, text);
}

static void on_left(void *user, int member)
{
	struct coordinator *c = user;

	if (c->now)
		launch_on_lost(c->now, member);
	if (c->next)
		launch_on_lost(c->next, member);
}

static void on_report(void *user, int member,
		      const Bellows__V1__Report *report)
{
	struct coordinator *c = user;

	if (report->what_case == BELLOWS__V1__REPORT__WHAT_PROGRAM_ENDED)
		agents_on_ended(c->agents, member, report->program_ended);
	if (c->now)
		launch_on_report(c->now, member, report);
	if (c->next)
		launch_on_report(c->next, member, report);
}

static const struct members_events members_events = {
	on_ready, on_unfit, on_attached, on_lost, on_left, on_report,
};

/* ---- signals ---- */

static void on_terminate(void *user, int signo, pid_t sender)
{
	struct coordinator *c = user;

	if (c->suspending) {
		coordinator_event(c, JOB_EV_CANCEL, 0, 0, strsignal(signo));
		return;
	}
	c->suspending = true;
	coordinator_event(c, JOB_EV_SUSPEND, 0, 0, strsignal(signo));
}

static void on_forward(void *user, int signo, pid_t sender)
{
	struct coordinator *c = user;

	if (c->now && job_computes(&c->job))
		launch_signal(c->now, signo);
}

static int catch_signals(struct coordinator *c, struct error *err)
{
	static const int forwarded[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH};
	int r = loop_signal_add(c->loop, SIGTERM, on_terminate, c, err);

	if (r == 0)
		r = loop_signal_add(c->loop, SIGINT, on_terminate, c, err);
	for (size_t i = 0; r == 0 && i < LENGTH(forwarded); i++)
		r = loop_signal_add(c->loop, forwarded[i], on_forward, c, err);
	return r;
}

/* ---- life ---- */

static void on_room(void *user)
{
	output_hold_back(user, false);
}

static void init_job(struct coordinator *c)
{
	const struct jobfile *file = c->jobfile;
	const struct job_patience patience = {
		.executors = file->wait_deadline,
		.grow = file->scale_deadline,
		.start = file->start_deadline,
		.save = file->checkpoint_deadline,
		.stop = STOP_PATIENCE,
		.retries = file->restarts,
	};
	bool found = find_checkpoint(c);

	if (found) {
		snprintf(c->reason, sizeof(c->reason),
			 "resuming from the checkpoint of step %llu",
			 (unsigned long long)c->checkpoint.step);
		log_warn("%s in %s", c->reason, file->app.checkpoint_dir);
	}
	job_init(&c->job, file->ranks.initial, &patience, found, loop_now());
	history_init(&c->history, loop_now());
}

int coordinator_create(struct coordinator **out, struct loop *loop,
		       const struct config *config, const char *bindir,
		       struct error *err)
{
	CLEANUP(coordinator_destroy) struct coordinator *c =
		calloc(1, sizeof(*c));
	char path[4096];
	int r;

	if (!c)
		return error_set(err, -ENOMEM, "out of memory");
	c->config = config;
	c->loop = loop;
	list_init(&c->watchers);
	list_init(&c->outputs);
	r = jobfile_read(&c->jobfile, config->job, err);
	if (r < 0)
		return r;
	r = members_create(&c->members, loop, &members_events, c, err);
	snprintf(path, sizeof(path), "%s/agent", config->state);
	if (r == 0)
		r = agents_create(&c->agents, loop, c->members, path, err);
	if (r == 0)
		r = sink_create(&c->sink, loop, config->state, on_room, c, err);
	if (r == 0)
		r = catch_signals(c, err);
	if (r < 0)
		return r;
	c->room = (struct launch_room){
		.loop = loop,
		.members = c->members,
		.job = c->jobfile,
		.dir = config->state,
		.bindir = bindir,
		.events = &launch_events,
		.user = c,
	};
	*out = STEAL(c);
	return 0;
}

int coordinator_run(struct coordinator *c)
{
	init_job(c);
	loop_timer_set(c->loop, &c->deadline, c->jobfile->wait_deadline,
		       on_deadline, c);
	return loop_run(c->loop);
}

struct coordinator *coordinator_destroy(struct coordinator *c)
{
	if (!c)
		return NULL;
	loop_timer_clear(&c->publish);
	rpc_server_destroy(c->server);
	rpc_destroy(c->rpc);
	launch_destroy(c->next);
	launch_destroy(c->now);
	launch_destroy(c->retired);
	agents_destroy(c->agents);
	sink_destroy(c->sink);
	members_destroy(c->members);
	jobfile_destroy(c->jobfile);
	loop_timer_clear(&c->deadline);
	loop_timer_clear(&c->proof);
	loop_timer_clear(&c->verdict);
	loop_timer_clear(&c->retire);
	loop_timer_clear(&c->end);
	free(c);
	return NULL;
}
