/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_LAYOUT_FILES_H
#define TESTS_UNIT_LAYOUT_FILES_H

/* Files of a layout's simulation, made of texts. */

#include "sim/layout_workload.h"
#include "tests/check.h"
#include "tests/unit/folder.h"

static struct error err;

static inline const char *write_file(const char *name, const char *text)
{
	const char *path = below(name);
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		perror(path);
	return path;
}

/* What is wrong, without the path. */
static inline const char *sentence(const char *path)
{
	size_t n = strlen(path);

	return strncmp(err.text, path, n) == 0 ? err.text + n : err.text;
}

#endif
