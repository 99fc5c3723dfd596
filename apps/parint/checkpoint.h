/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_PARINT_CHECKPOINT_H
#define APPS_PARINT_CHECKPOINT_H

/*
 * The checkpoint file of parint
 *
 *     0      struct checkpoint_header, the rest of the page is zero
 *     4096   array_size doubles
 *
 * All numbers are the machine's own.  The array is the whole one, so any number
 * of ranks can read it.  The header is written after everything else is on the
 * disk, and its seal covers all of it: a header whose seal is right says that
 * the array was complete.  The digest tells whether it still is.
 */

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CHECKPOINT_MAGIC "PARINT\r\n"

enum { CHECKPOINT_VERSION = 1, CHECKPOINT_ARRAY_AT = 4096 };

/* More elements than any file can hold, fewer than overflow a size. */
#define CHECKPOINT_ELEMENTS_MAX (UINT64_C(1) << 56)

struct checkpoint_header {
	char magic[8];
	uint32_t version;
	uint32_t array_at;
	uint64_t array_size;
	uint64_t nloop;
	uint64_t iteration;  /* that many are done */
	uint64_t iterations; /* of that many */
	uint64_t digest;     /* of the array */
	uint64_t written;    /* nanoseconds since 1970: no two are the same */
	uint64_t seal;       /* of everything above */
};

/* The finaliser of splitmix64 (Steele, Lea and Flood, OOPSLA 2014). */
static inline uint64_t digest_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/*
 * What the n elements from number first on add to the digest.  It knows every
 * element's place, and is a sum, so it does not know how the ranks share them.
 */
static inline uint64_t digest_elements(const double *x, uint64_t first,
				       uint64_t n)
{
	uint64_t sum = 0, bits;

	for (uint64_t i = 0; i < n; i++) {
		memcpy(&bits, &x[i], sizeof(bits));
		sum += digest_mix(bits + (first + i + 1) *
						 UINT64_C(0x9e3779b97f4a7c15));
	}
	return sum;
}

uint64_t checkpoint_seal(const struct checkpoint_header *header);

static inline uint64_t checkpoint_bytes(uint64_t array_size)
{
	return CHECKPOINT_ARRAY_AT + array_size * sizeof(double);
}

/* Reads the header from the open file: 0; -EBADMSG with a sentence if it is
 * not a whole checkpoint; -errno. */
int checkpoint_header_read(struct checkpoint_header *out, int fd,
			   const char *path, struct error *err);

#endif
