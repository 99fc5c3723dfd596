/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SPLITMIX_H
#define BASE_SPLITMIX_H

/*
 * Random numbers that are the same on every machine for the same seed
 *
 * The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014), which computes with whole
 * numbers alone.
 */

#include <stdint.h>

struct random {
	uint64_t state; /* at first the seed */
};

/* 64 random bits. */
uint64_t random_bits(struct random *random);

/* 0 to n - 1, each as probable as any other; n is not 0. */
unsigned random_below(struct random *random, unsigned n);

/* Exponentially distributed with the mean 1, in steps of 2^-32.  No logarithm
 * is computed, because its last digit differs from one library to another. */
double random_exponential(struct random *random);

#endif
