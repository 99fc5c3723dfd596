/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/parint/slice.h"
#include "apps/parint/checkpoint.h"

/*
 * The work is the map x -> C - x * x, two operations.  It is chaotic and keeps
 * [C - C * C, C] within itself: values neither grow nor settle, so an element
 * that was lost, doubled or counted once too often shows in the last bits of
 * the result.  The element is all that the result depends on, and each
 * operation is rounded alone (-ffp-contract=off), so it is the same on any
 * number of ranks.
 */
#define C 1.9

/* Elements worked on at once: enough to hide the latency of the chain. */
enum { LANES = 16 };

void slice_fill(struct slice *slice)
{
	for (uint64_t i = 0; i < slice->n; i++) {
		uint64_t z = digest_mix(slice->first + i + 1);

		slice->x[i] = (double)(z >> 11) * 0x1p-52 - 1.0;
	}
}

static void compute_lanes(double *restrict x, uint64_t nloop)
{
	double v[LANES];

	memcpy(v, x, sizeof(v));
	for (uint64_t k = nloop / 2; k > 0; k--)
		for (int i = 0; i < LANES; i++)
			v[i] = C - v[i] * v[i];
	if (nloop % 2)
		for (int i = 0; i < LANES; i++)
			v[i] = 0.0 - v[i];
	memcpy(x, v, sizeof(v));
}

void slice_compute(struct slice *slice, uint64_t nloop)
{
	uint64_t whole = slice->n - slice->n % LANES;
	double rest[LANES] = {0};
	size_t left = (size_t)(slice->n - whole) * sizeof(double);

	for (uint64_t i = 0; i < whole; i += LANES)
		compute_lanes(&slice->x[i], nloop);
	if (left == 0)
		return;
	memcpy(rest, &slice->x[whole], left);
	compute_lanes(rest, nloop);
	memcpy(&slice->x[whole], rest, left);
}
