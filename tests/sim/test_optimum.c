/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The policies against the best schedule of 200 tiny clusters
 *
 * The policies named `published` are left out: they bend time and slots (see
 * sim/engine.h), so they can be better than what is possible.
 */

#include "core/sched_plan.h"
#include "tests/check.h"
#include "tests/sim/tiny_cluster.h"

#include <math.h>

#define S ((usec_t)1000000)

/* Of the engine's microseconds, and of sums of them. */
#define ROUNDING 1e-6

enum { OBJECTIVES = 2, POLICIES_MAX = 64 };

static struct tiny_cluster cluster;
static const struct optimum *optimum; /* of the cluster */

/* ---- the simulator follows the best schedule ---- */

static size_t followed; /* steps */
static bool has_too_few_slots;

static struct sched_job *find(struct sched_job **jobs, size_t n,
			      unsigned number)
{
	for (size_t i = 0; i < n; i++)
		if (jobs[i]->number == number)
			return jobs[i];
	return NULL;
}

static void follow_step(struct sched_plan *plan,
			const struct optimum_step *step)
{
	const struct sched_view *view = plan->view;
	struct sched_job *job = find(view->queue, view->n_queue, step->job);

	if (job) {
		sched_plan_start(plan, job, step->size, SCHED_FITS);
		return;
	}
	job = find(view->running, view->n_running, step->job);
	if (job)
		sched_plan_resize(plan, job, step->size, SCHED_GROWS, NULL);
}

/* At the instant of a step the policy asks to be asked again, so that all else
 * that happens at that instant has happened. */
static size_t follow(struct sched_view *view, struct sched_action *actions)
{
	struct sched_plan plan = {.view = view, .actions = actions};
	const struct optimum_step *steps = optimum->steps;

	if (view->cause == SCHED_RECHECK)
		while (followed < optimum->n && steps[followed].at == view->now)
			follow_step(&plan, &steps[followed++]);
	has_too_few_slots |= view->free < 0;
	if (followed < optimum->n)
		sched_plan_ask(&plan, steps[followed].at,
			       steps[followed].at == view->now ? SCHED_RECHECK
							       : SCHED_REASSIGN,
			       SCHED_QUEUE_MOVED);
	return plan.n;
}

static const struct sched_policy follower = {
	.name = "follower",
	.decide = follow,
	.queue = SCHED_BY_PLACE,
	.running = SCHED_BY_PLACE,
	.sizes = SCHED_ALL_SIZES,
};

/* ---- best schedules that are known ---- */

/* Two slots, and jobs that are as many times faster as they have ranks. */
static void begin(double pause)
{
	cluster = (struct tiny_cluster){
		.workload = {.slots = 2, .classes = cluster.classes},
		.set = {.jobs = cluster.jobs},
	};
	for (size_t i = 0; i < OPTIMUM_JOBS_MAX; i++)
		cluster.classes[i].move = curve_constant(pause);
}

static void submit(usec_t at, int priority, unsigned min, unsigned max,
		   double rank_seconds)
{
	unsigned i = (unsigned)cluster.set.n++;
	const struct curve_point points[] = {{1, rank_seconds},
					     {2, rank_seconds / 2}};

	cluster.jobs[i] = (struct workload_job){
		.class = i, .priority = priority, .submit = at};
	cluster.classes[i].min = min;
	cluster.classes[i].max = max;
	cluster.classes[i].steps = 1;
	cluster.classes[i].step_time = curve_through(points, 2);
}

static bool is_best(enum optimum_objective objective, double value,
		    size_t steps)
{
	static struct optimum found;

	optimum_find(&found, &cluster.workload, &cluster.set, objective, true);
	optimum = &found;
	return fabs(optimum->value - value) < ROUNDING && optimum->n == steps;
}

static void the_more_important_of_two_jobs_has_all_slots_first(void)
{
	begin(0);
	submit(0, 1, 1, 2, 100);
	submit(0, 3, 1, 2, 100);
	CHECK(is_best(OPTIMUM_TOTAL, 100, 2));
	CHECK(is_best(OPTIMUM_COMPLETION, (1 * 100 + 3 * 50) / 4.0, 2));
	CHECK(optimum->steps[0].job == 1 && optimum->steps[0].size == 2);
}

static void slots_wait_for_an_important_job_that_is_submitted_soon(void)
{
	begin(0);
	submit(0, 1, 2, 2, 200);
	submit(1 * S, 5, 2, 2, 20);
	CHECK(is_best(OPTIMUM_TOTAL, 110, 2));
	CHECK(is_best(OPTIMUM_COMPLETION, (1 * 111 + 5 * 10) / 6.0, 2));
	CHECK(optimum->steps[0].job == 1 && optimum->steps[0].at == 1 * S);
}

static void a_job_is_rescaled_if_that_is_worth_its_price(void)
{
	begin(9);
	submit(0, 1, 1, 2, 100);
	submit(0, 1, 1, 1, 20);
	CHECK(is_best(OPTIMUM_TOTAL, 20 + 9 + 80 / 2, 3));
	begin(11);
	submit(0, 1, 1, 2, 100);
	submit(0, 1, 1, 1, 20);
	CHECK(is_best(OPTIMUM_TOTAL, 50 + 20, 2));
}

static void a_job_is_not_rescaled_before_the_gap_is_over(void)
{
	begin(1);
	cluster.workload.rescale_gap = 30 * S;
	submit(0, 1, 1, 2, 100);
	submit(0, 1, 1, 1, 20);
	CHECK(is_best(OPTIMUM_TOTAL, 30 + 1 + 70 / 2, 3));
	CHECK(optimum->steps[2].at == 30 * S && optimum->steps[2].size == 2);
}

/* ---- random clusters ---- */

/* Cluster number / 2 and its best schedule for one of the two objectives, which
 * is returned. */
static enum optimum_objective take(unsigned number)
{
	static struct optimum found[OBJECTIVES * TINY_CLUSTERS];
	enum optimum_objective objective = number % OBJECTIVES;

	tiny_cluster_init(&cluster, number / OBJECTIVES);
	optimum = &found[number];
	if (optimum->n == 0)
		optimum_find(&found[number], &cluster.workload, &cluster.set,
			     objective, true);
	return objective;
}

static void the_bounds_leave_out_no_better_schedule(void)
{
	static struct optimum all;
	size_t compared = 0;

	for (unsigned i = 0; i < OBJECTIVES * TINY_CLUSTERS; i++) {
		enum optimum_objective objective = take(i);
		size_t most = cluster.workload.rescale_gap > 0 ? 10 : 15;

		/* others have too many schedules */
		if (cluster.set.n * cluster.workload.slots > most)
			continue;
		optimum_find(&all, &cluster.workload, &cluster.set, objective,
			     false);
		CHECK(fabs(all.value - optimum->value) < 2 * ROUNDING);
		compared++;
	}
	CHECK(compared == 208);
}

static void the_simulator_follows_each_best_schedule_to_its_value(void)
{
	size_t rescales = 0;

	for (unsigned i = 0; i < OBJECTIVES * TINY_CLUSTERS; i++) {
		enum optimum_objective objective = take(i);
		double value;
		bool parks;

		followed = 0;
		has_too_few_slots = false;
		value = tiny_cluster_run(&cluster, &follower, objective,
					 &parks);
		CHECK(fabs(value - optimum->value) < ROUNDING);
		CHECK(followed == optimum->n && !has_too_few_slots);
		rescales += optimum->n - cluster.set.n;
	}
	CHECK(rescales >= 200);
}

static void
no_policy_that_parks_no_job_is_better_and_each_is_as_good_at_times(void)
{
	size_t as_good[POLICIES_MAX] = {0};
	const struct sched_policy *at;

	for (unsigned i = 0; i < OBJECTIVES * TINY_CLUSTERS; i++) {
		enum optimum_objective objective = take(i);

		for (at = sched_policies; at->name; at++) {
			double value;
			bool parks;

			if (at->published)
				continue;
			value = tiny_cluster_run(&cluster, at, objective,
						 &parks);
			CHECK(parks ||
			      value >= optimum->value * (1 - ROUNDING));
			as_good[at - sched_policies] +=
				value <= optimum->value * (1 + ROUNDING);
		}
	}
	for (at = sched_policies; at->name; at++)
		CHECK(at->published || (as_good[at - sched_policies] > 0 &&
					as_good[at - sched_policies] <
						OBJECTIVES * TINY_CLUSTERS));
}

RUN_TESTS(
	TEST(the_more_important_of_two_jobs_has_all_slots_first),
	TEST(slots_wait_for_an_important_job_that_is_submitted_soon),
	TEST(a_job_is_rescaled_if_that_is_worth_its_price),
	TEST(a_job_is_not_rescaled_before_the_gap_is_over),
	TEST(the_bounds_leave_out_no_better_schedule),
	TEST(the_simulator_follows_each_best_schedule_to_its_value),
	TEST(no_policy_that_parks_no_job_is_better_and_each_is_as_good_at_times))
