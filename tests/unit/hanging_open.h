/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_HANGING_OPEN_H
#define TESTS_UNIT_HANGING_OPEN_H

/*
 * open() of a file system that may not answer
 *
 * It takes the place of the C library's in the whole test.  On the loop's
 * thread it never hangs.
 */

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

int open_32(const char *path, int flags, mode_t mode) __asm__("open");
int open_64(const char *path, int flags, mode_t mode) __asm__("open64");

static atomic_bool hangs;
static atomic_uint looks;      /* on other threads */
static sem_t looking, answers; /* one of each for a look that hangs */
static pthread_t loop_thread;

int open_32(const char *path, int flags, mode_t mode)
{
	if (!pthread_equal(loop_thread, pthread_self())) {
		looks++;
		if (hangs) {
			sem_post(&looking);
			sem_wait(&answers);
		}
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open_64(const char *path, int flags, mode_t mode)
{
	return open_32(path, flags, mode);
}

static void hanging_open_begin(void)
{
	loop_thread = pthread_self();
	hangs = false;
	looks = 0;
	sem_init(&looking, 0, 0);
	sem_init(&answers, 0, 0);
}

/* The one that hangs, and all that come. */
static void answer(void)
{
	hangs = false;
	sem_post(&answers);
}

#endif
