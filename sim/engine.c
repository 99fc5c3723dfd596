/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/engine_state.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>

#define SECOND ((usec_t)1000000)

int engine_add_event(struct engine *engine, enum sim_event_kind kind, usec_t at,
		     unsigned job, unsigned size)
{
	const struct sim_event event = {
		.at = at, .kind = kind, .job = job, .size = size};

	return event_heap_add(&engine->heap, &event);
}

/* ---- events ---- */

static int on_submit(struct engine *engine, struct sim_job *job)
{
	int r;

	job->sched.place = engine->places++;
	r = sorted_jobs_add(&engine->queue, &job->sched);
	return r < 0 ? r : engine_ask(engine, SCHED_SUBMITTED, &job->sched);
}

static int on_event(struct engine *engine, const struct sim_event *event)
{
	struct sim_job *job = &engine->jobs[event->job];

	engine->now = event->at;
	switch (event->kind) {
	case SIM_SUBMIT:
		return on_submit(engine, job);
	case SIM_START:
		return engine_start(engine, job, event->size);
	case SIM_RESIZE:
		return engine_resize(engine, job, event->size);
	case SIM_END:
		engine_end(engine, job);
		return engine_ask(engine, SCHED_ENDED, NULL);
	case SIM_FAIL:
		return engine_fail(engine);
	case SIM_REPAIR:
		return engine_repair(engine);
	case SIM_ASK:
		return engine_ask_again(engine, (enum sched_cause)event->size);
	}
	return 0;
}

static int loop(struct engine *engine, struct error *err)
{
	struct sim_event event;
	int r = 0;

	while (r == 0 && engine->over < engine->n) {
		/* nodes fail for ever */
		if (!event_heap_pop(&engine->heap, &event) ||
		    (event.kind == SIM_FAIL && engine->heap.n == 0))
			return error_set(
				err, -EDEADLK,
				"%s leaves %zu of %zu jobs waiting for ever",
				engine->policy->name, engine->n - engine->over,
				engine->n);
		r = event.at < SIM_FOREVER ? on_event(engine, &event) : -ERANGE;
	}
	if (r == -ERANGE)
		return error_set(err, r,
				 "%s: the jobs take too long to be simulated",
				 engine->policy->name);
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

/* ---- the whole ---- */

static void set_up_job(struct engine *engine, size_t i,
		       const struct workload_job *from)
{
	const struct sim_settings *settings = engine->settings;
	usec_t gap = settings->gap < 0 ? engine->workload->gap : settings->gap;
	struct sim_job *job = &engine->jobs[i];
	double longest;

	job->class = &engine->workload->classes[from->class];
	job->steps = from->steps > 0 ? from->steps : job->class->steps;
	job->started = -1;
	job->sched = (struct sched_job){
		.number = (unsigned)i,
		.priority = from->priority,
		.submitted = from->submit,
		.min = job->class->min,
		.max = job->class->max,
		.sizes = job->class->sizes,
		.n_sizes = job->class->n_sizes,
		.user = from->user,
		.pace = {.curve = &engine->curves[from->class],
			 .left = job->steps},
	};
	if (from->submit < 0 &&
	    __builtin_mul_overflow(gap, (usec_t)i, &job->sched.submitted))
		job->sched.submitted = SIM_FOREVER;
	sched_fit(engine->policy, &job->sched);
	longest = sim_job_run_time(job, job->sched.max) +
		  sim_job_start_time(job, job->sched.max);
	job->sched.length =
		from->estimate < 0 ? sim_after(0, longest) : from->estimate;
	/* How much it computes is known once it runs. */
	if (from->estimate >= 0)
		job->sched.pace.left *=
			(double)from->estimate / (double)SECOND / longest;
	job->sched.pace.price.seconds =
		sim_job_pause_time(job, sched_size_least(&job->sched));
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
	if (r == 0)
		r = sim_users_init(&engine->users, workload);
	if (r < 0 || !engine->jobs || !engine->curves)
		return -ENOMEM;
	for (size_t i = 0; i < workload->n_classes; i++)
		engine->curves[i] = sim_class_curve(&workload->classes[i]);
	engine->free = (int)workload->slots;
	engine->delay = engine->start_delay = SECOND;
	if (!engine->policy->published) {
		engine->delay = workload->decision_delay;
		engine->start_delay = workload->start_delay;
	}
	engine->gap = engine->policy->gap          ? engine->policy->gap
		      : settings->rescale_gap >= 0 ? settings->rescale_gap
						   : workload->rescale_gap;
	engine->queue.order = engine->policy->queue;
	engine->running.order = engine->policy->running;
	for (size_t i = 0; i < set->n && r == 0; i++) {
		set_up_job(engine, i, &set->jobs[i]);
		r = engine_add_event(engine, SIM_SUBMIT,
				     engine->jobs[i].sched.submitted,
				     (unsigned)i, 0);
	}
	return r < 0 ? r : engine_nodes_init(engine);
}

static void engine_fini_at(struct engine *engine)
{
	event_heap_fini(&engine->heap);
	sim_users_fini(&engine->users);
	free(engine->queue.jobs);
	free(engine->running.jobs);
	free(engine->jobs);
	free(engine->curves);
	free(engine->actions);
	free(engine->scratch);
}

static int refuse_policy(const struct sched_policy *policy,
			 const struct workload *workload, struct error *err)
{
	if (!policy->published)
		return 0;
	if (workload->failures.mtbf > 0)
		return error_set(
			err, -EINVAL,
			"there are failures, of which %s knows nothing",
			policy->name);
	for (size_t i = 0; i < workload->n_classes; i++)
		if (workload->classes[i].n_sizes > 0)
			return error_set(err, -EINVAL,
					 "class %s has sizes, of which %s "
					 "knows nothing",
					 workload->classes[i].name,
					 policy->name);
	return 0;
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
	int r = refuse_policy(engine.policy, workload, err);

	if (r < 0)
		return r;
	if (set_up(&engine, set) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	r = loop(&engine, err);
	if (r < 0)
		return r;
	*out = tally_metrics(&engine.tally, workload->slots);
	out->fairness = sim_users_fairness(&engine.users);
	return 0;
}

int sim_run_all(struct sim_metrics *out, const struct workload *workload,
		const struct sim_settings *settings, struct error *err)
{
	double share = 1 / (double)workload->n_sets;
	int refused = refuse_policy(settings->policy, workload, err);

	if (refused < 0)
		return refused;
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
		out->efficiency += one.efficiency * share;
		out->fairness += one.fairness * share;
		out->rescales += one.rescales * share;
		out->parks += one.parks * share;
		out->failures += one.failures * share;
		out->repeated += one.repeated * share;
		out->repeated_steps += one.repeated_steps * share;
	}
	return 0;
}
