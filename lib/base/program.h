/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

/*
 * Where programs are: the programs of this house stand side by side
 */

#include "base/error.h"

#include <stddef.h>

/* Folder of the program that runs; "/usr/bin" if it cannot be told.  Returns
 * path, which has room for n bytes. */
const char *program_dir(char *path, size_t n);

/* Gives this program a PATH if it has none: by execvp(3) it would do without,
 * but mpiexec would not find its own programs. */
void program_set_path(void);

/* Full path of a program in PATH; -ENOENT with a sentence. */
int program_find(const char *name, char *path, size_t n, struct error *err);

/* The same, but first beside the program that runs. */
int program_find_beside(const char *name, char *path, size_t n,
			struct error *err);

#endif
