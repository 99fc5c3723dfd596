/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_PARINT_OPTIONS_H
#define APPS_PARINT_OPTIONS_H

/*
 * parint's command line
 */

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct options {
	uint64_t array_size, iterations, nloop;
	const char *checkpoint; /* borrowed from argv; NULL: not given */
	bool steps;
	bool help, version; /* print and leave; nothing else was checked */
};

/* 0, or -EINVAL with a sentence. */
int options_parse(struct options *out, int argc, char **argv,
		  struct error *err);

extern const char options_help[];

#endif
