/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SPANS_H
#define SCHEDULER_SPANS_H

/*
 * Which job ran on how many slots, and from when to when, for drawings
 *
 * The last ones are remembered, of this scheduler's life.
 */

#include "base/time.h"

#include <stddef.h>
#include <stdint.h>

enum { SPANS_OF_QUEUE_MAX = 4096 };

struct queue_span {
	uint64_t number; /* of the job */
	msec_t from, to; /* to 0: still */
	unsigned slots;
};

/* Zero-initialised. */
struct queue_spans {
	struct queue_span *ring;
	size_t n; /* added so far */
};

/* The job has so many slots from now on; 0: none.  Nothing happens if it has so
 * many already, or if there is no memory. */
void spans_set(struct queue_spans *spans, uint64_t number, msec_t now,
	       unsigned slots);

/* The i-th of those that are remembered, 0 is the oldest; NULL: none. */
const struct queue_span *spans_at(const struct queue_spans *spans, size_t i);

void spans_fini(struct queue_spans *spans);

#endif
