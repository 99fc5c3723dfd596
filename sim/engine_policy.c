/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/engine_state.h"

#include <errno.h>
#include <stdlib.h>

/* Of the published simulator, at one instant; with 64 the paper's figures are
 * the same. */
enum { SAME_QUESTIONS_MAX = 256 };

static int take_start(struct engine *engine, struct sched_job *job,
		      unsigned size, usec_t at)
{
	int r;

	sorted_jobs_remove(&engine->queue, job);
	job->place = engine->places++;
	job->ends = at + job->length;
	r = sorted_jobs_add(&engine->running, job);
	return r < 0 ? r
		     : engine_add_event(engine, SIM_START, at, job->number,
					size);
}

static int take_wait(struct engine *engine, struct sched_job *job)
{
	sorted_jobs_remove(&engine->queue, job);
	job->place = engine->places++;
	return sorted_jobs_add(&engine->queue, job);
}

/* A question that is to be asked already is not added again.  The published
 * simulator adds it, which can multiply the questions each time; the order of
 * its heap depends on them, so they are left out from a limit on only. */
static int take_ask(struct engine *engine, usec_t at, enum sched_cause cause)
{
	size_t limit = engine->policy->published ? SAME_QUESTIONS_MAX : 1;
	struct asked *asked = &engine->asked[cause];

	if (asked->at != at || at <= engine->now)
		*asked = (struct asked){.at = at};
	if (asked->n == limit)
		return 0;
	asked->n++;
	return engine_add_event(engine, SIM_ASK, at, 0, cause);
}

/* Whether a job is still to have fewer ranks; the decision is in all jobs. */
static bool one_leaves_slots(const struct engine *engine)
{
	for (size_t i = 0; i < engine->running.n; i++)
		if (engine->running.jobs[i]->target <
		    engine->running.jobs[i]->size)
			return true;
	return false;
}

static usec_t start_at(const struct engine *engine, enum sched_cause cause)
{
	if (engine->policy->published && cause == SCHED_SUBMITTED)
		return engine->now;
	if (engine->delay == engine->start_delay)
		return engine->now + engine->delay;
	return engine->now +
	       (one_leaves_slots(engine) ? engine->delay : engine->start_delay);
}

static int take(struct engine *engine, const struct sched_action *action,
		enum sched_cause cause)
{
	const struct sim_observer *observer = &engine->settings->observer;
	usec_t at = engine->now + engine->delay;

	if (observer->on_action)
		observer->on_action(observer->user, engine->now, action);
	switch (action->kind) {
	case SCHED_START:
		return take_start(engine, action->job, action->size,
				  start_at(engine, cause));
	case SCHED_RESIZE:
	case SCHED_PARK:
		return engine_add_event(engine, SIM_RESIZE, at,
					action->job->number, action->size);
	case SCHED_WAIT:
		return take_wait(engine, action->job);
	case SCHED_ASK:
		return take_ask(engine, action->at, action->cause);
	}
	return 0;
}

static int reserve_room(struct engine *engine)
{
	size_t room = sched_room(engine->queue.n, engine->running.n);
	void *grown;

	if (room <= engine->room)
		return 0;
	grown = realloc(engine->actions, 2 * room * sizeof(*engine->actions));
	if (!grown)
		return -ENOMEM;
	engine->actions = grown;
	grown = realloc(engine->scratch, 2 * room * sizeof(*engine->scratch));
	if (!grown)
		return -ENOMEM;
	engine->scratch = grown;
	engine->room = 2 * room;
	return 0;
}

int engine_ask(struct engine *engine, enum sched_cause cause,
	       struct sched_job *submitted)
{
	struct sched_view view = {
		.now = engine->now,
		.gap = engine->gap,
		.delay = engine->delay,
		.free = engine->free,
		.extra = engine->workload->launcher_slots,
		.cause = cause,
		.submitted = submitted,
		.queue = engine->queue.jobs,
		.n_queue = engine->queue.n,
		.running = engine->running.jobs,
		.n_running = engine->running.n,
		.users = engine->policy->fair_share
				 ? sim_users_view(&engine->users, engine->now)
				 : NULL,
		.aging = engine->workload->aging,
	};
	int r = reserve_room(engine);
	size_t n;

	if (r < 0)
		return r;
	view.scratch = engine->scratch;
	n = engine->policy->decide(&view, engine->actions);
	engine->free = view.free;
	for (size_t i = 0; i < n && r == 0; i++)
		r = take(engine, &engine->actions[i], cause);
	return r;
}

int engine_ask_again(struct engine *engine, enum sched_cause cause)
{
	bool is_off = engine->policy->asks_anew &&
		      engine->now != engine->asked[cause].at;

	return is_off ? 0 : engine_ask(engine, cause, NULL);
}
