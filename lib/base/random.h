/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

/*
 * Random digits, which nobody can guess
 */

#include "base/error.h"

#include <stddef.h>

/* Bytes of an ID that no two requests have. */
enum { RANDOM_ID = 32 + 1 };

/* Writes size - 1 hexadecimal digits, of 256 at most, and a zero.  size is odd:
 * two digits are a byte.  -errno without random numbers. */
int random_hex(char *text, size_t size, struct error *err);

#endif
