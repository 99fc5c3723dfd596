/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Nodes that fail under jobs, at known instants and at random
 */

#include "base/splitmix.h"
#include "tests/unit/sim_bed.h"

#include <errno.h>
#include <math.h>

enum { WALKS = 60 };

/* The ten slots are on two nodes, and jobs write a checkpoint each 20 seconds.
 */
static void begin(void)
{
	begin_sim();
	workload.failures = (struct workload_failures){
		.slots_per_node = 5,
		.repair = 1000 * S,
		.checkpoint = 20 * S,
	};
}

static void submit(unsigned class)
{
	jobs[set.n++] = (struct workload_job){
		.class = class, .priority = 1, .estimate = -1};
}

/* Looks for a seed with which that node is the first to fail, and the next
 * failure comes late. */
static void fail(double seconds, unsigned node)
{
	struct workload_failures *failures = &workload.failures;
	unsigned all = workload.slots / failures->slots_per_node;

	for (failures->seed = 0;; failures->seed++) {
		struct random random = {failures->seed};
		double first = random_exponential(&random);

		failures->mtbf = seconds / first * all;
		if (random_below(&random, all) == node &&
		    random_exponential(&random) > 20 * first)
			return;
	}
}

/* What slots which job has from when on. */
static const char *run(const char *policy)
{
	const struct sim_settings settings = {
		.policy = sched_policy_find(policy),
		.gap = -1,
		.rescale_gap = -1,
		.observer = {.on_slots = on_slots},
	};

	*told = '\0';
	if (sim_run(&metrics, &workload, &set, &settings, &err) < 0)
		return err.text;
	return told;
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-4;
}

/* It had computed for 50 s, of which 40 are saved. */
static void a_job_goes_on_with_the_ranks_that_are_left(void)
{
	begin();
	submit(0);
	fail(52, 1);
	CHECK_TEXT(run("moldable"), "0: 0 has 9, 52: 0 has 5, 175: 0 has 0");
	CHECK(metrics.failures == 1 && metrics.parks == 0);
	CHECK(is_near(metrics.repeated, 10));
	CHECK(is_near(metrics.repeated_steps, 10));
	CHECK(metrics.rescales == 0);
}

static void without_checkpoints_all_since_the_start_is_lost(void)
{
	begin();
	submit(0);
	fail(52, 1);
	workload.failures.checkpoint = 0;
	CHECK_TEXT(run("moldable"), "0: 0 has 9, 52: 0 has 5, 255: 0 has 0");
	CHECK(is_near(metrics.repeated, 50));
}

/* The node takes 4 of its 8 ranks; the application does not run on 4. */
static void a_job_goes_on_with_a_size_that_it_accepts(void)
{
	static unsigned sizes[] = {2, 3, 8};

	begin();
	submit(0);
	fail(52, 1);
	classes[0].sizes = sizes;
	classes[0].n_sizes = LENGTH(sizes);
	CHECK_TEXT(run("moldable"), "0: 0 has 9, 52: 0 has 4, 235: 0 has 0");
}

static void a_job_with_too_few_ranks_waits_for_the_repair(void)
{
	begin();
	workload.slots = 5;
	workload.failures.repair = 30 * S;
	submit(1);
	fail(52, 0);
	CHECK_TEXT(run("moldable"), "0: 0 has 5, 52: 0 has 0, 82: 0 has 5, "
				    "245: 0 has 0");
	CHECK(metrics.parks == 1 && is_near(metrics.repeated, 10));
	CHECK(is_near(metrics.repeated_steps, 5));
	CHECK(is_near(metrics.slowdown, 245 / 215.0));
}

static void a_node_that_nobody_uses_fails_without_harm(void)
{
	begin();
	submit(1);
	fail(52, 1);
	CHECK_TEXT(run("moldable"), "0: 0 has 5, 202: 0 has 0");
	CHECK(metrics.failures == 1 && metrics.repeated == 0);
}

static void a_job_grows_back_when_the_node_is_repaired(void)
{
	begin();
	workload.failures.repair = 23 * S;
	submit(0);
	fail(52, 1);
	/* from 55 to 75 s it computes 10 of the 60 steps that are left */
	CHECK_TEXT(run("elastic"),
		   "0: 0 has 9, 52: 0 has 5, 75: 0 has 9, 128: 0 has 0");
	CHECK(metrics.rescales == 1);
}

static void a_start_on_a_node_that_fails_is_smaller(void)
{
	begin();
	workload.decision_delay = workload.start_delay = 60 * S;
	submit(0);
	fail(52, 1);
	CHECK_TEXT(run("moldable"), "60: 0 has 5, 262: 0 has 0");
	CHECK(metrics.repeated == 0 && metrics.parks == 0);
	workload.decision_delay = workload.start_delay = 50 * S;
	set.n = 0;
	submit(1);
	fail(40, 0);
	/* it is told to start again on the other node */
	CHECK_TEXT(run("moldable"), "90: 0 has 5, 292: 0 has 0");
}

/* Job 0 ends at 40 s, and job 1 would have 8 ranks at 60 s.  It has 3 of them
 * instead, and one that is free at 72 s. */
static void a_growth_on_a_node_that_fails_is_off(void)
{
	begin();
	workload.decision_delay = workload.start_delay = 20 * S;
	submit(1);
	submit(0);
	jobs[0].steps = 9;
	fail(52, 0);
	CHECK_TEXT(run("elastic"),
		   "20: 0 has 5, 20: 1 has 5, 40: 0 has 0, 52: 1 has 4, "
		   "72: 1 has 5, 243.667: 1 has 0");
	CHECK(metrics.rescales == 1 && is_near(metrics.repeated, 10));
	/* the node has one slot, and the job keeps the 4 ranks that it has */
	workload.failures.slots_per_node = 1;
	fail(52, 0);
	CHECK_TEXT(run("elastic"),
		   "20: 0 has 5, 20: 1 has 5, 40: 0 has 0, 52: 1 has 5, "
		   "72: 1 has 9, 156.5: 1 has 0");
}

static void failures_do_not_hide_that_jobs_wait_for_ever(void)
{
	begin();
	submit(0);
	classes[0].max = 10;
	workload.failures.mtbf = 100;
	CHECK_TEXT(run("rigid_max"),
		   "rigid_max leaves 1 of 1 jobs waiting for ever");
}

static void jobs_that_always_fall_back_are_an_error(void)
{
	begin();
	submit(1);
	workload.failures.mtbf = 1;
	workload.failures.repair = 0;
	CHECK_TEXT(run("moldable"),
		   "moldable: the jobs take too long to be simulated");
}

static void the_published_simulator_knows_no_failures(void)
{
	begin();
	submit(0);
	workload.failures.mtbf = 100;
	CHECK_TEXT(run("published"),
		   "there are failures, of which published knows nothing");
}

/* ---- at random ---- */

static struct random random_walk;
static const char *lie;
static int used;
static uint64_t digest;

static unsigned any(unsigned n)
{
	return random_below(&random_walk, n);
}

static void make_workload(unsigned number)
{
	random_walk.state = number;
	begin();
	workload.slots = 5 * (2 + any(8));
	workload.launcher_slots = any(2);
	workload.decision_delay = any(2) * any(30) * S;
	workload.start_delay = any(2) * workload.decision_delay;
	workload.rescale_gap = any(2) * 60 * S;
	workload.failures.slots_per_node = any(2) ? 5 : 1;
	workload.failures.mtbf = 200 + any(2000);
	workload.failures.repair = any(400) * S;
	workload.failures.checkpoint = any(40) * S;
	workload.failures.seed = number;
	for (unsigned i = 0; i < JOBS; i++) {
		submit(any(2));
		jobs[i].priority = 1 + (int)any(5);
		jobs[i].submit = any(1000) * S;
		jobs[i].steps = 1 + any(100);
	}
}

static void on_walk_action(void *user, usec_t now,
			   const struct sched_action *action)
{
	if (action->reason.free < 0 ||
	    action->reason.free > (int)workload.slots)
		lie = "there are other free slots than there can be";
}

static void on_walk_slots(void *user, usec_t now, const struct sched_job *job,
			  unsigned from, unsigned to)
{
	used += (int)to - (int)from;
	digest = (digest ^ (uint64_t)now ^ job->number ^ to) * 1099511628211u;
	if (used < 0 || used > (int)workload.slots)
		lie = "a slot is given away twice";
	if (to > 0 && (job->size < job->min || job->size > job->max))
		lie = "a job has a size that it may not have";
}

static void walk(const struct sched_policy *policy)
{
	const struct sim_settings settings = {
		.policy = policy,
		.gap = -1,
		.rescale_gap = -1,
		.observer = {NULL, on_walk_action, on_walk_slots},
	};

	lie = NULL;
	used = 0;
	digest = 14695981039346656037u;
	if (sim_run(&metrics, &workload, &set, &settings, &err) < 0)
		lie = err.text;
	else if (used != 0)
		lie = "slots are in use when all jobs are over";
	else if (metrics.repeated < 0 || metrics.failures < 0)
		lie = "a figure is below 0";
}

static void all_jobs_end_under_every_policy_that_knows_failures(void)
{
	double failures = 0, parks = 0;

	for (const struct sched_policy *at = sched_policies; at->name; at++)
		for (unsigned i = 0; i < WALKS && !at->published; i++) {
			make_workload(i);
			walk(at);
			if (lie)
				note(at->name, lie);
			CHECK(!lie);
			failures += metrics.failures;
			parks += metrics.parks;
		}
	CHECK(failures > 1000 && parks > 100);
}

static void a_seed_gives_the_same_failures_each_time(void)
{
	const struct sched_policy *elastic = sched_policy_find("elastic");
	uint64_t first;

	make_workload(7);
	walk(elastic);
	first = digest;
	walk(elastic);
	CHECK(!lie && digest == first);
	workload.failures.seed++;
	walk(elastic);
	CHECK(!lie && digest != first);
}

RUN_TESTS(TEST(a_job_goes_on_with_the_ranks_that_are_left),
	  TEST(without_checkpoints_all_since_the_start_is_lost),
	  TEST(a_job_goes_on_with_a_size_that_it_accepts),
	  TEST(a_job_with_too_few_ranks_waits_for_the_repair),
	  TEST(a_node_that_nobody_uses_fails_without_harm),
	  TEST(a_job_grows_back_when_the_node_is_repaired),
	  TEST(a_start_on_a_node_that_fails_is_smaller),
	  TEST(a_growth_on_a_node_that_fails_is_off),
	  TEST(failures_do_not_hide_that_jobs_wait_for_ever),
	  TEST(jobs_that_always_fall_back_are_an_error),
	  TEST(the_published_simulator_knows_no_failures),
	  TEST(all_jobs_end_under_every_policy_that_knows_failures),
	  TEST(a_seed_gives_the_same_failures_each_time))
