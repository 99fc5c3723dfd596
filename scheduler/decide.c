/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/decide.h"

#include "scheduler/clock.h"
#include "scheduler/explain.h"

#include <errno.h>
#include <stdlib.h>

/* While jobs wait, or could use slots that are free, a policy is asked so
 * often, at least. */
#define LOOK_AGAIN SECONDS(5)

static usec_t usec_now(void)
{
	return (usec_t)clock_wall() * 1000;
}

/* ---- which jobs ---- */

bool decide_is_ready(const struct queued *queued)
{
	return queue_job_waits(&queued->record.life) && queued->written &&
	       queued->record.n_after == 0 &&
	       queued->record.min <= queued->scheduler->config->slots;
}

static int compare(const void *a, const void *b, void *order)
{
	const struct sched_job *one = *(struct sched_job *const *)a;
	const struct sched_job *other = *(struct sched_job *const *)b;

	return sched_is_before(*(const enum sched_order *)order, one, other)
		       ? -1
		       : 1;
}

static void sort(struct sched_job **list, size_t n, enum sched_order order)
{
	qsort_r(list, n, sizeof(struct sched_job *), compare, &order);
}

static int reserve(struct scheduler *scheduler)
{
	size_t n = scheduler->n;
	void *actions, *lists;

	if (n < scheduler->room)
		return 0;
	n = 2 * n + 64;
	actions = realloc(scheduler->actions,
			  sched_room(n, n) * sizeof(*scheduler->actions));
	if (!actions)
		return -ENOMEM;
	scheduler->actions = actions;
	/* the queue, what runs, and twice the queue for the policy */
	lists = realloc(scheduler->lists, 4 * n * sizeof(*scheduler->lists));
	if (!lists)
		return -ENOMEM;
	scheduler->lists = lists;
	scheduler->room = n;
	return 0;
}

static void fill_view(struct scheduler *scheduler, struct sched_view *view)
{
	const struct sched_policy *policy = scheduler->policy;

	view->queue = scheduler->lists;
	view->running = view->queue + scheduler->room;
	view->scratch = view->running + scheduler->room;
	view->free = (int)scheduler->config->slots;
	usage_clear(&scheduler->usage, view->now);
	list_for_each (at, &scheduler->jobs) {
		struct queued *queued = CONTAINER(at, struct queued, link);
		const struct queue_job *life = &queued->record.life;

		if (queue_job_has_slots(life)) {
			view->free -= (int)life->grant;
			view->running[view->n_running++] = &queued->sched;
			usage_add(&scheduler->usage, (int)queued->sched.user,
				  life->grant);
		} else if (queued->was_eligible && decide_is_ready(queued)) {
			view->queue[view->n_queue++] = &queued->sched;
		} else {
			continue;
		}
		queued_update(queued, view->now);
	}
	view->users = usage_view(&scheduler->usage, view->now);
	sort(view->queue, view->n_queue, policy->queue);
	sort(view->running, view->n_running, policy->running);
}

/* ---- what becomes of an answer ---- */

static void ask_again(struct scheduler *scheduler,
		      const struct sched_action *action);
static void look_again(struct scheduler *scheduler);

static void grant(struct queued *queued, unsigned size)
{
	struct record *record = &queued->record;
	msec_t now = clock_wall();

	if (record->life.grant == 0)
		record->waited =
			sched_waited(&queued->sched, (usec_t)now * 1000) / 1000;
	if (size == 0)
		record->parks++;
	record->life.grant = size;
	record->changed = now;
	queued->was_eligible = false;
	queued->is_explained = false;
}

static void take(struct scheduler *scheduler, const struct sched_view *view,
		 const struct sched_action *action)
{
	struct queued *queued;

	if (action->kind == SCHED_ASK) {
		ask_again(scheduler, action);
		return;
	}
	queued = CONTAINER(action->job, struct queued, sched);
	if (action->kind == SCHED_WAIT) {
		queued->sched.place = scheduler->places++;
		return;
	}
	explain_action(queued, view, action);
	if (action->kind == SCHED_START)
		queued->sched.place = scheduler->places++;
	grant(queued, action->kind == SCHED_PARK ? 0 : action->size);
	scheduler_write(queued, sched_rule_text(action->reason.rule));
}

/* Of each job once why it was not started. */
static void tell_waiting(const struct sched_view *view)
{
	for (size_t i = 0; i < view->n_queue; i++) {
		struct queued *queued =
			CONTAINER(view->queue[i], struct queued, sched);

		if (queued->record.life.grant == 0 && !queued->is_explained)
			explain_wait(queued, view);
		queued->is_explained = true;
	}
}

static bool one_could_grow(const struct sched_view *view)
{
	for (size_t i = 0; i < view->n_running && view->free > 0; i++)
		if (view->running[i]->target < view->running[i]->max)
			return true;
	return false;
}

static void ask_policy(struct scheduler *scheduler, enum sched_cause cause,
		       struct queued *submitted)
{
	const struct scheduler_config *config = scheduler->config;
	struct sched_view view = {
		.now = usec_now(),
		.gap = scheduler->policy->gap ? scheduler->policy->gap
					      : (usec_t)config->gap * 1000,
		.cause = cause,
		.submitted = submitted ? &submitted->sched : NULL,
		.aging = (usec_t)config->aging * 1000,
	};
	bool is_over = true;
	size_t n;

	fill_view(scheduler, &view);
	n = scheduler->policy->decide(&view, scheduler->actions);
	for (size_t i = 0; i < n; i++) {
		const struct sched_action *action = &scheduler->actions[i];

		take(scheduler, &view, action);
		is_over &= action->kind != SCHED_ASK || action->at > view.now;
	}
	if (is_over)
		tell_waiting(&view);
	if (view.n_queue > 0 || one_could_grow(&view))
		look_again(scheduler);
}

/* ---- asking again ---- */

static void on_recheck(void *user)
{
	struct scheduler *scheduler = user;

	ask_policy(scheduler, SCHED_RECHECK, NULL);
	scheduler_settle(scheduler);
}

static void on_reassign(void *user)
{
	struct scheduler *scheduler = user;

	ask_policy(scheduler, SCHED_REASSIGN, NULL);
	scheduler_settle(scheduler);
}

static void ask_again(struct scheduler *scheduler,
		      const struct sched_action *action)
{
	bool rechecks = action->cause == SCHED_RECHECK;
	struct loop_timer *timer = &scheduler->ask[rechecks ? 0 : 1];
	msec_t in = (action->at - usec_now() + 999) / 1000;
	bool is_sooner =
		loop_timer_is_set(timer) && timer->at <= loop_now() + in;

	if (is_sooner && !scheduler->policy->asks_anew)
		return;
	loop_timer_set(scheduler->loop, timer, in > 0 ? in : 0,
		       rechecks ? on_recheck : on_reassign, scheduler);
}

/* A job becomes more important while it waits, and may have to be more so than
 * one that runs; what one that runs would gain is known better with each of its
 * steps.  No policy names the instant of either. */
static void look_again(struct scheduler *scheduler)
{
	msec_t gap = scheduler->config->gap;

	if (scheduler->policy->asks_anew &&
	    !loop_timer_is_set(&scheduler->ask[1]))
		loop_timer_set(scheduler->loop, &scheduler->ask[1],
			       gap < LOOK_AGAIN ? gap : LOOK_AGAIN, on_reassign,
			       scheduler);
}

/* ---- all of it ---- */

void decide_by_hand(struct queued *queued, unsigned size, const char *rule)
{
	explain_by_hand(queued, size, rule);
	grant(queued, size);
	scheduler_write(queued, rule);
}

/* A job whose want is less than its grant gives slots back. */
static void take_back(struct scheduler *scheduler)
{
	list_for_each (at, &scheduler->jobs) {
		struct queued *queued = CONTAINER(at, struct queued, link);
		const struct queue_job *life = &queued->record.life;

		if (!queue_job_has_slots(life) || !life->answers)
			continue;
		queued_update(queued, usec_now());
		if (life->grant <= queued->sched.max)
			continue;
		decide_by_hand(queued, queued->sched.max,
			       "the job wants fewer ranks");
		scheduler->changed = true;
	}
}

int decide(struct scheduler *scheduler)
{
	bool together = scheduler->policy->asks_anew;
	struct queued *last = NULL; /* that has begun to wait */
	int r = reserve(scheduler);

	if (r < 0)
		return r;
	take_back(scheduler);
	list_for_each (at, &scheduler->jobs) {
		struct queued *queued = CONTAINER(at, struct queued, link);
		bool ready = decide_is_ready(queued);

		if (ready && !queued->was_eligible) {
			queued->was_eligible = true;
			queued->sched.place = scheduler->places++;
			last = queued;
			if (!together)
				ask_policy(scheduler, SCHED_SUBMITTED, queued);
		}
		if (!ready)
			queued->was_eligible = false;
	}
	/* it decides once about all that begin to wait at this instant */
	if (together && last)
		ask_policy(scheduler, SCHED_SUBMITTED, last);
	if (scheduler->changed) {
		scheduler->changed = false;
		ask_policy(scheduler, SCHED_ENDED, NULL);
	}
	return 0;
}

void decide_end(struct scheduler *scheduler)
{
	for (size_t i = 0; i < 2; i++)
		loop_timer_clear(&scheduler->ask[i]);
	free(scheduler->actions);
	free(scheduler->lists);
}
