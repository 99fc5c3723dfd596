/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_FULL_DISK_H
#define TESTS_UNIT_FULL_DISK_H

/*
 * A disk that is full: files of this program take so many bytes, and the last
 * write() that fits writes a part
 */

#include <signal.h>
#include <sys/resource.h>

static void full_disk_begin(off_t size)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = (rlim_t)size;
	setrlimit(RLIMIT_FSIZE, &limit);
}

static void full_disk_end(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
}

#endif
