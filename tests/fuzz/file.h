/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FUZZ_FILE_H
#define TESTS_FUZZ_FILE_H

#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

/* A file without a name that has these bytes: the same one each time. */
static inline int fuzz_file(const void *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	HOLD(fd >= 0 && ftruncate(fd, 0) == 0);
	HOLD(pwrite(fd, data, size, 0) == (ssize_t)size);
	return fd;
}

#endif
