/* SPDX-License-Identifier: Apache-2.0 */
#include "base/splitmix.h"
#include "core/eta.h"
#include "tests/check.h"

#include <math.h>

/*
 * How often the time that a job still takes lies within the deviation that
 * core/eta states
 *
 * Each job is asked once, at an instant that is drawn by lot, and computes on
 * to its end, which tells the truth.  Of 1,000 jobs 68 and 95 % would be off by
 * chance by 1.5 and 0.7 % (one standard error): what is asserted is three of
 * them away, at least, from that or from what was measured.
 */

enum { JOBS = 1000, SEED = 2026, STATED_MAX = 2 };

enum noise { FEW, MANY, MOST, SKEWED, BURSTS, FASTER, SLOWER, LASTING, NOISES };

/* Around a mean of 1. */
static const struct {
	const char *name;
	double off; /* a step takes up to this part more, or less */
	bool is_skewed;
	double lasting; /* how much of it the next step has, too */
	unsigned burst; /* lines that come at once */
	double later;   /* the mean from half-way to the question on */
	double least[STATED_MAX + 1]; /* of the jobs, within so many */
} noises[NOISES] = {
	[FEW] = {"off by up to 2 %", .off = 0.02, .least = {0, 0.63, 0.92}},
	[MANY] = {"off by up to 30 %", .off = 0.3, .least = {0, 0.63, 0.92}},
	[MOST] = {"off by up to 90 %", .off = 0.9, .least = {0, 0.63, 0.92}},
	[SKEWED] = {"exponential", .is_skewed = true, .least = {0, 0.6, 0.9}},
	[BURSTS] = {"30 %, 40 lines at once", .off = 0.3, .burst = 40,
		    .least = {0, 0.63, 0.91}},
	[FASTER] = {"30 %, then half the time", .off = 0.3, .later = 0.5,
		    .least = {0, 0.63, 0.91}},
	[SLOWER] = {"30 %, then 15 % more time", .off = 0.3, .later = 1.15,
		    .least = {0, 0.55, 0.8}},
	[LASTING] = {"30 %, for ten steps", .off = 0.3, .lasting = 0.9,
		     .least = {0, 0.5, 0.75}},
};

struct covered {
	unsigned n, within[STATED_MAX + 1];
	double relative; /* sum of deviations by the time that is left */
};

struct job {
	enum noise noise;
	struct random random;
	unsigned epoch, ranks;
	double steps, step; /* all of them; seconds of one on one rank */
	double serial;      /* the part of it that is not parallel */
	double asked;       /* the steps that are made when it is asked */
	double done, now, off;
	struct eta_meter meter;
};

static double uniform(struct random *random, double least, double most)
{
	return least +
	       (most - least) * (double)(random_bits(random) >> 11) / 0x1p53;
}

static double log_uniform(struct random *random, double least, double most)
{
	return exp(uniform(random, log(least), log(most)));
}

static double draw_step(struct job *job)
{
	double most = noises[job->noise].off;
	double lasting = noises[job->noise].lasting;
	double later = noises[job->noise].later;
	double mean =
		job->step * (job->serial + (1 - job->serial) / job->ranks);
	double fresh = uniform(&job->random, -most, most);

	if (later > 0 && job->done * 2 >= job->asked)
		mean *= later;
	if (noises[job->noise].is_skewed)
		return mean * random_exponential(&job->random);
	job->off = lasting * job->off + sqrt(1 - lasting * lasting) * fresh;
	return mean * fmax(1 + job->off, 0.01);
}

static void look(struct job *job)
{
	const struct step_look look = {.epoch = job->epoch,
				       .ranks = job->ranks,
				       .step = (uint64_t)job->done,
				       .at = (msec_t)(job->now * 1000)};

	eta_look(&job->meter, &look);
}

static void start(struct job *job, unsigned ranks)
{
	job->epoch++;
	job->ranks = ranks;
	look(job);
}

static void compute(struct job *job, double until)
{
	unsigned burst = noises[job->noise].burst;

	while (job->done < until) {
		job->now += draw_step(job);
		job->done++;
		if (burst == 0 || (unsigned)job->done % burst == 0)
			look(job);
	}
}

static void ask(struct covered *covered, struct job *job)
{
	const struct eta_facts facts = {.ranks = job->ranks,
					.steps_left = job->steps - job->done};
	struct eta eta = eta_of(&job->meter, &facts);
	double asked = job->now, off;

	compute(job, job->steps);
	off = fabs(job->now - asked - eta.left);
	for (unsigned i = 1; i <= STATED_MAX; i++)
		covered->within[i] += off <= i * eta.sd;
	covered->relative += eta.sd / eta.left;
	covered->n += eta.sd > 0;
}

static double part(const struct covered *covered, unsigned deviations)
{
	return (double)covered->within[deviations] / covered->n;
}

static void print(const char *name, const struct covered *covered)
{
	printf("# %-25s %4.1f %% within one, %4.1f %% within two deviations, "
	       "which are %.2g %% of what is left\n",
	       name, 100 * part(covered, 1), 100 * part(covered, 2),
	       100 * covered->relative / covered->n);
}

static struct job draw_job(enum noise noise, unsigned seed)
{
	struct job job = {.noise = noise, .random = {SEED + seed}};

	job.step = log_uniform(&job.random, 1, 100);
	job.steps = ceil(log_uniform(&job.random, 400, 5000));
	if (noises[noise].burst > 0)
		job.steps *= 10;
	return job;
}

static struct covered cover(enum noise noise)
{
	struct covered covered = {0};

	for (unsigned i = 0; i < JOBS; i++) {
		struct job job = draw_job(noise, i);

		job.asked = job.steps * uniform(&job.random, 0.05, 0.9);
		start(&job, 4);
		compute(&job, job.asked);
		ask(&covered, &job);
	}
	print(noises[noise].name, &covered);
	return covered;
}

static void the_truth_lies_within_the_deviation_that_is_stated(void)
{
	for (int i = 0; i < NOISES; i++) {
		struct covered covered = cover((enum noise)i);

		CHECK(covered.n >= 0.98 * JOBS);
		CHECK(part(&covered, 1) < 0.75);
		for (unsigned k = 1; k <= STATED_MAX; k++)
			CHECK(part(&covered, k) > noises[i].least[k]);
	}
}

/* Up to 30 % of a job is not parallel.  It has run on 2 and on 4 ranks. */
static void a_size_that_is_not_measured_yet_is_predicted(void)
{
	struct covered covered = {0};

	for (unsigned i = 0; i < JOBS; i++) {
		struct job job = draw_job(MANY, i);

		job.serial = uniform(&job.random, 0, 0.3);
		start(&job, 2);
		compute(&job, 100);
		start(&job, 4);
		compute(&job, 200);
		start(&job, 8);
		ask(&covered, &job);
	}
	print("after 2 and 4, on 8 ranks", &covered);
	CHECK(covered.n == JOBS && part(&covered, 2) > 0.95);
	CHECK(covered.relative < 0.4 * JOBS);
}

RUN_TESTS(TEST(the_truth_lies_within_the_deviation_that_is_stated),
	  TEST(a_size_that_is_not_measured_yet_is_predicted))
