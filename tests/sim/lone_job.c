/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/lone_job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIZES_MAX = 64 };

/* Messages of a job come ten times a second at most; here they become rarer as
 * a start gets older, which saves time alone. */
#define LOOK    0.1
#define THINNED 16

struct state {
	const struct lone_job *job;
	struct random *random;
	struct benefit benefit;
	struct step_meter meter;
	struct cost_rescales rescales;
	unsigned epoch, size;
	double done, begun; /* steps; of this start */
	double now;         /* seconds */
	struct lone_run run;
};

double lone_uniform(struct random *random, double least, double most)
{
	return least +
	       (most - least) * (double)(random_bits(random) >> 11) / 0x1p53;
}

void lone_scale(struct lone_curve *curve, double by)
{
	curve->serial *= by;
	curve->parallel *= by;
	curve->coherency *= by;
}

double lone_step(const struct lone_curve *curve, unsigned ranks)
{
	return curve->serial + curve->parallel / ranks +
	       curve->coherency * ranks;
}

double lone_moved(const struct lone_job *job, unsigned ranks)
{
	return job->steps * lone_step(&job->curve, ranks) +
	       (ranks != job->initial ? job->price : 0);
}

static unsigned larger(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

double lone_work(const struct lone_job *job, unsigned ranks)
{
	return job->steps * lone_step(&job->curve, ranks) * ranks +
	       (ranks != job->initial ? job->price * larger(ranks, job->initial)
				      : 0);
}

double lone_best(const struct lone_job *job)
{
	double best = lone_moved(job, job->initial);

	for (unsigned n = 1; n <= job->max; n++)
		best = fmin(best, lone_moved(job, n));
	return best;
}

static void spend(struct state *s, double seconds, unsigned ranks)
{
	s->now += seconds;
	s->run.work += seconds * ranks;
}

static void look(struct state *s)
{
	const struct step_look look = {.epoch = s->epoch,
				       .ranks = s->size,
				       .step = (uint64_t)s->done,
				       .at = (msec_t)(s->now * 1000)};

	step_meter_look(&s->meter, &look);
}

static void rescale(struct state *s, unsigned ranks)
{
	double pause = s->job->price * lone_uniform(s->random, 0.8, 1.2);

	spend(s, pause, larger(ranks, s->size));
	cost_rescaled(&s->rescales, pause);
	s->size = ranks;
	s->epoch++;
	s->begun = s->done;
	s->run.rescales++;
	look(s);
}

static void say(struct state *s, const struct benefit_choice *choice)
{
	size_t n = strlen(s->run.said);
	char text[200];

	benefit_say(choice, text, sizeof(text));
	snprintf(s->run.said + n, sizeof(s->run.said) - n, "%s\n", text);
}

static void decide(struct state *s)
{
	const struct benefit_facts facts = {
		.now = (msec_t)(s->now * 1000),
		.size = s->size,
		.want = s->size,
		.steps_left = s->job->steps - s->done,
		.meter = &s->meter,
		.rescales = &s->rescales,
		.state_bytes = s->job->state_bytes,
	};
	struct benefit_choice choice = benefit_decide(&s->benefit, &facts);

	if (choice.ranks == 0)
		return;
	say(s, &choice);
	rescale(s, choice.ranks);
	benefit_answered(&s->benefit, SCALER_ACCEPTED, (msec_t)(s->now * 1000));
}

static void compute(struct state *s)
{
	const struct lone_job *job = s->job;
	bool later = job->changes && s->done * 2 >= job->steps;
	double step = lone_step(later ? &job->later : &job->curve, s->size);
	double n, noise;

	if (job->cliff > 0 && s->size >= job->cliff)
		step *= 6;
	n = ceil(LOOK / step);
	if (!job->is_watched)
		n = fmax(n, floor((s->done - s->begun) / THINNED));
	n = fmin(n, job->steps - s->done);
	noise = job->noise / sqrt(n);
	s->done += n;
	spend(s, n * step * (1 + lone_uniform(s->random, -noise, noise)),
	      s->size);
}

struct lone_run lone_run(const struct lone_job *job,
			 const struct benefit_rules *rules,
			 struct random *random)
{
	unsigned sizes[SIZES_MAX];
	struct benefit_rules with = *rules;
	struct state s = {
		.job = job, .random = random, .size = job->initial, .epoch = 1};

	for (unsigned n = 0; n < job->max; n++)
		sizes[n] = n + 1;
	with.sizes = sizes;
	with.n_sizes = job->max;
	benefit_init(&s.benefit, &with);
	look(&s);
	while (s.done < job->steps) {
		compute(&s);
		look(&s);
		decide(&s);
	}
	s.run.seconds = s.now;
	s.run.size = s.size;
	return s.run;
}
