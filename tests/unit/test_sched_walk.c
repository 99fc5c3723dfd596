/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Random clusters and jobs under every policy: what must hold at each event and
 * of each action
 */

#include "sim/engine.h"
#include "tests/check.h"

enum { WALKS = 120, CLASSES = 5, JOBS = 60 };

#define S ((usec_t)1000000)

static uint64_t seed;
static struct workload_class classes[CLASSES];
static struct workload_job jobs[JOBS];
static struct workload_set set = {.jobs = jobs, .n = JOBS};
static struct workload workload = {
	.classes = classes, .n_classes = CLASSES, .sets = &set, .n_sets = 1};

struct walk {
	const struct sched_policy *policy;
	int used;    /* slots */
	usec_t last; /* event */
	unsigned long events, actions, rescales;
	uint64_t digest; /* of all that has happened */
	const char *lie;
};

/* xorshift64*: below n */
static unsigned any(unsigned n)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (unsigned)((seed * 2685821657736338717u) >> 33) % n;
}

static void make_workload(unsigned number)
{
	seed = number * 7919 + 1;
	workload.slots = 10 + any(90);
	workload.launcher_slots = any(2);
	workload.rescale_gap = any(3) * 40 * S;
	workload.decision_delay = any(3) ? 0 : any(5) * S;
	for (unsigned i = 0; i < CLASSES; i++) {
		struct workload_class *class = &classes[i];
		unsigned most = workload.slots - workload.launcher_slots;

		class->min = 1 + any(most / 2);
		class->max = class->min + any(most - class->min + 1);
		class->steps = 1 + any(1000);
		class->step_time =
			curve_through((struct curve_point[]){{1, 1 + any(10)},
							     {most + 1, 0.05}},
				      2);
		class->start = curve_constant(any(20) / 4.0);
		class->move = curve_constant(any(8) / 4.0);
	}
	for (unsigned i = 0; i < JOBS; i++) {
		jobs[i].class = any(CLASSES);
		jobs[i].priority = 1 + (int)any(5);
		jobs[i].submit = 100 * S;
		if (any(4))
			jobs[i].submit = any(3000) * S / 2;
		jobs[i].estimate = -1;
		if (any(2))
			jobs[i].estimate = any(2000) * S;
	}
}

static void mix(struct walk *walk, uint64_t value)
{
	walk->digest = (walk->digest ^ value) * 1099511628211u;
}

static void on_action(void *user, usec_t now, const struct sched_action *action)
{
	const struct sched_job *job = action->job;
	struct walk *walk = user;

	walk->actions++;
	mix(walk, (uint64_t)action->kind << 32 | action->size);
	mix(walk, (uint64_t)action->reason.rule);
	if ((unsigned)action->reason.rule >= SCHED_RULES ||
	    !*sched_rule_text(action->reason.rule))
		walk->lie = "an action has no reason";
	if (action->kind == SCHED_ASK ? action->at < now
				      : !job || (action->kind != SCHED_WAIT &&
						 (action->size < job->min ||
						  action->size > job->max)))
		walk->lie = "a job is outside its sizes, or a time is over";
	if (action->kind != SCHED_RESIZE)
		return;
	walk->rescales++;
	if (job->size == 0 || action->size == job->size)
		walk->lie = "a job is rescaled that does not run, or to its "
			    "own size";
	if (now - job->changed < workload.rescale_gap)
		walk->lie = "a job is rescaled before the gap is over";
	if (action->reason.rule == SCHED_GIVES_WAY &&
	    action->reason.other->priority < job->priority)
		walk->lie = "a job gives way to one of lower priority";
}

static void on_slots(void *user, usec_t now, const struct sched_job *job,
		     unsigned from, unsigned to)
{
	struct walk *walk = user;

	walk->events++;
	walk->used += (int)to - (int)from;
	mix(walk, (uint64_t)now);
	mix(walk, (uint64_t)job->number << 32 | to);
	if (now < walk->last)
		walk->lie = "time goes back";
	walk->last = now;
	/* The published simulator lets a job start in the second before the
	 * slots for it are free. */
	if (walk->used < 0 ||
	    (!walk->policy->published && walk->used > (int)workload.slots))
		walk->lie = "a slot is given away twice";
}

static struct walk walk_once(const struct sched_policy *policy)
{
	struct walk walk = {.policy = policy, .digest = 14695981039346656037u};
	const struct sim_settings settings = {
		.policy = policy,
		.gap = -1,
		.rescale_gap = -1,
		.observer = {&walk, on_action, on_slots},
	};
	static struct error err;
	struct sim_metrics metrics;

	/* A job that ends in the second before it would have grown takes slots
	 * of the published simulator with it. */
	if (sim_run(&metrics, &workload, &set, &settings, &err) < 0) {
		if (!policy->published)
			walk.lie = err.text;
	} else if (walk.used != 0) {
		walk.lie = "slots are in use when all jobs are over";
	}
	return walk;
}

/* Of all workloads; lie: of the first that is one. */
static struct walk walk_all(const struct sched_policy *policy)
{
	struct walk all = {.policy = policy};

	for (unsigned i = 0; i < WALKS && !all.lie; i++) {
		struct walk one;

		make_workload(i);
		one = walk_once(policy);
		all.events += one.events;
		all.actions += one.actions;
		all.rescales += one.rescales;
		all.digest = all.digest * 31 + one.digest;
		all.lie = one.lie;
		if (one.lie)
			printf("# %s, workload %u: %s\n", policy->name, i,
			       one.lie);
	}
	return all;
}

static void slots_sizes_gaps_and_reasons_hold_at_every_step(void)
{
	for (const struct sched_policy *at = sched_policies; at->name; at++) {
		struct walk walk = walk_all(at);

		CHECK(!walk.lie);
		CHECK(walk.events >= (at->published ? 1 : 2) * JOBS * WALKS);
		CHECK(walk.actions >= JOBS * WALKS);
	}
}

static void policies_that_rescale_do_so_and_others_never(void)
{
	CHECK(walk_all(sched_policy_find("elastic")).rescales > 1000);
	CHECK(walk_all(sched_policy_find("operator")).rescales > 1000);
	CHECK(walk_all(sched_policy_find("published")).rescales > 1000);
	CHECK(walk_all(sched_policy_find("moldable")).rescales == 0);
	CHECK(walk_all(sched_policy_find("rigid_min")).rescales == 0);
	CHECK(walk_all(sched_policy_find("rigid_max")).rescales == 0);
	CHECK(walk_all(sched_policy_find("fifo")).rescales == 0);
	CHECK(walk_all(sched_policy_find("easy")).rescales == 0);
}

/* The two numbers were the same with gcc and clang, with and without
 * optimisation. */
static void the_same_input_gives_the_same_output(void)
{
	for (const struct sched_policy *at = sched_policies; at->name; at++)
		CHECK(walk_all(at).digest == walk_all(at).digest);
	CHECK(walk_all(sched_policy_find("elastic")).digest ==
	      13319297794181071755ul);
	CHECK(walk_all(sched_policy_find("easy")).digest ==
	      15187296366958318169ul);
}

RUN_TESTS(TEST(slots_sizes_gaps_and_reasons_hold_at_every_step),
	  TEST(policies_that_rescale_do_so_and_others_never),
	  TEST(the_same_input_gives_the_same_output))
