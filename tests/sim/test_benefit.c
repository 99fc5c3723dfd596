/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "tests/check.h"
#include "tests/sim/lone_job.h"

#include <math.h>

/*
 * Jobs under core/scaler_benefit, beside the best size for one who knows the
 * curve, beside the largest size at once, and beside no change at all
 *
 * The regret of a run is the time that it takes longer than the best one, as a
 * part of that.
 */

enum { JOBS = 1000, SEED = 2026 };

enum class { LINEAR, AMDAHL, USL, FLAT, SLOWER, CLASSES };

static const char *const names[CLASSES] = {
	[LINEAR] = "linear", [AMDAHL] = "Amdahl", [USL] = "USL",
	[FLAT] = "flat",     [SLOWER] = "slower",
};

enum policy { BENEFIT, ALWAYS, NEVER, POLICIES };

struct regret {
	double sum[POLICIES];
	unsigned n, rescales;
};

static const struct benefit_rules soonest = {.goal = BENEFIT_SOONEST,
					     .probes = true};

/* ---- jobs ---- */

static double log_uniform(struct random *random, double least, double most)
{
	return exp(lone_uniform(random, log(least), log(most)));
}

/* Of any unit. */
static struct lone_curve draw_curve(struct random *random, enum class class,
				    unsigned max)
{
	double part = lone_uniform(random, 0.02, 0.2);
	double best = lone_uniform(random, 0.25, 0.75) * max;

	switch (class) {
	case LINEAR:
		return (struct lone_curve){.parallel = 1};
	case AMDAHL:
		return (struct lone_curve){.serial = part,
					   .parallel = 1 - part};
	case USL: /* its least time is on so many ranks */
		return (struct lone_curve){.serial = part / 10,
					   .parallel = 1,
					   .coherency = 1 / best / best};
	case FLAT:
		return (struct lone_curve){.serial = 1};
	case SLOWER:
		return (struct lone_curve){.serial = 1, .coherency = part};
	case CLASSES:
		break;
	}
	return (struct lone_curve){0};
}

static struct lone_job draw_job(struct random *random, enum class class)
{
	double step = log_uniform(random, 0.02, 2);
	double length = log_uniform(random, 180, 24 * 3600);
	struct lone_job job = {
		.max = (unsigned)log_uniform(random, 4, 64.99),
		.price = log_uniform(random, 0.1, 10),
		.noise = lone_uniform(random, 0.02, 0.3),
		.steps = ceil(length / step),
	};

	job.initial = (unsigned)log_uniform(random, 1, job.max + 0.99);
	job.state_bytes =
		(uint64_t)(job.price * lone_uniform(random, 0.5, 1.5) * 0x1p30);
	job.curve = draw_curve(random, class, job.max);
	lone_scale(&job.curve, step / lone_step(&job.curve, job.initial));
	return job;
}

/* ---- regret ---- */

static void add(struct regret *regret, const struct lone_job *job,
		struct random *random)
{
	struct lone_run run = lone_run(job, &soonest, random);
	double best = lone_best(job);

	regret->sum[BENEFIT] += run.seconds / best - 1;
	regret->sum[ALWAYS] += lone_moved(job, job->max) / best - 1;
	regret->sum[NEVER] += lone_moved(job, job->initial) / best - 1;
	regret->rescales += run.rescales;
	regret->n++;
}

static double mean(const struct regret *regret, enum policy policy)
{
	return regret->sum[policy] / regret->n;
}

static void print(const char *name, const struct regret *regret)
{
	printf("# %-6s  benefit %6.2f %%  always %6.2f %%  never %6.2f %%  "
	       "rescales %.1f\n",
	       name, 100 * mean(regret, BENEFIT), 100 * mean(regret, ALWAYS),
	       100 * mean(regret, NEVER), (double)regret->rescales / regret->n);
}

static void merge(struct regret *all, const struct regret *regret)
{
	for (int p = 0; p < POLICIES; p++)
		all->sum[p] += regret->sum[p];
	all->n += regret->n;
	all->rescales += regret->rescales;
}

/* Where a policy without a look at the job is as good as the best one, what was
 * paid to find that out remains. */
static bool is_ahead(const struct regret *regret, enum policy other)
{
	return mean(regret, BENEFIT) <= mean(regret, other) ||
	       (mean(regret, other) < 0.01 && mean(regret, BENEFIT) < 0.04);
}

static void the_mean_regret_is_small_and_less_than_of_always_and_never(void)
{
	struct regret by[CLASSES] = {0}, all = {0};

	for (unsigned i = 0; i < JOBS; i++) {
		struct random random = {SEED + i};
		enum class class = i % CLASSES;
		struct lone_job job = draw_job(&random, class);

		add(&by[class], &job, &random);
	}
	for (int c = 0; c < CLASSES; c++) {
		print(names[c], &by[c]);
		merge(&all, &by[c]);
	}
	print("all", &all);
	CHECK(all.n == JOBS && mean(&all, BENEFIT) <= 0.03);
	CHECK(all.rescales < 3 * JOBS);
	for (int c = 0; c < CLASSES; c++) {
		CHECK(is_ahead(&by[c], ALWAYS));
		CHECK(is_ahead(&by[c], NEVER));
	}
}

/* ---- other goals ---- */

static double least_work(const struct lone_job *job)
{
	double least = lone_work(job, job->initial);

	for (unsigned n = 1; n <= job->max; n++)
		least = fmin(least, lone_work(job, n));
	return least;
}

static void the_cheapest_size_is_found(void)
{
	const struct benefit_rules rules = {.goal = BENEFIT_CHEAPEST,
					    .probes = true};
	double more = 0, never = 0;

	for (unsigned i = 0; i < JOBS; i++) {
		struct random random = {SEED + i};
		struct lone_job job = draw_job(&random, i % CLASSES);
		struct lone_run got = lone_run(&job, &rules, &random);
		double least = least_work(&job);

		more += got.work / least - 1;
		never += lone_work(&job, job.initial) / least - 1;
	}
	printf("# %.1f %% more rank-seconds; never %.1f %%\n",
	       100 * more / JOBS, 100 * never / JOBS);
	CHECK(more / JOBS < 0.03);
}

/* Half as much again as the best takes. */
static void a_deadline_that_can_be_met_is_met(void)
{
	struct benefit_rules rules = {.goal = BENEFIT_DEADLINE, .probes = true};
	unsigned met = 0, on_largest = 0;

	for (unsigned i = 0; i < JOBS; i++) {
		struct random random = {SEED + i};
		struct lone_job job = draw_job(&random, i % CLASSES);
		double deadline = 1.5 * lone_best(&job);
		struct lone_run got;

		rules.deadline = (msec_t)(deadline * 1000);
		got = lone_run(&job, &rules, &random);
		met += got.seconds <= deadline;
		on_largest += got.size == job.max;
	}
	printf("# %u of %u met, %u on the largest size\n", met, JOBS,
	       on_largest);
	CHECK(met > 0.98 * JOBS && on_largest < 0.2 * JOBS);
}

static unsigned efficient_size(const struct lone_job *job, double efficiency)
{
	unsigned size = 1;

	for (unsigned n = 1; n <= job->max; n++)
		if (lone_step(&job->curve, 1) >=
		    efficiency * n * lone_step(&job->curve, n))
			size = n;
	return size;
}

/* But for a fifth and a rank. */
static void the_largest_efficient_size_is_found(void)
{
	const struct benefit_rules rules = {
		.goal = BENEFIT_EFFICIENCY, .efficiency = 0.5, .probes = true};
	unsigned found = 0;

	for (unsigned i = 0; i < JOBS; i++) {
		struct random random = {SEED + i};
		struct lone_job job = draw_job(&random, i % CLASSES);
		unsigned size = efficient_size(&job, rules.efficiency);
		struct lone_run got = lone_run(&job, &rules, &random);

		found += fabs((double)got.size - size) <= 1 + size / 5.0;
	}
	printf("# %u of %u found\n", found, JOBS);
	CHECK(found > 0.95 * JOBS);
}

/* ---- models that are wrong ---- */

/* An hour on 4 of 1 to 16 ranks, of a step a second; a rescale takes 2 s. */
static struct lone_job an_hour(struct lone_curve curve)
{
	struct lone_job job = {
		.curve = curve,
		.is_watched = true,
		.max = 16,
		.initial = 4,
		.steps = 3600,
		.price = 2,
		.noise = 0.05,
		.state_bytes = (uint64_t)2 << 30,
	};

	lone_scale(&job.curve, 1 / lone_step(&job.curve, job.initial));
	return job;
}

static struct lone_run run(const struct lone_job *job)
{
	struct random random = {SEED};

	return lone_run(job, &soonest, &random);
}

static void a_job_that_slows_down_with_more_ranks_shrinks(void)
{
	struct lone_job job =
		an_hour((struct lone_curve){.serial = 1, .coherency = 0.2});
	struct lone_run got = run(&job);

	CHECK(got.size == 1);
	CHECK(got.seconds < 1.05 * lone_best(&job));
}

/* The ideal speed-up ends half-way, and from then on each rank costs time. */
static void a_job_whose_curve_changes_half_way_is_followed(void)
{
	struct lone_job job = an_hour((struct lone_curve){.parallel = 1});
	struct lone_run got;
	double best;

	job.changes = true;
	job.later = (struct lone_curve){.serial = 0.5, .coherency = 0.1};
	got = run(&job);
	best = job.steps / 2 *
	       (lone_step(&job.curve, 16) + lone_step(&job.later, 1));
	CHECK(got.size <= 2);
	CHECK(got.seconds < 1.1 * best);
}

/* Steps take up to nine tenths more, or less. */
static void a_job_with_noisy_steps_does_not_go_back_and_forth(void)
{
	struct lone_job job =
		an_hour((struct lone_curve){.serial = 0.1, .parallel = 0.9});
	unsigned good = 0, rescales = 0;

	job.noise = 0.9;
	for (unsigned i = 0; i < 50; i++) {
		struct random random = {SEED + i};
		struct lone_run got = lone_run(&job, &soonest, &random);

		good += got.seconds < 1.1 * lone_best(&job);
		rescales += got.rescales;
	}
	printf("# %u of 50 within a tenth of the best, %u rescales\n", good,
	       rescales);
	CHECK(good >= 48);
	CHECK(rescales <= 100);
}

/* The ideal speed-up ends at 8 ranks, and nobody has seen that. */
static void a_prediction_that_was_wrong_is_told_and_left(void)
{
	struct lone_job job = an_hour((struct lone_curve){.parallel = 1});
	struct benefit_rules rules = soonest;
	struct random random = {SEED};
	struct lone_run got;

	job.cliff = 9;
	rules.probes = false;
	got = lone_run(&job, &rules, &random);
	CHECK(strstr(got.said, "16 ranks are slower than predicted: 1.5 s a "
			       "step, not 0.63; back to 4"));
	CHECK(got.size < 9);
	CHECK(got.seconds < 1.02 * job.steps * lone_step(&job.curve, 4));
}

RUN_TESTS(TEST(the_mean_regret_is_small_and_less_than_of_always_and_never),
	  TEST(the_cheapest_size_is_found),
	  TEST(a_deadline_that_can_be_met_is_met),
	  TEST(the_largest_efficient_size_is_found),
	  TEST(a_job_that_slows_down_with_more_ranks_shrinks),
	  TEST(a_job_whose_curve_changes_half_way_is_followed),
	  TEST(a_job_with_noisy_steps_does_not_go_back_and_forth),
	  TEST(a_prediction_that_was_wrong_is_told_and_left))
