/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILER_TRIAD_H
#define PROFILER_TRIAD_H

/*
 * What this machine's memory can do for so many processors at a time
 *
 * The triad of STREAM (J. D. McCalpin), a = b + s c, in a process for each of
 * them, on arrays of which each is twice as large as the last-level cache.  It
 * is the yardstick for programs, and so it is measured as they are.
 */

#include "base/error.h"

#include <stdbool.h>

struct triad {
	double bytes_per_s; /* of one process, by its processor's time */
	long warm_us;       /* for looks, see touched.h */
	double touched, touched_error; /* by looks; 0: there were too few */
};

/* processes: at most TOUCHED_PROCESSES_MAX.  Takes a second or two.  Forks, and
 * so it is for programs that have no threads yet.  -errno with a sentence. */
int triad_measure(struct triad *out, unsigned processes, bool looks,
		  struct error *err);

#endif
