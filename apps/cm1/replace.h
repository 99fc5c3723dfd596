/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_CM1_REPLACE_H
#define APPS_CM1_REPLACE_H

#include "base/error.h"

#include <stddef.h>

/* Replaces what is in a file, at once and whole, be there a crash or not; it
 * keeps its mode and its owner, and is replaced where a symbolic link leads. */
int replace_file(const char *path, const char *text, size_t size,
		 struct error *err);

#endif
