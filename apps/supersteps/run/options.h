/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_SUPERSTEPS_RUN_OPTIONS_H
#define APPS_SUPERSTEPS_RUN_OPTIONS_H

/*
 * bellows-supersteps' command line
 */

#include "apps/supersteps/run/team.h"

#include <stdbool.h>

struct run_options {
	const char *file; /* of the application */
	const char *checkpoint, *planner, *forecast, *weights, *group, *log;
	enum share_way way;
	bool verbose, help, version;
};

/* 0, or -EINVAL with a sentence. */
int run_options_read(struct run_options *options, int argc, char **argv,
		     struct error *err);

void run_options_help(void);

#endif
