/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Preloaded into an application: a disk that fails
 *
 * While the file that FAILING names is there, pwrite() fails with the errno
 * that the file says.
 */

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef ssize_t (*pwrite_f)(int fd, const void *data, size_t n, off_t at);

static int failure(void)
{
	const char *path = getenv("FAILING");
	FILE *f = path ? fopen(path, "r") : NULL;
	int error = 0;

	if (f && fscanf(f, "%d", &error) != 1)
		error = 0;
	if (f)
		fclose(f);
	return error;
}

static ssize_t write_at(const char *name, int fd, const void *data, size_t n,
			off_t at)
{
	void *symbol = dlsym(RTLD_NEXT, name);
	int error = failure();
	pwrite_f real;

	memcpy(&real, &symbol, sizeof(real));
	if (error == 0)
		return real(fd, data, n, at);
	errno = error;
	return -1;
}

#undef pwrite
#undef pwrite64
ssize_t pwrite_32(int fd, const void *data, size_t n,
		  off_t at) __asm__("pwrite");
ssize_t pwrite_64(int fd, const void *data, size_t n,
		  off_t at) __asm__("pwrite64");

ssize_t pwrite_32(int fd, const void *data, size_t n, off_t at)
{
	return write_at("pwrite", fd, data, n, at);
}

ssize_t pwrite_64(int fd, const void *data, size_t n, off_t at)
{
	return write_at("pwrite64", fd, data, n, at);
}
