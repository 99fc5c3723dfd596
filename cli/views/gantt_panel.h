/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_GANTT_PANEL_H
#define CLI_VIEWS_GANTT_PANEL_H

/*
 * The panels of a Gantt drawing: what cli/views/gantt.c puts above one another
 */

#include "cli/views/gantt.h"
#include "cli/views/svg.h"

#include <stdbool.h>

/* Colours from the least to the most important priority. */
enum { GANTT_SHADES = 5 };

struct gantt_shades {
	size_t n;
	int from[GANTT_SHADES], to[GANTT_SHADES]; /* priorities */
};

struct gantt_panel {
	FILE *to;
	const struct gantt *gantt;
	const struct gantt_run *run;
	const struct gantt_shades *shades;
	struct svg_axis time; /* seconds */
	double top, height;
};

/* The class of a colour: "p0" is the least important one's. */
unsigned gantt_shade(const struct gantt_shades *shades, int priority);
/* Which of GANTT_SHADES colours the i-th one has. */
unsigned gantt_color(const struct gantt_shades *shades, size_t i);

double gantt_x(const struct gantt_panel *panel, usec_t at);

/* A <title> of the element that is open: the job and what became of it. */
void gantt_put_title(const struct gantt_panel *panel, unsigned job,
		     const struct sim_span *spans, size_t n);

/* Slots in use over time.  0 or -ENOMEM, as all below. */
int gantt_draw_utilisation(const struct gantt_panel *panel);

/* Jobs that wait over time. */
int gantt_draw_waiting(const struct gantt_panel *panel);

double gantt_row_height(size_t jobs);
int gantt_draw_rows(const struct gantt_panel *panel);

/* At most so many areas, so that the file is not too large. */
int gantt_draw_areas(const struct gantt_panel *panel, size_t most);

#endif
