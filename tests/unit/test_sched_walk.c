/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Random clusters and jobs under every policy: what must hold at each of a
 * million starts, rescales and ends, and of each action; and how long jobs wait
 */

#include "base/list.h"
#include "sim/engine.h"
#include "tests/check.h"

#include <inttypes.h>

enum {
	WALKS = 600,
	CLASSES = 5,
	JOBS = 60,
	STREAMS = 20,
	STREAM_JOBS = 300,
	POLICIES_MAX = 64,
};

#define S ((usec_t)1000000)

static uint64_t seed;
static struct workload_class classes[CLASSES];
static struct workload_job jobs[STREAM_JOBS];
static struct workload_set set = {.jobs = jobs};
static struct workload workload = {
	.classes = classes, .n_classes = CLASSES, .sets = &set, .n_sets = 1};

struct row {
	const char *policy;
	uint64_t digest; /* of all that it does in the walks */
	bool rescales;
	/* A job waits at most so many times the longest run for each job that
	 * was submitted before it and has not ended; 0: as long as more
	 * important jobs are submitted. */
	unsigned waits;
};

/* The digests were the same with gcc and clang, with and without optimisation.
 */
static const struct row rows[] = {
	{"elastic", 15999739537953720208u, true, 0},
	{"moldable", 4207287244714911922u, false, 0},
	{"rigid_min", 9613679702653156372u, false, 0},
	{"rigid_max", 15214490321597695184u, false, 0},
	{"operator", 16581466253795593423u, true, 0},
	{"published", 11358777099901719012u, true, 0},
	{"published_moldable", 12091307813512864246u, false, 0},
	{"published_min", 15932955352916652408u, false, 0},
	{"published_max", 297188179101750444u, false, 0},
	{"published_sorted", 392692904554313244u, true, 0},
	{"published_sorted_moldable", 4068840510609068679u, false, 0},
	{"published_sorted_min", 13704854664451005010u, false, 0},
	{"published_sorted_max", 3802467758194659584u, false, 0},
	{"fifo", 7185896255411769613u, false, 1},
	{"easy", 18149424386907258999u, false, 1},
	{"bellows", 14122144746359524975u, true, 4},
};

/* NULL: the policy needs one. */
static const struct row *row_of(const struct sched_policy *policy)
{
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (strcmp(rows[i].policy, policy->name) == 0)
			return &rows[i];
	return NULL;
}

struct walk {
	const struct sched_policy *policy;
	int used;    /* slots */
	usec_t last; /* event */
	unsigned long events, actions, rescales;
	uint64_t digest; /* of all that has happened */
	usec_t started[STREAM_JOBS], ended[STREAM_JOBS];
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

/* Of whole numbers alone. */
static void make_workload(unsigned number)
{
	seed = number * 7919 + 1;
	set.n = JOBS;
	workload.slots = 10 + any(90);
	workload.launcher_slots = any(2);
	workload.rescale_gap = any(3) * 40 * S;
	workload.decision_delay = any(3) ? 0 : any(5) * S;
	workload.start_delay = workload.decision_delay;
	workload.aging = number % 2 ? 60 * S : 0;
	for (unsigned i = 0; i < CLASSES; i++) {
		struct workload_class *class = &classes[i];
		unsigned most = workload.slots - workload.launcher_slots;

		class->min = 1 + any(most / 2);
		class->max = class->min + any(most - class->min + 1);
		class->steps = 1 + any(200);
		class->step_time = curve_through(
			(struct curve_point[]){{1, 2 + any(10)}, {most + 1, 1}},
			2);
		class->start = curve_constant(any(6));
		class->move = curve_constant(any(3));
	}
	for (unsigned i = 0; i < JOBS; i++) {
		jobs[i].class = any(CLASSES);
		jobs[i].priority = 1 + (int)any(5);
		jobs[i].submit = 100 * S;
		if (any(4))
			jobs[i].submit = any(1500) * S;
		jobs[i].estimate = -1;
		if (any(2))
			jobs[i].estimate = any(2000) * S;
	}
}

static void mix(struct walk *walk, uint64_t value)
{
	walk->digest = (walk->digest ^ value) * 1099511628211u;
}

static bool has_reason(const struct sched_action *action)
{
	enum sched_rule rule = action->reason.rule;
	const char *text =
		(unsigned)rule < SCHED_RULES ? sched_rule_text(rule) : NULL;

	return text && *text;
}

static void on_action(void *user, usec_t now, const struct sched_action *action)
{
	const struct sched_job *job = action->job;
	struct walk *walk = user;

	walk->actions++;
	mix(walk, (uint64_t)action->kind << 32 | action->size);
	mix(walk, (uint64_t)action->reason.rule);
	if (!has_reason(action))
		walk->lie = "an action has no reason";
	if (action->kind == SCHED_ASK ? action->at < now : !job)
		walk->lie = "an action has no job, or its time is over";
	if ((action->kind == SCHED_START || action->kind == SCHED_RESIZE) &&
	    (action->size < job->min || action->size > job->max))
		walk->lie = "a job is outside its sizes";
	if (action->kind == SCHED_PARK &&
	    action->reason.other->priority <= job->priority)
		walk->lie = "a job is parked for one of lower priority";
	if (action->kind != SCHED_RESIZE && action->kind != SCHED_PARK)
		return;
	walk->rescales++;
	if (job->size == 0 || action->size == job->size)
		walk->lie = "a job is rescaled that does not run, or to its "
			    "own size";
	if (now - job->changed < workload.rescale_gap)
		walk->lie = "a job is rescaled before the gap is over";
	if (action->reason.rule == SCHED_GIVES_WAY && workload.aging == 0 &&
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
	if (to != 0 && (to < job->min + workload.launcher_slots ||
			to > job->max + workload.launcher_slots))
		walk->lie = "a job has a size outside its own";
	if (from == 0 && walk->started[job->number] == INT64_MAX)
		walk->started[job->number] = now;
	if (to == 0)
		walk->ended[job->number] = now;
	if (walk->used < 0)
		walk->lie = "a job gives back slots that it does not have";
	/* The published simulator lets a job start in the second before the
	 * slots for it are free; and as the time of a start counts as computed,
	 * a job can have ended before the instant of its rescale. */
	if (!walk->policy->published && walk->used > (int)workload.slots)
		walk->lie = "a slot is given away twice";
	if (!walk->policy->published && now < walk->last)
		walk->lie = "time goes back";
	walk->last = now;
}

static void walk_once(struct walk *walk, const struct sched_policy *policy)
{
	const struct sim_settings settings = {
		.policy = policy,
		.gap = -1,
		.rescale_gap = -1,
		.observer = {walk, on_action, on_slots},
	};
	static struct error err;
	struct sim_metrics metrics;

	*walk = (struct walk){
		.policy = policy,
		.digest = 14695981039346656037u,
	};
	for (size_t i = 0; i < set.n; i++)
		walk->started[i] = INT64_MAX;
	/* A job that ends in the second before it would have grown takes slots
	 * of the published simulator with it. */
	if (sim_run(&metrics, &workload, &set, &settings, &err) < 0) {
		if (!policy->published)
			walk->lie = err.text;
	} else if (walk->used != 0) {
		walk->lie = "slots are in use when all jobs are over";
	}
}

/* Of all workloads; lie: of the first that is one. */
static struct walk walk_all(const struct sched_policy *policy)
{
	struct walk all = {.policy = policy};

	for (unsigned i = 0; i < WALKS && !all.lie; i++) {
		static struct walk one, again;

		make_workload(i);
		walk_once(&one, policy);
		walk_once(&again, policy);
		all.events += one.events;
		all.actions += one.actions;
		all.rescales += one.rescales;
		all.digest = all.digest * 31 + one.digest;
		all.lie = one.lie;
		if (one.digest != again.digest)
			all.lie = "a second walk differs from the first";
		if (all.lie)
			printf("# %s, workload %u: %s\n", policy->name, i,
			       all.lie);
	}
	return all;
}

/* Walked once for all tests. */
static const struct walk *walk_of(const struct sched_policy *policy)
{
	static struct walk walks[POLICIES_MAX];
	struct walk *walk = &walks[policy - sched_policies];

	if (!walk->policy)
		*walk = walk_all(policy);
	return walk;
}

/* ---- streams ---- */

/* Small and important jobs, so many that the cluster is never empty, and one
 * that needs it all.  Returns the number of the latter. */
static unsigned make_stream(unsigned number)
{
	const struct curve_point points[] = {{1, 4}, {2, 2}, {4, 1}};
	unsigned whole, i;

	seed = number + 1;
	workload.slots = 12 + any(5);
	workload.launcher_slots = any(2);
	workload.rescale_gap = any(3) * 30 * S;
	workload.decision_delay = workload.start_delay = 0;
	workload.aging = 60 * S;
	classes[0] = (struct workload_class){
		.min = 1,
		.max = 4,
		.step_time = curve_through(points, LENGTH(points)),
	};
	classes[1] = classes[0];
	classes[1].step_time = curve_constant(1);
	classes[1].min = workload.slots - workload.launcher_slots;
	classes[1].max = classes[1].min;
	set.n = STREAM_JOBS;
	for (i = 0; i < STREAM_JOBS; i++)
		jobs[i] = (struct workload_job){
			.priority = 5,
			.steps = 20 + any(20),
			.submit = (usec_t)i * 12 * S,
			.estimate = -1,
		};
	whole = 5 + any(20);
	jobs[whole].class = 1;
	jobs[whole].priority = 1;
	return whole;
}

static unsigned jobs_before(const struct walk *walk, unsigned job)
{
	unsigned n = 0;

	for (unsigned i = 0; i < job; i++)
		n += walk->ended[i] > jobs[job].submit;
	return n;
}

/* The longest run of a job, which is that of a small one on one rank. */
#define LONGEST (40 * 4 * S)

static bool keeps_its_promise(const struct row *row, unsigned whole,
			      const struct walk *walk)
{
	if (row->waits == 0)
		return walk->started[whole] > jobs[STREAM_JOBS - 1].submit;
	for (unsigned i = 0; i < STREAM_JOBS; i++)
		if (walk->started[i] - jobs[i].submit >
		    row->waits * jobs_before(walk, i) * LONGEST)
			return false;
	return true;
}

/* ---- tests ---- */

static void slots_sizes_gaps_and_reasons_hold_at_a_million_events(void)
{
	unsigned long events = 0;

	for (const struct sched_policy *at = sched_policies; at->name; at++) {
		const struct walk *walk = walk_of(at);

		CHECK(!walk->lie);
		CHECK(walk->actions >= JOBS * WALKS);
		events += walk->events;
	}
	CHECK(events >= 1000000);
}

static void policies_that_rescale_do_so_and_others_never(void)
{
	for (const struct sched_policy *at = sched_policies; at->name; at++) {
		const struct row *row = row_of(at);

		CHECK(row);
		CHECK(row->rescales ? walk_of(at)->rescales > 1000
				    : walk_of(at)->rescales == 0);
	}
}

static void the_same_input_gives_the_same_output_on_every_machine(void)
{
	for (const struct sched_policy *at = sched_policies; at->name; at++) {
		const struct row *row = row_of(at);
		uint64_t digest = walk_of(at)->digest;

		if (!row || digest != row->digest)
			printf("# of %s: %" PRIu64 "u\n", at->name, digest);
		CHECK(row && digest == row->digest);
	}
}

static void no_job_waits_longer_than_its_policy_promises(void)
{
	static struct walk walk;

	for (const struct sched_policy *at = sched_policies; at->name; at++) {
		for (unsigned k = 0; k < STREAMS; k++) {
			const struct row *row = row_of(at);
			unsigned whole = make_stream(k);

			walk_once(&walk, at);
			CHECK(row && !walk.lie);
			CHECK(keeps_its_promise(row, whole, &walk));
		}
	}
}

RUN_TESTS(TEST(slots_sizes_gaps_and_reasons_hold_at_a_million_events),
	  TEST(policies_that_rescale_do_so_and_others_never),
	  TEST(the_same_input_gives_the_same_output_on_every_machine),
	  TEST(no_job_waits_longer_than_its_policy_promises))
