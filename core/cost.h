/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_COST_H
#define CORE_COST_H

/*
 * What a size is worth, and what a rescale costs
 *
 * The time of a step on n ranks follows from what was measured at the sizes
 * seen, by one of these laws, with a, b, c >= 0:
 *
 *   linear  b / n               ideal speed-up
 *   amdahl  a + b / n           a: what is not parallel (Amdahl 1967)
 *   usl     a + b / n + c n     c: what grows with the number of ranks: the
 *                               universal scalability law of Gunther 2007,
 * whose throughput is l n / (1 + s (n - 1) + k n (n - 1)): b = (1 - s) / l, a =
 * (s - k) / l, c = k / l; as a < 0 is noise mostly, s >= k is asked for
 *   flat    a                   more ranks change nothing
 *   slower  c n, or a + c n     each rank costs time
 *
 * Each law that the number of sizes supports is fitted by least squares,
 * weighted by how well each mean is known.  A law whose terms would be negative
 * does not hold.  The first in this list holds to which a later one is not
 * better at 95 % (likelihood ratio: the sum of squares falls by more than
 * 3.84); one of them always does.
 *
 * A prediction has a standard deviation: that of the fit, and how far the laws
 * that could hold as well differ from the one that does.  Two sizes do not tell
 * Amdahl's law from the other one, and far from the sizes seen they differ
 * much. From one size alone the truth is between no speed-up and the ideal one.
 *
 * All is in seconds and ranks.  Pure; nothing here allocates.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	COST_SIZES_MAX =
		16,       /* a further one takes the place of the least seen */
	COST_WARM_UP = 3, /* measurements after a start that are left out */
};

struct cost_size {
	unsigned ranks;
	uint64_t n;     /* measurements */
	double mean;    /* of the time of a step */
	double squares; /* sum of the squared differences from it */
};

/* Zero: nothing was measured. */
struct cost_steps {
	struct cost_size sizes[COST_SIZES_MAX];
	size_t n;
	unsigned cold; /* measurements still to be left out */
};

struct cost_time {
	double seconds;
	double sd; /* standard deviation; infinite: nothing is known */
};

enum cost_law {
	COST_UNKNOWN,  /* no size was seen */
	COST_ONE_SIZE, /* between none and the ideal speed-up */
	COST_LINEAR,
	COST_AMDAHL,
	COST_FLAT,
	COST_USL,
	COST_SLOWER,
};

enum { COST_TERMS = 3, COST_FITS = 7 };

/* Terms in this order: b / n, a, c n; one that the law lacks is 0. */
struct cost_fit {
	bool holds; /* all terms are >= 0, and there are sizes enough for them
		     */
	double term[COST_TERMS];
	double covariance[COST_TERMS][COST_TERMS];
	double squares; /* weighted sum of what it leaves */
};

struct cost_curve {
	enum cost_law law;
	struct cost_fit fits[COST_FITS];
	size_t best; /* the fit that is of this law */
};

/* Zero: the job had no rescale yet. */
struct cost_rescales {
	uint64_t n;
	double mean, squares; /* of the pauses */
};

/* The ranks were started: what follows is warming up. */
void cost_started(struct cost_steps *steps);

/* One measurement: a step took so long.  0 ranks and times that are none are
 * left out. */
void cost_observe(struct cost_steps *steps, unsigned ranks, double seconds);

/* What was measured on so many ranks; NULL: nothing. */
const struct cost_size *cost_seen(const struct cost_steps *steps,
				  unsigned ranks);

/* The mean of it, and how well that is known. */
struct cost_time cost_measured(const struct cost_steps *steps,
			       const struct cost_size *size);

/* Those that were measured so often at least; all, if none was. */
struct cost_steps cost_well_measured(const struct cost_steps *steps,
				     uint64_t least);

struct cost_curve cost_fit(const struct cost_steps *steps);

/* ranks > 0.  cost_seconds() is the prediction alone; NAN: nothing is known. */
double cost_seconds(const struct cost_curve *curve, unsigned ranks);
struct cost_time cost_of_step(const struct cost_curve *curve, unsigned ranks);

void cost_rescaled(struct cost_rescales *rescales, double pause);

/* Before the first rescale the price is 0.1 s, the seconds that a start of the
 * application takes (0: not known), and the time in which the state is written
 * and read at 1 GiB/s (docs/performance.md), give or take its half. */
struct cost_time cost_of_rescale(const struct cost_rescales *rescales,
				 double start, uint64_t state_bytes);

/* here times a step on from ranks, less there times a step on to ranks: for
 * what a change saves, in seconds or in rank-seconds.  What is uncertain at
 * both sizes alike is not uncertain in the difference. */
struct cost_time cost_difference(const struct cost_curve *curve, unsigned from,
				 double here, unsigned to, double there);

/* What the job ends earlier if it computes its last steps on other ranks;
 * negative: later.  The price is paid once. */
struct cost_time cost_gain(const struct cost_curve *curve, unsigned from,
			   unsigned to, double steps_left,
			   const struct cost_time *price);

#endif
