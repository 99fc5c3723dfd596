/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILER_COUNTERS_H
#define PROFILER_COUNTERS_H

/*
 * Counters of this process, and of all threads and processes that it makes
 * while they are open, in user mode (perf_event_open(2))
 *
 * What a child has counted is added when the child ends.
 */

#include "base/error.h"

#include <stdint.h>

enum { COUNTERS_MAX = 4 };

struct counter_event {
	uint32_t type; /* PERF_TYPE_HARDWARE and so on */
	uint64_t config;
};

struct counters {
	int fds[COUNTERS_MAX];
	unsigned n;
};

#define COUNTERS_NONE ((struct counters){.n = 0})

/* The hardware's, and the time of the processors in ns. */
enum {
	COUNTER_INSTRUCTIONS,
	COUNTER_CYCLES,
	COUNTER_CACHE_MISSES, /* of the last level; each moves 64 bytes */
	COUNTER_PROCESSOR_TIME,
	COUNTERS_OF_HARDWARE
};
enum { CACHE_LINE = 64 };
extern const struct counter_event counters_of_hardware[COUNTERS_OF_HARDWARE];

/* All of them or none: -errno, and the sentence says why there are none. */
int counters_open(struct counters *counters, const struct counter_event *events,
		  unsigned n, struct error *err);

/* Scaled by the time that a counter was on, if there are more events than
 * counters.  -errno with a sentence. */
int counters_read(const struct counters *counters, double *values,
		  struct error *err);

void counters_close(struct counters *counters);

#endif
