/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/engine.h"

#include "base/cleanup.h"
#include "sim/event_heap.h"
#include "sim/sim_job.h"
#include "sim/sorted_jobs.h"
#include "sim/tally.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SECOND ((usec_t)1000000)

/* Of the published simulator, at one instant; with 64 the paper's figures are
 * the same. */
enum { SAME_QUESTIONS_MAX = 256 };

struct engine {
	const struct workload *workload;
	const struct sim_settings *settings;
	const struct sched_policy *policy;
	usec_t now, gap, delay;
	int free;
	uint64_t places;
	struct cost_curve *curves; /* by class */
	struct sim_job *jobs;
	size_t n, over;
	struct event_heap heap;
	struct sorted_jobs queue, running;
	struct sched_action *actions;
	size_t room;
	struct {
		usec_t at;
		size_t n;            /* that are the same */
	} asked[SCHED_REASSIGN + 1]; /* by cause, the last questions */
	struct tally tally;
};

static int add_event(struct engine *engine, enum sim_event_kind kind, usec_t at,
		     unsigned job, unsigned size)
{
	const struct sim_event event = {
		.at = at, .kind = kind, .job = job, .size = size};

	return event_heap_add(&engine->heap, &event);
}

/* ---- what a job does ---- */

static void set_size(struct engine *engine, struct sim_job *job, unsigned size)
{
	const struct sim_observer *observer = &engine->settings->observer;
	unsigned extra = engine->workload->launcher_slots;
	unsigned from = job->sched.size ? job->sched.size + extra : 0;
	unsigned to = size ? size + extra : 0;

	job->sched.size = size;
	tally_slots(&engine->tally, engine->now, from, to);
	if (observer->on_slots)
		observer->on_slots(observer->user, engine->now, &job->sched,
				   from, to);
}

static int expect_end(struct engine *engine, struct sim_job *job, double pause)
{
	return add_event(engine, SIM_END,
			 sim_after(engine->now, sim_job_rest_time(job) + pause),
			 job->sched.number, 0);
}

static int on_start(struct engine *engine, struct sim_job *job, unsigned size)
{
	double pause = job->sched.parked ? sim_job_pause_time(job, size)
					 : sim_job_start_time(job, size);
	int r;

	set_size(engine, job, size);
	if (job->started < 0)
		job->started = engine->now;
	sim_job_computes(job, engine->policy->published
				      ? engine->now
				      : sim_after(engine->now, pause));
	sorted_jobs_remove(&engine->running, &job->sched);
	job->sched.parked = false;
	job->sched.changed = engine->now;
	job->sched.ends = engine->now + job->sched.length;
	job->sched.place = engine->places++;
	r = sorted_jobs_add(&engine->running, &job->sched);
	return r < 0 ? r : expect_end(engine, job, pause);
}

/* Its slots were given away with the decision. */
static int on_park(struct engine *engine, struct sim_job *job)
{
	set_size(engine, job, 0);
	sorted_jobs_remove(&engine->running, &job->sched);
	job->sched.parked = true;
	job->sched.changed = engine->now;
	job->sched.place = engine->places++;
	return sorted_jobs_add(&engine->queue, &job->sched);
}

static int on_resize(struct engine *engine, struct sim_job *job, unsigned size)
{
	bool published = engine->policy->published;
	double pause =
		sim_job_pause_time(job, published ? job->sched.size : size);

	sim_job_advance(job, engine->now);
	engine->tally.rescales++;
	event_heap_remove(&engine->heap, job->sched.number, SIM_END);
	if (size == 0)
		return on_park(engine, job);
	set_size(engine, job, size);
	sim_job_computes(job, sim_after(engine->now, pause));
	job->sched.changed = published ? job->computes : engine->now;
	return add_event(engine, SIM_END,
			 sim_after(job->computes, sim_job_rest_time(job)),
			 job->sched.number, 0);
}

/* ---- questions to the policy ---- */

static int take_start(struct engine *engine, struct sched_job *job,
		      unsigned size, usec_t at)
{
	int r;

	sorted_jobs_remove(&engine->queue, job);
	job->place = engine->places++;
	job->ends = at + job->length;
	r = sorted_jobs_add(&engine->running, job);
	return r < 0 ? r : add_event(engine, SIM_START, at, job->number, size);
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

	if (engine->asked[cause].at != at || at <= engine->now) {
		engine->asked[cause].at = at;
		engine->asked[cause].n = 0;
	}
	if (engine->asked[cause].n == limit)
		return 0;
	engine->asked[cause].n++;
	return add_event(engine, SIM_ASK, at, 0, cause);
}

static int take(struct engine *engine, const struct sched_action *action,
		enum sched_cause cause)
{
	const struct sim_observer *observer = &engine->settings->observer;
	bool at_once = engine->policy->published && cause == SCHED_SUBMITTED;
	usec_t at = engine->now + engine->delay;

	if (observer->on_action)
		observer->on_action(observer->user, engine->now, action);
	switch (action->kind) {
	case SCHED_START:
		return take_start(engine, action->job, action->size,
				  at_once ? engine->now : at);
	case SCHED_RESIZE:
	case SCHED_PARK:
		return add_event(engine, SIM_RESIZE, at, action->job->number,
				 action->size);
	case SCHED_WAIT:
		return take_wait(engine, action->job);
	case SCHED_ASK:
		return take_ask(engine, action->at, action->cause);
	}
	return 0;
}

static int reserve_actions(struct engine *engine)
{
	size_t room = sched_room(engine->queue.n, engine->running.n);
	void *grown;

	if (room <= engine->room)
		return 0;
	grown = realloc(engine->actions, 2 * room * sizeof(*engine->actions));
	if (!grown)
		return -ENOMEM;
	engine->actions = grown;
	engine->room = 2 * room;
	return 0;
}

static int ask(struct engine *engine, enum sched_cause cause,
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
	};
	int r = reserve_actions(engine);
	size_t n;

	if (r < 0)
		return r;
	n = engine->policy->decide(&view, engine->actions);
	engine->free = view.free;
	for (size_t i = 0; i < n && r == 0; i++)
		r = take(engine, &engine->actions[i], cause);
	return r;
}

/* ---- events ---- */

static int on_submit(struct engine *engine, struct sim_job *job)
{
	int r;

	job->sched.place = engine->places++;
	r = sorted_jobs_add(&engine->queue, &job->sched);
	return r < 0 ? r : ask(engine, SCHED_SUBMITTED, &job->sched);
}

static int on_end(struct engine *engine, struct sim_job *job)
{
	unsigned back =
		engine->policy->published ? job->sched.size : job->sched.target;

	event_heap_remove(&engine->heap, job->sched.number, SIM_RESIZE);
	sorted_jobs_remove(&engine->running, &job->sched);
	if (back > 0)
		engine->free += (int)(back + engine->workload->launcher_slots);
	set_size(engine, job, 0);
	tally_end(&engine->tally, job->sched.priority, job->sched.submitted,
		  job->started, engine->now);
	engine->over++;
	return ask(engine, SCHED_ENDED, NULL);
}

static int on_event(struct engine *engine, const struct sim_event *event)
{
	struct sim_job *job = &engine->jobs[event->job];

	engine->now = event->at;
	switch (event->kind) {
	case SIM_SUBMIT:
		return on_submit(engine, job);
	case SIM_START:
		return on_start(engine, job, event->size);
	case SIM_RESIZE:
		return on_resize(engine, job, event->size);
	case SIM_END:
		return on_end(engine, job);
	case SIM_ASK:
		return ask(engine, (enum sched_cause)event->size, NULL);
	}
	return 0;
}

static int loop(struct engine *engine, struct error *err)
{
	struct sim_event event;
	int r = 0;

	while (r == 0 && engine->over < engine->n) {
		if (!event_heap_pop(&engine->heap, &event))
			return error_set(
				err, -EDEADLK,
				"%s leaves %zu of %zu jobs waiting for ever",
				engine->policy->name, engine->n - engine->over,
				engine->n);
		if (event.at >= SIM_FOREVER)
			return error_set(err, -ERANGE,
					 "%s: the jobs take too long to be "
					 "simulated",
					 engine->policy->name);
		r = on_event(engine, &event);
	}
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

/* ---- the whole ---- */

static void set_up_job(struct engine *engine, size_t i,
		       const struct workload_job *from)
{
	const struct sim_settings *settings = engine->settings;
	usec_t gap = settings->gap < 0 ? engine->workload->gap : settings->gap;
	struct sim_job *job = &engine->jobs[i];

	job->class = &engine->workload->classes[from->class];
	job->steps = from->steps > 0 ? from->steps : job->class->steps;
	job->started = -1;
	job->sched = (struct sched_job){
		.number = (unsigned)i,
		.priority = from->priority,
		.submitted = from->submit,
		.min = job->class->min,
		.max = job->class->max,
		.pace = {.curve = &engine->curves[from->class],
			 .left = job->steps},
	};
	if (from->submit < 0 &&
	    __builtin_mul_overflow(gap, (usec_t)i, &job->sched.submitted))
		job->sched.submitted = SIM_FOREVER;
	sched_fit(engine->policy, &job->sched);
	job->sched.length = from->estimate;
	if (from->estimate < 0)
		job->sched.length = sim_after(
			0, sim_job_run_time(job, job->sched.max) +
				   sim_job_start_time(job, job->sched.max));
}

static int set_up(struct engine *engine, const struct workload_set *set)
{
	const struct sim_settings *settings = engine->settings;
	const struct workload *workload = engine->workload;
	int r = event_heap_init(&engine->heap, set->n,
				engine->policy->published);

	engine->n = set->n;
	engine->jobs = calloc(set->n, sizeof(*engine->jobs));
	engine->curves = calloc(workload->n_classes, sizeof(*engine->curves));
	if (r < 0 || !engine->jobs || !engine->curves)
		return -ENOMEM;
	for (size_t i = 0; i < workload->n_classes; i++)
		engine->curves[i] = sim_class_curve(&workload->classes[i]);
	engine->free = (int)workload->slots;
	engine->delay =
		engine->policy->published ? SECOND : workload->decision_delay;
	engine->gap = engine->policy->gap          ? engine->policy->gap
		      : settings->rescale_gap >= 0 ? settings->rescale_gap
						   : workload->rescale_gap;
	engine->queue.order = engine->policy->queue;
	engine->running.order = engine->policy->running;
	for (size_t i = 0; i < set->n && r == 0; i++) {
		set_up_job(engine, i, &set->jobs[i]);
		r = add_event(engine, SIM_SUBMIT,
			      engine->jobs[i].sched.submitted, (unsigned)i, 0);
	}
	return r;
}

static void engine_fini_at(struct engine *engine)
{
	event_heap_fini(&engine->heap);
	free(engine->queue.jobs);
	free(engine->running.jobs);
	free(engine->jobs);
	free(engine->curves);
	free(engine->actions);
}

int sim_run(struct sim_metrics *out, const struct workload *workload,
	    const struct workload_set *set, const struct sim_settings *settings,
	    struct error *err)
{
	CLEANUP(engine_fini)
	struct engine engine = {
		.workload = workload,
		.settings = settings,
		.policy = settings->policy,
	};
	int r;

	if (set_up(&engine, set) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	r = loop(&engine, err);
	if (r == 0)
		*out = tally_metrics(&engine.tally, workload->slots);
	return r;
}

int sim_run_all(struct sim_metrics *out, const struct workload *workload,
		const struct sim_settings *settings, struct error *err)
{
	double share = 1 / (double)workload->n_sets;

	*out = (struct sim_metrics){0};
	for (size_t i = 0; i < workload->n_sets; i++) {
		const struct workload_set *set = &workload->sets[i];
		struct sim_metrics one;
		int r = sim_run(&one, workload, set, settings, err);

		if (r < 0)
			return *set->name
				       ? error_wrap(err, r, "set %s", set->name)
				       : error_wrap(err, r, "set %zu", i + 1);
		out->total += one.total * share;
		out->utilisation += one.utilisation * share;
		out->response += one.response * share;
		out->completion += one.completion * share;
		out->slowdown += one.slowdown * share;
		out->slot_seconds += one.slot_seconds * share;
		out->rescales += one.rescales * share;
	}
	return 0;
}
