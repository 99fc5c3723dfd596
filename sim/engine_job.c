/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/engine_state.h"

static void set_size(struct engine *engine, struct sim_job *job, unsigned size)
{
	const struct sim_observer *observer = &engine->settings->observer;
	unsigned extra = engine->workload->launcher_slots;
	unsigned from = job->sched.size ? job->sched.size + extra : 0;
	unsigned to = size ? size + extra : 0;

	job->sched.size = size;
	tally_slots(&engine->tally, engine->now, from, to);
	if (engine->policy->fair_share)
		sim_users_slots(&engine->users, engine->now, job->sched.user,
				(int)to - (int)from);
	if (observer->on_slots)
		observer->on_slots(observer->user, engine->now, &job->sched,
				   from, to);
}

static int expect_end(struct engine *engine, struct sim_job *job, double pause)
{
	return engine_add_event(
		engine, SIM_END,
		sim_after(engine->now, sim_job_rest_time(job) + pause),
		job->sched.number, 0);
}

int engine_start(struct engine *engine, struct sim_job *job, unsigned size)
{
	double pause = job->sched.parked ? sim_job_pause_time(job, size)
					 : sim_job_start_time(job, size);
	int r;

	job->sched.waited = sched_waited(&job->sched, engine->now);
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

static int wait_again(struct engine *engine, struct sim_job *job)
{
	sorted_jobs_remove(&engine->running, &job->sched);
	job->sched.place = engine->places++;
	return sorted_jobs_add(&engine->queue, &job->sched);
}

static int park(struct engine *engine, struct sim_job *job)
{
	set_size(engine, job, 0);
	engine->tally.parks++;
	job->sched.parked = true;
	job->sched.changed = engine->now;
	return wait_again(engine, job);
}

static int go_on(struct engine *engine, struct sim_job *job, unsigned size,
		 double pause)
{
	set_size(engine, job, size);
	sim_job_computes(job, sim_after(engine->now, pause));
	job->sched.changed = engine->now;
	return engine_add_event(
		engine, SIM_END,
		sim_after(job->computes, sim_job_rest_time(job)),
		job->sched.number, 0);
}

int engine_resize(struct engine *engine, struct sim_job *job, unsigned size)
{
	bool published = engine->policy->published;
	int r;

	sim_job_advance(job, engine->now);
	event_heap_remove(&engine->heap, job->sched.number, SIM_END);
	if (size == 0)
		return park(engine, job);
	engine->tally.rescales++;
	r = go_on(engine, job, size,
		  sim_job_pause_time(job, published ? job->sched.size : size));
	if (published)
		job->sched.changed = job->computes;
	return r;
}

/* Its start is to come. */
static int fall_back_at_start(struct engine *engine, struct sim_job *job,
			      unsigned size)
{
	unsigned number = job->sched.number;

	if (size > 0) {
		event_heap_find(&engine->heap, number, SIM_START)->size = size;
		return 0;
	}
	event_heap_remove(&engine->heap, number, SIM_START);
	return wait_again(engine, job);
}

int engine_fall_back(struct engine *engine, struct sim_job *job, unsigned size)
{
	usec_t every = engine->workload->failures.checkpoint, lost;

	if (job->sched.size == 0)
		return fall_back_at_start(engine, job, size);
	lost = sim_job_fall_back(job, engine->now, every);
	tally_repeated(&engine->tally, job, lost);
	event_heap_remove(&engine->heap, job->sched.number, SIM_RESIZE);
	event_heap_remove(&engine->heap, job->sched.number, SIM_END);
	if (size == 0)
		return park(engine, job);
	return go_on(engine, job, size, sim_job_pause_time(job, size));
}

void engine_end(struct engine *engine, struct sim_job *job)
{
	unsigned back =
		engine->policy->published ? job->sched.size : job->sched.target;

	event_heap_remove(&engine->heap, job->sched.number, SIM_RESIZE);
	sorted_jobs_remove(&engine->running, &job->sched);
	if (back > 0)
		engine->free += (int)(back + engine->workload->launcher_slots);
	set_size(engine, job, 0);
	sim_users_end(&engine->users, job->sched.user,
		      tally_end(&engine->tally, job, engine->now));
	engine->over++;
	engine->nodes.in_a_row = 0;
}
