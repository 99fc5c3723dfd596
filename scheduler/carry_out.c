/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/carry_out.h"

#include "base/backoff.h"
#include "base/log.h"
#include "client/job.h"
#include "jobfile/exit.h"
#include "scheduler/clock.h"
#include "scheduler/decide.h"

#include <errno.h>
#include <string.h>

/* After a call that failed, until it is made again. */
#define AGAIN     SECONDS(1)
#define AGAIN_MAX MINUTES(1) /* after many that made no run in a cluster */

/* ---- what its coordinator says ---- */

static void on_job(void *user, const Bellows__V1__Job *job)
{
	struct queued *queued = user;
	struct scheduler *scheduler = queued->scheduler;
	bool answered = queued->record.life.answers;
	unsigned want = queued_want(queued), size = queued->view.size;
	unsigned slots = queued_slots(queued);

	queued_on_job(queued, job);
	if (state_is_over(job->state))
		kube_run_is_over(&queued->run, job->exit_code);
	spans_set(&scheduler->spans, queued->record.number, clock_wall(),
		  queued->view.size);
	if (want != queued_want(queued)) {
		scheduler->changed = true;
		scheduler_write(queued, NULL);
	}
	if (job->state == BELLOWS__V1__STATE__DONE &&
	    !queued->record.finished) {
		queued->record.finished = true;
		scheduler_write(queued, NULL);
	}
	if (!answered || want != queued_want(queued) ||
	    size != queued->view.size || slots != queued_slots(queued))
		scheduler_settle(scheduler);
	scheduler->on_change(scheduler->user);
}

static void on_lost(void *user)
{
	struct queued *queued = user;

	queued->record.life.answers = false;
	queued->scheduler->on_change(queued->scheduler->user);
}

static void on_answer(void *user, enum link_call call, int r,
		      const struct error *err)
{
	struct queued *queued = user;

	if (r < 0) {
		log_warn("job=%s %s failed: %s", queued->record.name,
			 call == LINK_GRANT ? "grant" : "cancel", err->text);
		queued->call_again = clock_wall() + AGAIN;
	} else if (call == LINK_GRANT) {
		queued_told(queued, queued->granting);
	} else {
		/* it ends; asked again only if it does not */
		queued->call_again = clock_wall() + SECONDS(60);
	}
	scheduler_settle(queued->scheduler);
}

static const struct link_events link_events = {on_job, on_lost, on_answer};

/* ---- its programs ---- */

static void forget_run(struct queued *queued)
{
	queued->view.shortfall[0] = '\0';
	spans_set(&queued->scheduler->spans, queued->record.number,
		  clock_wall(), 0);
	link_end(&queued->coordinator);
	queued->view.size = 0;
	queued->meter.last = (struct step_look){0};
	step_meter_break(&queued->meter);
	queued->view.pauses = 0;
	queued->view.eta = -1;
	queued->view.eta_sd = 0;
	queued->view.rate = 0;
	queued->call_again = 0;
	queued->makings = 0;
	queued->record.told = 0;
}

static void end_run(struct queued *queued, const struct queue_exit *ended,
		    const char *why)
{
	static const struct queue_exit done = {.code = EXIT_DONE,
					       .saved = EXIT_SUSPENDED};
	struct record *record = &queued->record;
	/* what was killed behind its end is not run again */
	const struct queue_exit *how =
		ended->lost && record->finished ? &done : ended;
	char text[RECORD_WHY_MAX];

	if (queued->view.step > record->furthest)
		record->furthest = queued->view.step;
	forget_run(queued);
	queue_job_ended(&record->life, how);
	if (how->lost)
		snprintf(text, sizeof(text), "%.300s",
			 queued->coordinator.reach
				 ? why
				 : "its programs were killed");
	else if (how->code == how->saved)
		snprintf(text, sizeof(text), "it has saved and left its slots");
	else if (*why && how->code != 0)
		snprintf(text, sizeof(text), "%.300s", why);
	else
		snprintf(text, sizeof(text), "it ended with %d", how->code);
	record->changed = clock_wall();
	if (record->life.over)
		record->ended = record->changed;
	log_info("job=%s state=%s code=%d reason=\"%s\"", record->name,
		 queue_job_state_name(queue_job_state(&record->life)),
		 how->code, text);
	scheduler_write(queued, text);
	queued->scheduler->changed = true;
	scheduler_settle(queued->scheduler);
}

/* ---- in a cluster ---- */

static void on_pod(void *user, const cJSON *pod, const char *why)
{
	struct queued *queued = user;
	struct queued_view *view = &queued->view;

	if (!pod)
		snprintf(view->shortfall, sizeof(view->shortfall),
			 "its coordinator does not run: %.280s", why);
	else if (!queued->coordinator.pod)
		view->shortfall[0] = '\0';
	link_set_pod(&queued->coordinator, pod);
	queued->scheduler->on_change(queued->scheduler->user);
	scheduler_settle(queued->scheduler);
}

static void on_run_end(void *user, int code, const char *why)
{
	const struct queue_exit how = {
		.lost = code < 0 || code == EXIT_INTERNAL,
		.code = code < 0 ? EXIT_INTERNAL : code,
		.saved = EXIT_SUSPENDED,
	};
	struct queued *queued = user;

	queued->programs.alive = false;
	end_run(queued, &how, why);
}

static void follow_run(struct queued *queued)
{
	static const struct kube_run_events events = {on_pod, on_run_end};

	queued->is_making = false;
	queued->makings = 0;
	queued->view.shortfall[0] = '\0';
	queued->programs.alive = true;
	queued->run.job = queued->record.name;
	queued->run.id = queued->record.run;
	queued->run.events = &events;
	queued->run.user = queued;
	kube_run_follow(&queued->run, queued->scheduler->place.runs);
}

/* The same trouble is logged once. */
static void tell_not_made(struct queued *queued, const char *why)
{
	char *told = queued->view.shortfall, text[RECORD_WHY_MAX];

	snprintf(text, sizeof(text), "its Job is not made yet: %.290s", why);
	if (strcmp(text, told) != 0)
		log_warn("job=%s %s", queued->record.name, text);
	strcpy(told, text);
}

/* The programs that were to make a run have ended.  Those that were killed, or
 * did not reach the cluster, may have made a part of it: only the next ones can
 * tell. */
static bool is_run_going_on(struct queued *queued,
			    const struct queue_exit *ended, const char *why)
{
	if (!queued->scheduler->place.reach)
		return false;
	if (!ended->lost && ended->code == EXIT_DONE) {
		follow_run(queued);
		return true;
	}
	if (!ended->lost && ended->code != EXIT_UNREACHABLE)
		return false;
	tell_not_made(queued,
		      *why ? why : "the program that makes it was killed");
	queued->is_making = true;
	queued->call_again =
		clock_wall() + backoff(queued->makings++, AGAIN, AGAIN_MAX);
	scheduler_settle(queued->scheduler);
	return true;
}

static void on_programs_end(void *user, const struct queue_exit *ended,
			    const char *why)
{
	struct queued *queued = user;

	if (!is_run_going_on(queued, ended, why))
		end_run(queued, ended, why);
}

int carry_out_prepare(struct queued *queued, struct error *err)
{
	struct scheduler *scheduler = queued->scheduler;
	struct link *link = &queued->coordinator;
	struct programs *programs = &queued->programs;

	programs->loop = link->loop = scheduler->loop;
	programs->state = scheduler->place.reach ? NULL : &link->dir;
	link->reach = scheduler->place.reach;
	programs->on_end = on_programs_end;
	programs->user = link->user = queued;
	queued_dir(scheduler->dir.path, queued->record.number, programs->dir);
	link->rpc = scheduler->rpc;
	snprintf(link->name, sizeof(link->name), "%s", queued->record.name);
	if (queued->record.life.runs) {
		place_adopt(queued);
		programs_adopt(programs);
		link->events = &link_events;
		link_begin(link);
	}
	return link->reach ? 0
			   : state_dir_of(&link->dir, &scheduler->jobs_lookup,
					  queued->record.name, err);
}

/* Its programs are on their way once that is on the disk: a scheduler that is
 * killed must not leave programs of which the next one knows nothing. */
static void start(struct queued *queued)
{
	struct error err;

	if (place_name_run(queued, &err) < 0) {
		log_error("job=%s is not started: %s", queued->record.name,
			  err.text);
		queued->call_again = clock_wall() + AGAIN;
		return;
	}
	queue_job_started(&queued->record.life);
	queued_told(queued, queued->record.life.grant);
	if (queued->record.started == 0)
		queued->record.started = clock_wall();
	scheduler_write(queued, NULL);
}

/* It was held or cancelled meanwhile. */
static void take_back_start(struct queued *queued)
{
	queued->record.life.runs = false;
	if (!queued->record.life.began)
		queued->record.started = 0;
	scheduler_write(queued, NULL);
	queued->scheduler->changed = true;
	scheduler_settle(queued->scheduler);
}

static void begin_programs(struct queued *queued)
{
	struct record *record = &queued->record;
	struct programs_order order = {
		.want = queued_want(queued),
		.grant = record->life.told,
	};
	const struct queue_exit failed = {.code = EXIT_SYSTEM,
					  .saved = EXIT_SUSPENDED};
	struct error err;

	place_put_words(queued, &order);
	if (place_choose(queued, &err) < 0 ||
	    programs_start(&queued->programs, &order, &err) < 0) {
		end_run(queued, &failed, err.text);
		return;
	}
	queued->coordinator.events = &link_events;
	link_begin(&queued->coordinator);
}

/* ---- one job ---- */

static unsigned used(const struct scheduler *scheduler)
{
	unsigned slots = 0;

	list_for_each (at, &scheduler->jobs)
		slots += queued_slots(CONTAINER(at, struct queued, link));
	return slots;
}

/* Whether it may have its grant while the others have what they have. */
static bool has_room(const struct queued *queued)
{
	const struct scheduler *scheduler = queued->scheduler;
	unsigned grant = queued->record.life.grant;

	if (grant <= queued->record.life.told && queued->record.life.runs)
		return true;
	return used(scheduler) - queued_slots(queued) + grant <=
	       scheduler->config->slots;
}

static void tell_grant(struct queued *queued)
{
	queued->granting = queued->record.life.grant;
	if (queued->granting > queued->record.told)
		queued->record.told = queued->granting;
	link_grant(&queued->coordinator, queued->granting, queued->record.why);
}

static void drop(struct queued *queued)
{
	struct record *record = &queued->record;

	record->life.over = true;
	record->life.end = QUEUE_CANCELLED;
	record->life.code = 130;
	record->life.grant = 0;
	record->ended = clock_wall();
	queued->scheduler->changed = true;
	scheduler_write(queued, NULL);
	scheduler_settle(queued->scheduler);
}

static bool may_call(const struct queued *queued)
{
	return queued->coordinator.call == LINK_NO_CALL &&
	       clock_wall() >= queued->call_again;
}

static bool is_written(const struct queued *queued)
{
	return book_is_kept(&queued->scheduler->book, queued->given);
}

/* A grant that is not written down must not be known to its coordinator when
 * the next scheduler counts slots. */
static bool may_tell_grant(const struct queued *queued)
{
	const struct queue_job *life = &queued->record.life;

	return may_call(queued) && has_room(queued) &&
	       (life->grant <= life->told || is_written(queued));
}

static void go_on_starting(struct queued *queued)
{
	const struct queue_job *life = &queued->record.life;

	if (queued->is_making && clock_wall() < queued->call_again)
		return;
	if (!queued->is_making && (life->cancelled || life->grant == 0))
		take_back_start(queued);
	else if (is_written(queued))
		begin_programs(queued);
}

/* It is to end, and has no coordinator that could be told so.  One that ran
 * before comes back, and saves what its ranks have computed. */
static bool is_stuck(const struct queued *queued)
{
	const struct queue_job *life = &queued->record.life;

	return life->runs && queued->run.runs && !queued->coordinator.pod &&
	       (life->cancelled || (life->grant == 0 && !queued->run.has_run));
}

static void act(struct queued *queued)
{
	if (queued->record.life.runs && !queued->programs.alive) {
		go_on_starting(queued);
		return;
	}
	if (is_stuck(queued)) {
		kube_run_remove(&queued->run);
		return;
	}
	switch (queue_job_act(&queued->record.life)) {
	case QUEUE_NOTHING:
		return;
	case QUEUE_START:
		if (has_room(queued))
			start(queued);
		return;
	case QUEUE_GRANT:
		if (may_tell_grant(queued))
			tell_grant(queued);
		return;
	case QUEUE_CANCEL:
		if (may_call(queued))
			link_cancel(&queued->coordinator, queued->record.why);
		return;
	case QUEUE_DROP:
		drop(queued);
		return;
	}
}

void carry_out(struct scheduler *scheduler)
{
	msec_t now = clock_wall(), again = 0;

	list_for_each (at, &scheduler->jobs) {
		struct queued *queued = CONTAINER(at, struct queued, link);

		act(queued);
		if (queued->call_again > now &&
		    (again == 0 || queued->call_again < again))
			again = queued->call_again;
	}
	if (again > 0)
		loop_timer_set(scheduler->loop, &scheduler->again, again - now,
			       scheduler->settle_now, scheduler);
}
