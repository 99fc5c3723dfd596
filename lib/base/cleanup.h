/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

/*
 * Ownership by scope
 *
 * An owning local carries CLEANUP(type_destroy); handing it on is written
 * `*out = STEAL(x)`.  What carries neither is borrowed.
 */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(destroy) __attribute__((cleanup(destroy##_at)))

#define STEAL(ptr)                                                             \
	__extension__({                                                        \
		__typeof__(ptr) stolen_ = (ptr);                               \
		(ptr) = NULL;                                                  \
		stolen_;                                                       \
	})

/* Defines destroy_at() for CLEANUP(destroy).  destroy() accepts NULL. */
#define DEFINE_CLEANUP(type, destroy)                                          \
	static inline void destroy##_at(type **at)                             \
	{                                                                      \
		destroy(*at);                                                  \
	}

static inline void free_at(void *at)
{
	free(*(void **)at);
}

static inline void fclose_at(FILE **at)
{
	if (*at)
		fclose(*at);
}

static inline void closedir_at(DIR **at)
{
	if (*at)
		closedir(*at);
}

/* CLEANUP(close): a descriptor, or -1; hand it on with STEAL_FD(). */
static inline void close_at(int *at)
{
	if (*at >= 0)
		close(*at);
}

#define STEAL_FD(fd)                                                           \
	__extension__({                                                        \
		int stolen_ = (fd);                                            \
		(fd) = -1;                                                     \
		stolen_;                                                       \
	})

#endif
