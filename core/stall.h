/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_STALL_H
#define CORE_STALL_H

/*
 * Whether a job stands still: its ranks are up, and nothing shows that they get
 * on
 *
 * A step that is new shows it.  As long as no step of the application was ever
 * seen, any output does: its steps may not be known.  Only time counts in which
 * the ranks can compute; a pause of the job stops the clock, and a new start
 * begins with none.  The caller looks now and then, and says whether the time
 * since its last look counts.  A look that comes much later than it was asked
 * for tells that this program was stopped, and the ranks with it: that time
 * does not count either.
 */

#include "base/time.h"

#include <stdbool.h>

/* Zero-initialised but for patience: nothing was seen. */
struct stall {
	msec_t patience;  /* without progress; 0: it is not watched */
	bool knows_steps; /* a step of the application was seen */
	unsigned epoch;   /* start that is watched */
	bool counts;      /* its ranks are up, and the job is in no pause */
	msec_t still;     /* time of it that counts, up to the instant looked */
	msec_t looked;
	bool stands;   /* this start stands still */
	bool told;     /* some start did, and no progress was seen since */
	msec_t before; /* time that the starts before it stood still, if told */
};

/* The ranks of that start can compute from now on, or cannot. */
void stall_on_ranks(struct stall *stall, unsigned epoch, bool compute,
		    msec_t now);

/* Progress.  True: the job was told to stand still, and gets on again. */
bool stall_on_step(struct stall *stall, msec_t now);
bool stall_on_output(struct stall *stall, msec_t now);

/* excused: the time since the last look does not count.  True, once a start: it
 * stands still. */
bool stall_look(struct stall *stall, bool excused, msec_t now);

/* How long after a look the next one is due; 0: none is. */
msec_t stall_next_look(const struct stall *stall);

/* How long there was no progress by now, all starts since the last one taken
 * together. */
msec_t stall_length(const struct stall *stall, msec_t now);

#endif
