/* SPDX-License-Identifier: Apache-2.0 */
#include "core/eta.h"

#include <math.h>
#include <string.h>

#define LASTS_MOST 0.95

/* ---- batches ---- */

/* Of some batches in a row: steps, seconds, their squares by the steps, and
 * the squares of the jumps of the mean from each batch to the next one, by the
 * variance that they would have if that of a step were 1. */
struct sums {
	unsigned n, measurements;
	double steps, seconds, squares, jumps;
};

static double jump(const struct eta_batch *from, const struct eta_batch *to)
{
	double off = to->seconds / to->steps - from->seconds / from->steps;

	return off * off / (1 / from->steps + 1 / to->steps);
}

/* With the batch behind them. */
static struct sums longer(const struct eta_meter *meter, struct sums sums)
{
	const struct eta_batch *at = &meter->batches[sums.n];

	if (sums.n > 0)
		sums.jumps += jump(at - 1, at);
	sums.n++;
	sums.measurements += at->n;
	sums.steps += at->steps;
	sums.seconds += at->seconds;
	sums.squares += at->seconds * at->seconds / at->steps;
	return sums;
}

static struct sums sums_of(const struct eta_meter *meter)
{
	struct sums sums = {0};

	while (sums.n < meter->n)
		sums = longer(meter, sums);
	return sums;
}

static double mean_of(const struct sums *sums)
{
	return sums->seconds / sums->steps;
}

/* Sum of squared differences from the mean, each by its steps. */
static double spread_of(const struct sums *sums)
{
	return fmax(sums->squares - sums->seconds * mean_of(sums), 0);
}

static bool tells_noise(const struct eta_meter *meter)
{
	return meter->n >= ETA_KNOWN;
}

/* Variance of a step as part of many.  One degree of freedom is left out beside
 * that of the mean: the deviation is then the quantile of Student's
 * distribution that 68 % lie within, but for 3 %.  Noise that lasts from one
 * batch to the next makes small jumps (von Neumann 1941); if they are smaller
 * than chance would have them, it is taken to fade in geometric progression. */
static double variance_of(unsigned n, double spread, double jumps)
{
	double lasts = spread > 0 ? fmin(1 - jumps / spread, LASTS_MOST) : 0;
	double variance = spread / (n - 2);

	return lasts > 2 / sqrt(n) ? variance * (1 + lasts) / (1 - lasts)
				   : variance;
}

/* The same of batches of one pace; they tell the noise. */
static double variance(const struct sums *sums)
{
	return variance_of(sums->n, spread_of(sums), sums->jumps);
}

/* ---- measuring ---- */

static void join_pairs(struct eta_meter *meter)
{
	for (unsigned i = 0; i < ETA_BATCHES / 2; i++) {
		const struct eta_batch *pair = &meter->batches[2 * i];

		meter->batches[i] = (struct eta_batch){
			.n = pair[0].n + pair[1].n,
			.steps = pair[0].steps + pair[1].steps,
			.seconds = pair[0].seconds + pair[1].seconds,
		};
	}
	meter->n = ETA_BATCHES / 2;
	meter->length *= 2;
}

static void measure(struct eta_meter *meter, double steps, double seconds)
{
	struct eta_batch *last;

	if (meter->n == ETA_BATCHES &&
	    meter->batches[ETA_BATCHES - 1].n >= meter->length)
		join_pairs(meter);
	if (meter->n == 0 || meter->batches[meter->n - 1].n >= meter->length)
		meter->batches[meter->n++] = (struct eta_batch){0};
	last = &meter->batches[meter->n - 1];
	last->n++;
	last->steps += steps;
	last->seconds += seconds;
}

static void begin(struct eta_meter *meter, unsigned ranks)
{
	struct sums all = sums_of(meter);

	if (tells_noise(meter)) {
		meter->knows_noise = true;
		meter->noise = variance(&all) / mean_of(&all) / mean_of(&all);
	}
	meter->ranks = ranks;
	meter->n = 0;
	meter->length = 1;
	meter->is_anew = meter->is_mixed = false;
}

/* ---- another pace ---- */

/* How many standard errors the mean of the first batches differs from that of
 * the others; 0: by too little. */
static double difference(const struct eta_meter *meter, const struct sums *all,
			 const struct sums *before)
{
	const struct eta_batch *at = &meter->batches[before->n];
	const struct sums after = {
		.measurements = all->measurements - before->measurements,
		.steps = all->steps - before->steps,
		.seconds = all->seconds - before->seconds,
		.squares = all->squares - before->squares,
	};
	double off = fabs(mean_of(&after) - mean_of(before));
	double each = variance_of(all->n, spread_of(before) + spread_of(&after),
				  all->jumps - jump(at - 1, at));

	if (off <= ETA_CHANGE * mean_of(before) ||
	    before->measurements < METER_BATCH ||
	    after.measurements < METER_BATCH)
		return 0;
	return off / sqrt(each * (1 / before->steps + 1 / after.steps));
}

/* The first batch of another pace; 0: there is none. */
static unsigned change_of(const struct eta_meter *meter)
{
	struct sums all = sums_of(meter), before = {0};
	double most = ETA_DEVIATIONS;
	unsigned first = 0;

	while (before.n + 1 < meter->n) {
		double at;

		before = longer(meter, before);
		at = difference(meter, &all, &before);
		if (at > most) {
			most = at;
			first = before.n;
		}
	}
	return first;
}

static void forget(struct eta_meter *meter, unsigned n)
{
	meter->n -= n;
	memmove(meter->batches, meter->batches + n,
		meter->n * sizeof(*meter->batches));
}

/* The change may be within the first batch that is kept, which is forgotten as
 * soon as there are others. */
static void look_for_change(struct eta_meter *meter)
{
	unsigned first = tells_noise(meter) ? change_of(meter) : 0;

	if (first > 0) {
		forget(meter, first);
		meter->length = 1;
		meter->is_anew = meter->is_mixed = true;
	}
	if (meter->is_mixed && meter->n > 1) {
		forget(meter, 1);
		meter->is_mixed = false;
	}
}

/* ---- looking ---- */

void eta_look(struct eta_meter *meter, const struct step_look *look)
{
	const struct step_look last = meter->meter.last;
	const unsigned fresh = meter->meter.fresh;

	if (look->epoch == last.epoch && look->step >= last.step &&
	    look->at - last.at < ETA_LOOK)
		return;
	step_meter_look(&meter->meter, look);
	if (meter->ranks != look->ranks)
		begin(meter, look->ranks);
	if (meter->meter.fresh != fresh + 1)
		return;
	measure(meter, meter->meter.stride,
		(double)(look->at - last.at) / 1000);
	if (meter->meter.fresh % METER_BATCH == 0)
		look_for_change(meter);
}

void eta_break(struct eta_meter *meter)
{
	step_meter_break(&meter->meter);
}

/* ---- what a step takes ---- */

/* Variances in squared seconds. */
struct step_time {
	double seconds; /* 0: not known */
	bool has_variance;
	double of_mean; /* of seconds */
	double of_step; /* of one step, as part of many */
};

static struct step_time measured(const struct eta_meter *meter)
{
	struct sums all = sums_of(meter);
	struct step_time time = {.seconds = mean_of(&all)};

	if (tells_noise(meter) && !meter->is_mixed) {
		time.has_variance = true;
		time.of_step = variance(&all);
		time.of_mean = time.of_step / all.steps;
	}
	return time;
}

/* By the first measurements, or by those of another start, or as other sizes
 * let expect. */
static struct step_time predicted(const struct eta_meter *meter, unsigned ranks)
{
	const struct cost_steps *steps = &meter->meter.steps;
	const struct cost_size *seen = cost_seen(steps, ranks);
	struct cost_curve curve;
	struct cost_time mean;

	if (seen) {
		mean = cost_measured(steps, seen);
	} else {
		curve = cost_fit(steps);
		mean = cost_of_step(&curve, ranks);
	}
	return (struct step_time){
		.seconds = mean.seconds,
		.has_variance = meter->knows_noise,
		.of_mean = mean.sd * mean.sd,
		.of_step = meter->noise * mean.seconds * mean.seconds,
	};
}

static struct step_time time_of_step(const struct eta_meter *meter,
				     const struct eta_facts *facts)
{
	if (meter->ranks == facts->ranks &&
	    (tells_noise(meter) || meter->is_anew))
		return measured(meter);
	if (meter->meter.steps.n > 0)
		return predicted(meter, facts->ranks);
	return (struct step_time){.seconds = facts->rough};
}

/* ---- what is left ---- */

struct eta eta_of(const struct eta_meter *meter, const struct eta_facts *facts)
{
	struct eta eta = {.left = -1, .sd = -1};
	struct step_time step = time_of_step(meter, facts);
	double left = facts->steps_left, due;

	if (!(step.seconds > 0))
		return eta;
	eta.rate = 1 / step.seconds;
	if (left < 0)
		return eta;
	/* a step that is late does not make the others shorter */
	due = fmin(left, fmax(meter->meter.stride, 1));
	eta.left = left * step.seconds - fmin(facts->idle, due * step.seconds);
	if (step.has_variance)
		eta.sd = sqrt(left * left * step.of_mean + left * step.of_step);
	return eta;
}
