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

void progress_render(char *line, size_t n, const Bellows__V1__Job *job,
		     const struct progress_style *style);

#endif
