/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_PARINT_SLICE_H
#define APPS_PARINT_SLICE_H

/*
 * A rank's share of the array: elements first to first + n - 1
 *
 * The shares differ by at most one element and leave none out, also when there
 * are fewer elements than ranks.
 */

#include <stdint.h>

struct slice {
	uint64_t first, n;
	double *x; /* owned by main() */
};

static inline struct slice slice_of(uint64_t array_size, unsigned rank,
				    unsigned ranks)
{
	uint64_t share = array_size / ranks, rest = array_size % ranks;

	return (struct slice){
		.first = share * rank + (rank < rest ? rank : rest),
		.n = share + (rank < rest),
	};
}

/* The values that element-wise work begins with. */
void slice_fill(struct slice *slice);

/* One iteration: nloop arithmetic operations on each element. */
void slice_compute(struct slice *slice, uint64_t nloop);

#endif
