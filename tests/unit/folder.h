/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_FOLDER_H
#define TESTS_UNIT_FOLDER_H

/* A folder of the test at hand, removed with what is in it at its end. */

#include "base/cleanup.h"

#include <stdio.h>
#include <stdlib.h>

static char folder[32];

static inline void folder_remove(const char *path)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	if (system(command) != 0)
		printf("# cannot remove %s\n", path);
}

DEFINE_CLEANUP(char, folder_remove)

static inline char *folder_create(const char *name)
{
	snprintf(folder, sizeof(folder), "/tmp/%s-XXXXXX", name);
	return mkdtemp(folder);
}

/* A path in it; good for two calls. */
static inline const char *below(const char *name)
{
	static char path[2][512];
	static int at;

	at = !at;
	snprintf(path[at], sizeof(path[at]), "%s/%s", folder, name);
	return path[at];
}

#endif
