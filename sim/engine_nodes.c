/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/engine_state.h"

#include <errno.h>

/* So many failures in a row between which no job ends: the jobs lose all that
 * they compute, and have no end. */
enum { FAILURES_MAX = 100000 };

static int draw_failure(struct engine *engine)
{
	struct engine_nodes *nodes = &engine->nodes;
	double wait = engine->workload->failures.mtbf / nodes->all *
		      random_exponential(&nodes->random);

	return engine_add_event(engine, SIM_FAIL, sim_after(engine->now, wait),
				0, 0);
}

int engine_nodes_init(struct engine *engine)
{
	const struct workload_failures *failures = &engine->workload->failures;

	if (failures->mtbf <= 0)
		return 0;
	engine->nodes = (struct engine_nodes){
		.all = engine->workload->slots / failures->slots_per_node,
		.random = {failures->seed},
	};
	engine->nodes.up = engine->nodes.all;
	return draw_failure(engine);
}

/* Slots that two stretches have in common. */
static unsigned overlap(unsigned from, unsigned to, unsigned a, unsigned b)
{
	unsigned low = from > a ? from : a, high = to < b ? to : b;

	return high > low ? high - low : 0;
}

/* Takes slots from a job that has them, or was promised them. */
static int hit(struct engine *engine, struct sim_job *job, unsigned lost)
{
	struct sched_job *sched = &job->sched;
	unsigned extra = engine->workload->launcher_slots;
	unsigned left = sched->target + extra - lost, size = 0;

	if (left > extra)
		size = sched_size_at_most(sched, left - extra);
	if (sched->size > 0 && size > sched->size)
		size = sched->size; /* it was about to grow */
	engine->free += (int)(size > 0 ? left - size - extra : left);
	sched->target = size;
	return engine_fall_back(engine, job, size);
}

/* The jobs fill the nodes that are up, in the order in which they run; `node`
 * counts these. */
static int take_slots(struct engine *engine, unsigned node)
{
	unsigned per = engine->workload->failures.slots_per_node;
	unsigned from = node * per, at = 0, idle = per;
	int r = 0;

	for (size_t i = 0;
	     r == 0 && i < engine->running.n && at < from + per;) {
		struct sched_job *sched = engine->running.jobs[i];
		unsigned slots = sched->target;
		size_t n = engine->running.n;
		unsigned lost;

		if (slots > 0)
			slots += engine->workload->launcher_slots;
		lost = overlap(at, at + slots, from, from + per);
		if (lost > 0)
			r = hit(engine, &engine->jobs[sched->number], lost);
		idle -= lost;
		at += slots;
		i += engine->running.n == n; /* else it left the list */
	}
	engine->free -= (int)idle;
	return r;
}

/* Failures are drawn for all nodes, so that they come at the same instants
 * under every policy.  Which of the nodes are up makes no difference; those
 * that are down are the last ones here. */
int engine_fail(struct engine *engine)
{
	struct engine_nodes *nodes = &engine->nodes;
	unsigned node = random_below(&nodes->random, nodes->all);
	usec_t repaired = engine->now + engine->workload->failures.repair;
	int r;

	if (++nodes->in_a_row > FAILURES_MAX)
		return -ERANGE;
	r = draw_failure(engine);
	if (r < 0 || node >= nodes->up)
		return r;
	nodes->up--;
	engine->tally.failures++;
	r = engine_add_event(engine, SIM_REPAIR, repaired, 0, 0);
	if (r == 0)
		r = take_slots(engine, node);
	return r < 0 ? r : engine_ask(engine, SCHED_REASSIGN, NULL);
}

int engine_repair(struct engine *engine)
{
	engine->nodes.up++;
	engine->free += (int)engine->workload->failures.slots_per_node;
	return engine_ask(engine, SCHED_REASSIGN, NULL);
}
