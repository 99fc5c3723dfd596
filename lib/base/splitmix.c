/* SPDX-License-Identifier: Apache-2.0 */
#include "base/splitmix.h"

uint64_t random_bits(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint32_t half(struct random *random)
{
	return (uint32_t)(random_bits(random) >> 32);
}

unsigned random_below(struct random *random, unsigned n)
{
	/* the last, incomplete group of n numbers would favour small ones */
	uint64_t groups = (UINT64_C(1) << 32) / n;
	uint64_t number;

	do
		number = half(random);
	while (number >= groups * n);
	return (unsigned)(number % n);
}

/* Numbers are drawn as long as they fall.  That an odd number of them falls has
 * the probability e^-x if x is the first (von Neumann, "Various techniques used
 * in connection with random digits", 1951). */
double random_exponential(struct random *random)
{
	for (unsigned whole = 0;; whole++) {
		uint32_t first = half(random), last = first, next;
		unsigned falling = 1;

		while ((next = half(random)) < last) {
			last = next;
			falling++;
		}
		if (falling % 2 == 1)
			return whole + (double)first / 4294967296.0;
	}
}
