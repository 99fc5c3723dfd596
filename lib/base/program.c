/* SPDX-License-Identifier: Apache-2.0 */
#include "base/program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *program_dir(char *path, size_t n)
{
	ssize_t length = readlink("/proc/self/exe", path, n - 1);
	char *slash;

	if (length > 0) {
		path[length] = '\0';
		slash = strrchr(path, '/');
		if (slash && slash > path) {
			*slash = '\0';
			return path;
		}
	}
	snprintf(path, n, "/usr/bin");
	return path;
}

void program_set_path(void)
{
	setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 0);
}

int program_find(const char *name, char *path, size_t n, struct error *err)
{
	const char *dirs = getenv("PATH");

	for (const char *dir = dirs ? dirs : ""; *dir;) {
		int length = (int)strcspn(dir, ":");

		snprintf(path, n, "%.*s/%s", length, dir, name);
		if (length > 0 && access(path, X_OK) == 0)
			return 0;
		dir += length + (dir[length] == ':');
	}
	return error_set(err, -ENOENT, "cannot run %s: it is not in PATH",
			 name);
}

int program_find_beside(const char *name, char *path, size_t n,
			struct error *err)
{
	char dir[PATH_MAX];

	snprintf(path, n, "%s/%s", program_dir(dir, sizeof(dir)), name);
	if (access(path, X_OK) == 0)
		return 0;
	return program_find(name, path, n, err);
}
