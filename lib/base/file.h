/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/error.h"

#include <sys/types.h>

/* Puts a new file in place of path, whole or not at all. */
int file_replace(const char *path, mode_t mode, const char *text, size_t size,
		 struct error *err);

/* Whether file_replace() may succeed: 0 or -errno with a sentence. */
int file_check(const char *path, struct error *err);

#endif
