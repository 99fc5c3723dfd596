/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cost.h"

#include "base/list.h"

#include <math.h>

#define NOISE    0.01 /* of the mean: steps are not known better than that */
#define QUANTILE 3.84 /* of chi squared with one degree of freedom, 95 % */
#define PAUSE    0.1
#define RATE     (double)(1 << 30) /* bytes a second */

/* One holds until a later one is better; the order of cost_fit's terms. */
static const struct {
	enum cost_law law;
	unsigned n;
	unsigned terms[COST_TERMS];
} laws[COST_FITS] = {
	{COST_LINEAR, 1, {0}},    {COST_AMDAHL, 2, {0, 1}},
	{COST_FLAT, 1, {1}},      {COST_USL, 2, {0, 2}},
	{COST_SLOWER, 1, {2}},    {COST_SLOWER, 2, {1, 2}},
	{COST_USL, 3, {0, 1, 2}},
};

/* What the terms are multiplied by, to get the time on so many ranks. */
struct terms {
	double x[COST_TERMS];
};

static struct terms terms_at(unsigned ranks)
{
	return (struct terms){{1.0 / ranks, 1, ranks}};
}

/* ---- what was measured ---- */

void cost_started(struct cost_steps *steps)
{
	steps->cold = COST_WARM_UP;
}

const struct cost_size *cost_seen(const struct cost_steps *steps,
				  unsigned ranks)
{
	for (size_t i = 0; i < steps->n; i++)
		if (steps->sizes[i].ranks == ranks)
			return &steps->sizes[i];
	return NULL;
}

static struct cost_size *size_of(struct cost_steps *steps, unsigned ranks)
{
	const struct cost_size *seen = cost_seen(steps, ranks);
	struct cost_size *size = steps->sizes;

	if (seen)
		return &steps->sizes[seen - steps->sizes];
	if (steps->n < LENGTH(steps->sizes))
		size = &steps->sizes[steps->n++];
	else
		for (size_t i = 1; i < steps->n; i++)
			if (steps->sizes[i].n < size->n)
				size = &steps->sizes[i];
	*size = (struct cost_size){.ranks = ranks};
	return size;
}

/* Welford 1962. */
static void add(uint64_t *n, double *mean, double *squares, double value)
{
	double off = value - *mean;

	++*n;
	*mean += off / (double)*n;
	*squares += off * (value - *mean);
}

void cost_observe(struct cost_steps *steps, unsigned ranks, double seconds)
{
	struct cost_size *size;

	if (ranks == 0 || !isfinite(seconds) || seconds <= 0)
		return;
	if (steps->cold > 0) {
		steps->cold--;
		return;
	}
	size = size_of(steps, ranks);
	add(&size->n, &size->mean, &size->squares, seconds);
}

struct cost_steps cost_well_measured(const struct cost_steps *steps,
				     uint64_t least)
{
	struct cost_steps well = {.cold = steps->cold};

	for (size_t i = 0; i < steps->n; i++)
		if (steps->sizes[i].n >= least)
			well.sizes[well.n++] = steps->sizes[i];
	return well.n > 0 ? well : *steps;
}

/* ---- fits ---- */

/* Relative variance of one measurement: all sizes are as noisy. */
static double noise_of(const struct cost_steps *steps)
{
	double sum = 0, free = 0;

	for (size_t i = 0; i < steps->n; i++) {
		const struct cost_size *at = &steps->sizes[i];

		sum += at->squares / (at->mean * at->mean);
		free += (double)at->n - 1;
	}
	return free > 0 ? sum / free : 0;
}

/* One over the variance of the mean of this size. */
static double weight_of(const struct cost_size *size, double noise)
{
	double relative = noise / (double)size->n + NOISE * NOISE;

	return 1 / (relative * size->mean * size->mean);
}

struct cost_time cost_measured(const struct cost_steps *steps,
			       const struct cost_size *size)
{
	return (struct cost_time){
		.seconds = size->mean,
		.sd = 1 / sqrt(weight_of(size, noise_of(steps))),
	};
}

/* The inverse of a symmetric positive matrix of n rows, by Gauss and Jordan;
 * false: it has none. */
static bool invert(unsigned n, double of[COST_TERMS][COST_TERMS],
		   double out[COST_TERMS][COST_TERMS])
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < n; j++)
			out[i][j] = i == j;
	for (unsigned i = 0; i < n; i++) {
		double pivot = of[i][i];

		if (!(pivot > 0))
			return false;
		for (unsigned j = 0; j < n; j++) {
			of[i][j] /= pivot;
			out[i][j] /= pivot;
		}
		for (unsigned k = 0; k < n; k++) {
			double by = of[k][i];

			for (unsigned j = 0; j < n && k != i; j++) {
				of[k][j] -= by * of[i][j];
				out[k][j] -= by * out[i][j];
			}
		}
	}
	return true;
}

static double fit_at(const struct cost_fit *fit, const struct terms *at)
{
	double sum = 0;

	for (unsigned i = 0; i < COST_TERMS; i++)
		sum += fit->term[i] * at->x[i];
	return sum;
}

static double variance_at(const struct cost_fit *fit, const struct terms *at)
{
	double sum = 0;

	for (unsigned i = 0; i < COST_TERMS; i++)
		for (unsigned j = 0; j < COST_TERMS; j++)
			sum += at->x[i] * fit->covariance[i][j] * at->x[j];
	return fmax(sum, 0);
}

/* Weighted sum of squares; where sizes are left over, and lie further from the
 * law than their noise, its terms are known less well. */
static void weigh(struct cost_fit *fit, const struct cost_steps *steps,
		  double noise, unsigned terms)
{
	double more = 1;

	for (size_t s = 0; s < steps->n; s++) {
		const struct cost_size *size = &steps->sizes[s];
		struct terms at = terms_at(size->ranks);
		double off = size->mean - fit_at(fit, &at);

		fit->squares += weight_of(size, noise) * off * off;
	}
	if (steps->n > terms)
		more = fmax(1, fit->squares / (double)(steps->n - terms));
	for (unsigned i = 0; i < COST_TERMS; i++)
		for (unsigned j = 0; j < COST_TERMS; j++)
			fit->covariance[i][j] *= more;
}

/* By the normal equations: they have three rows at most, and sizes are apart.
 */
static struct cost_fit fit_law(const struct cost_steps *steps, size_t law,
			       double noise)
{
	double normal[COST_TERMS][COST_TERMS] = {{0}}, right[COST_TERMS] = {0};
	double inverse[COST_TERMS][COST_TERMS];
	const unsigned *term = laws[law].terms;
	struct cost_fit fit = {0};
	unsigned n = laws[law].n;

	if (steps->n < n)
		return fit;
	for (size_t s = 0; s < steps->n; s++) {
		double weight = weight_of(&steps->sizes[s], noise);
		struct terms at = terms_at(steps->sizes[s].ranks);

		for (unsigned i = 0; i < n; i++) {
			double x = weight * at.x[term[i]];

			right[i] += x * steps->sizes[s].mean;
			for (unsigned j = 0; j < n; j++)
				normal[i][j] += x * at.x[term[j]];
		}
	}
	if (!invert(n, normal, inverse))
		return fit;
	fit.holds = true;
	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j < n; j++) {
			fit.term[term[i]] += inverse[i][j] * right[j];
			fit.covariance[term[i]][term[j]] = inverse[i][j];
		}
		fit.holds = fit.holds && fit.term[term[i]] >= 0;
	}
	weigh(&fit, steps, noise, n);
	return fit;
}

/* Half-way between the ideal speed-up, which is the other law that could hold,
 * and none. */
static struct cost_curve fit_one_size(const struct cost_steps *steps,
				      double noise)
{
	struct cost_curve curve = {.law = COST_ONE_SIZE, .best = 1};
	struct cost_fit *half = &curve.fits[1];

	curve.fits[0] = fit_law(steps, 0, noise);
	half->holds = true;
	half->term[0] = curve.fits[0].term[0] / 2;
	half->term[1] = steps->sizes[0].mean / 2;
	half->covariance[1][1] = 1 / weight_of(&steps->sizes[0], noise);
	return curve;
}

struct cost_curve cost_fit(const struct cost_steps *steps)
{
	struct cost_curve curve = {.law = COST_UNKNOWN};
	double noise = noise_of(steps);

	if (steps->n == 0)
		return curve;
	if (steps->n == 1)
		return fit_one_size(steps, noise);
	for (size_t i = 0; i < COST_FITS; i++) {
		struct cost_fit *fit = &curve.fits[i];

		*fit = fit_law(steps, i, noise);
		if (fit->holds &&
		    curve.fits[curve.best].squares - fit->squares > QUANTILE)
			curve.best = i;
	}
	curve.law = laws[curve.best].law;
	return curve;
}

/* ---- predictions ---- */

static struct cost_time predict(const struct cost_curve *curve,
				const struct terms *at)
{
	const struct cost_fit *best = &curve->fits[curve->best];
	struct cost_time time = {.seconds = NAN, .sd = INFINITY};
	double spread = 0;

	if (curve->law == COST_UNKNOWN)
		return time;
	time.seconds = fit_at(best, at);
	for (size_t i = 0; i < COST_FITS; i++) {
		const struct cost_fit *fit = &curve->fits[i];

		if (fit->holds && fit->squares - best->squares <= QUANTILE)
			spread = fmax(spread,
				      fabs(fit_at(fit, at) - time.seconds));
	}
	time.sd = sqrt(variance_at(best, at) + spread * spread);
	return time;
}

double cost_seconds(const struct cost_curve *curve, unsigned ranks)
{
	struct terms at = terms_at(ranks);

	return curve->law == COST_UNKNOWN
		       ? NAN
		       : fit_at(&curve->fits[curve->best], &at);
}

struct cost_time cost_of_step(const struct cost_curve *curve, unsigned ranks)
{
	struct terms at = terms_at(ranks);

	return predict(curve, &at);
}

void cost_rescaled(struct cost_rescales *rescales, double pause)
{
	if (isfinite(pause) && pause >= 0)
		add(&rescales->n, &rescales->mean, &rescales->squares, pause);
}

struct cost_time cost_of_rescale(const struct cost_rescales *rescales,
				 double start, uint64_t state_bytes)
{
	struct cost_time price;

	if (rescales->n == 0) {
		price.seconds = PAUSE + start + (double)state_bytes / RATE;
		price.sd = price.seconds / 2;
		return price;
	}
	price.seconds = rescales->mean;
	price.sd =
		rescales->n == 1
			? price.seconds / 2
			: sqrt(rescales->squares / (double)(rescales->n - 1));
	return price;
}

struct cost_time cost_difference(const struct cost_curve *curve, unsigned from,
				 double here, unsigned to, double there)
{
	struct terms at = terms_at(from), other = terms_at(to);

	for (size_t i = 0; i < COST_TERMS; i++)
		at.x[i] = here * at.x[i] - there * other.x[i];
	return predict(curve, &at);
}

struct cost_time cost_gain(const struct cost_curve *curve, unsigned from,
			   unsigned to, double steps_left,
			   const struct cost_time *price)
{
	struct cost_time saved =
		cost_difference(curve, from, steps_left, to, steps_left);

	return (struct cost_time){
		.seconds = saved.seconds - price->seconds,
		.sd = hypot(saved.sd, price->sd),
	};
}
