/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_SUPERSTEPS_RUN_REPORT_H
#define APPS_SUPERSTEPS_RUN_REPORT_H

/*
 * What a run says of its steps: a line each, a row of the log for each task,
 * and figures at the end
 */

#include "apps/supersteps/run/team.h"
#include "supersteps/planning.h"

struct report {
	const struct supersteps *of;
	FILE *log; /* NULL: none */
	bool is_changed;
	double seconds;  /* of all steps of this start */
	double *changes; /* seconds of each change of the shares */
	size_t n_changes, room;
	/* Of how long tasks took, and what the profiles said of it. */
	double *errors; /* [task]: sum of |measured - modelled| */
	double *model;  /* [task]: sum */
	unsigned steps;
};

int report_begin(struct report *report, const struct supersteps *supersteps,
		 const char *log, struct error *err);

/* Names each task that failed; false if there are any. */
bool report_failures(const struct report *report,
		     const struct task_result *results, unsigned step);

void report_step(struct report *report,
		 const struct supersteps_planning *planning,
		 const struct team *team, unsigned step);

void report_end(struct report *report);

void report_fini(struct report *report);

#endif
