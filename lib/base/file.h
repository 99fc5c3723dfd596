/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/error.h"

#include <sys/types.h>

/* A descriptor to read from.  Opens regular files alone, for any other could
 * make the program wait: -EINVAL. */
int file_open(const char *path, struct error *err);

/* Reads at most room bytes of a regular file.  A caller that allows n bytes
 * gives room for n + 1, and so sees that a file is too long. */
int file_read(const char *path, char *text, size_t room, size_t *size,
	      struct error *err);

/* Puts a new file in place of path, whole or not at all. */
int file_replace(const char *path, mode_t mode, const char *text, size_t size,
		 struct error *err);

/* The same; a relative path begins at the descriptor folder. */
int file_replace_at(int folder, const char *path, mode_t mode, const char *text,
		    size_t size, struct error *err);

/* As file_replace(), and waits until the file and its name are on the disk, so
 * that a power cut leaves the old file or the new one.  For what must not be
 * lost: the wait may take as long as the disk does.  After an error the new
 * file may be in place. */
int file_keep(const char *path, mode_t mode, const char *text, size_t size,
	      struct error *err);

/* Waits until the folder in which path has its name is on the disk, and with it
 * what was made, renamed or removed there: 0 or -errno with a sentence.  A file
 * system that has nothing to sync (EINVAL) is no error. */
int file_sync_name(const char *path, struct error *err);

/* Whether file_replace() may succeed: 0 or -errno with a sentence. */
int file_check(const char *path, struct error *err);

#endif
