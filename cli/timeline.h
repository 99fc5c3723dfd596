/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TIMELINE_H
#define CLI_TIMELINE_H

/*
 * What became of a job: its sizes over time and the price of each change
 */

#include "cli/wire.h"

#include <stdio.h>

void timeline_print(FILE *to, const Bellows__V1__Job *job);

/* A drawing of its own: no script, no font, no file beside it. */
void timeline_draw(FILE *to, const Bellows__V1__Job *job);

/*
 * The gap between two sizes that span (of no ranks) is: its length in
 * milliseconds as the rescale within it tells it, else the span's own.
 * Returns false if the job had no ranks before.
 */
bool timeline_is_pause(const Bellows__V1__Job *job, size_t span,
		       msec_t *length);

/* End of a span; of one that is still open, the job's age. */
msec_t timeline_end(const Bellows__V1__Job *job, size_t span);

#endif
