/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLATE_STATE_H
#define PLATE_STATE_H

/*
 * The checkpoint of plate: one file
 *
 *     struct state_head | size * size doubles | uint64_t: state_mark()
 *
 * The mark is written last.  A file that has its full length and the right mark
 * at its end is a whole one.
 */

#include <stdint.h>

#define STATE_MAGIC "plate 1"

struct state_head {
	char magic[8];
	uint64_t size; /* rows, and columns */
	uint64_t step;
};

/* splitmix64 of what makes a checkpoint different from any other. */
static inline uint64_t state_mark(const struct state_head *head)
{
	uint64_t z = head->size * 1000003 + head->step +
		     UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (z ^ (z >> 31)) | 1;
}

static inline uint64_t state_bytes(uint64_t size)
{
	return sizeof(struct state_head) + size * size * sizeof(double) +
	       sizeof(uint64_t);
}

#endif
