/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CORPUS_H
#define TESTS_UNIT_CORPUS_H

/* Gives every file of a folder to the fuzz target that this test links. */

#include "base/cleanup.h"
#include "tests/check.h"
#include "tests/fuzz/fuzz.h"

#include <dirent.h>

static inline void replay(const char *path)
{
	CLEANUP(fclose) FILE *file = fopen(path, "re");
	static char bytes[1 << 16];
	size_t n = file ? fread(bytes, 1, sizeof(bytes), file) : 0;

	LLVMFuzzerTestOneInput((uint8_t *)bytes, n);
}

/* Their number. */
static inline int replay_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[1024];
	int n = 0;

	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		replay(path);
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

#endif
