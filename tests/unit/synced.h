/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_SYNCED_H
#define TESTS_UNIT_SYNCED_H

/*
 * fsync() of the C library is replaced in this program: what is synced is
 * noted, and may fail
 */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
	char paths[64][300];
	size_t n;
	int folder_error; /* errno of fsync() of a folder; 0: it works */
} synced;

int fsync(int fd)
{
	char link[64], *path = synced.paths[synced.n % 64];
	struct stat st;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(synced.paths[0]) - 1);
	path[n < 0 ? 0 : n] = '\0';
	synced.n++;
	if (synced.folder_error != 0 && fstat(fd, &st) == 0 &&
	    S_ISDIR(st.st_mode)) {
		errno = synced.folder_error;
		return -1;
	}
	return 0;
}

static inline void synced_forget(void)
{
	memset(&synced, 0, sizeof(synced));
}

static inline bool synced_has(const char *path)
{
	for (size_t i = 0; i < synced.n && i < 64; i++)
		if (strcmp(synced.paths[i], path) == 0)
			return true;
	return false;
}

#endif
