/* SPDX-License-Identifier: Apache-2.0 */
#include "core/sched_usage.h"

#include <math.h>

#define LN_2 0.69314718055994530942

/* 1 - 2^-halves.  The series is summed here, because the last digit of exp2()
 * differs from one library to another. */
static double forgotten(double halves)
{
	double whole = floor(halves), x = (halves - whole) * LN_2;
	double term = x, sum = x;

	for (int k = 2; k <= 20; k++) {
		term *= -x / k;
		sum += term;
	}
	return whole > 0 ? 1 - ldexp(1 - sum, -(int)fmin(whole, 2000)) : sum;
}

struct sched_decay sched_decay(double seconds, double half_life)
{
	struct sched_decay decay = {0, seconds};

	if (half_life > 0) {
		decay.lost = forgotten(seconds / half_life);
		decay.counts = decay.lost * half_life / LN_2;
	}
	return decay;
}

double sched_used(const struct sched_decay *decay, double used, unsigned slots)
{
	return used + (slots * decay->counts - used * decay->lost);
}
