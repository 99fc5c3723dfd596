/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/error.h"

#include <sys/types.h>

/* What path has, at most room bytes of it: whoever has room for one more than
 * it allows sees that there are too many.  Opens regular files alone, since any
 * other could make it wait: -EINVAL. */
int file_read(const char *path, char *text, size_t room, size_t *size,
	      struct error *err);

/* Puts a new file in place of path, whole or not at all. */
int file_replace(const char *path, mode_t mode, const char *text, size_t size,
		 struct error *err);

/* Whether file_replace() may succeed: 0 or -errno with a sentence. */
int file_check(const char *path, struct error *err);

#endif
