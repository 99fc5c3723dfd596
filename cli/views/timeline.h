/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_TIMELINE_H
#define CLI_VIEWS_TIMELINE_H

/*
 * What became of a job: its sizes over time and the price of each change
 */

#include "base/error.h"
#include "client/job.h"

#include <stdio.h>

void timeline_print(FILE *to, const Bellows__V1__Job *job);

/* A drawing of its own: no script, no font, no file beside it. */
void timeline_draw(FILE *to, const Bellows__V1__Job *job);

/* The same as a file, which is replaced; -errno with a sentence. */
int timeline_save(const char *path, const Bellows__V1__Job *job,
		  struct error *err);

/* What a span is; one without ranks is a pause only between two that have some,
 * or while the job still runs. */
enum span_kind { SPAN_RANKS, SPAN_START, SPAN_PAUSE, SPAN_END };

enum span_kind timeline_kind(const Bellows__V1__Job *job, size_t span);

/* Length of a pause: as its rescale tells it, else the span's own; -1: it is a
 * part of the pause before, whose ranks did not work. */
msec_t timeline_pause(const Bellows__V1__Job *job, size_t span);

/* End of a span; of one that is still open, the job's age. */
msec_t timeline_end(const Bellows__V1__Job *job, size_t span);

#endif
