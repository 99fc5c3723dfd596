/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_PROGRESS_H
#define CLI_VIEWS_PROGRESS_H

/*
 * The status line of a terminal
 *
 *     growing 2 -> 4 ranks [########------------]  43.2 %  1 min 20 s left
 *
 * Always narrower than the terminal by one column, so that it never wraps; what
 * does not fit is left out: the bar grows last and the rest goes before the
 * state and the ranks do.
 */

#include "client/job.h"

struct progress_style {
	unsigned width; /* columns of the terminal */
	bool utf8;
};

/* Of the terminal that stderr is; term: of the environment, or NULL.  False: it
 * is none, or has no status line. */
bool progress_style_of(struct progress_style *style, const char *term);

/* Any other work: what it is, the share that is done, from 0 to 1, and the time
 * that is left, or -1. */
void progress_render_share(char *line, size_t n, const char *what, double share,
			   msec_t left, const struct progress_style *style);

/* "[####----]" of so many cells, with room for 3 bytes a cell and 3 more. */
void progress_bar(char *out, double share, unsigned cells, bool utf8);

void progress_render(char *line, size_t n, const Bellows__V1__Job *job,
		     const struct progress_style *style);

#endif
