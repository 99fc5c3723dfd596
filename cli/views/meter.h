/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_METER_H
#define CLI_VIEWS_METER_H

/*
 * How far a long computation is, on a terminal's stderr
 *
 * Nothing is drawn in the first two seconds, and nothing at all if stderr is no
 * terminal.  What is printed on the same terminal meanwhile comes after
 * meter_hide().
 */

#include "cli/views/progress.h"

#include <stdint.h>
#include <stdio.h>

struct meter {
	FILE *to;
	bool on, drawn;
	const char *what; /* "simulating" */
	struct progress_style style;
	uint64_t total, done;
	msec_t begun, next; /* next: when it is drawn again */
};

/* wanted: if there is a terminal; term: of the environment, or NULL. */
void meter_begin(struct meter *meter, const char *what, uint64_t total,
		 bool wanted, const char *term);

/* One more of `total` is done. */
void meter_add(struct meter *meter);
void meter_hide(struct meter *meter);

#endif
