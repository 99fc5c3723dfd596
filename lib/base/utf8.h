/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the UTF-8 character at s, which has n > 0 bytes, and its number in
 * *value, which may be NULL; 0 if it is none: then value is not set. */
size_t utf8_decode(const char *s, size_t n, unsigned *value);

/* Bytes of the byte order mark that it begins with; 0: it has none. */
size_t utf8_mark(const char *s, size_t n);

/* Is all of it UTF-8, without NUL? */
bool utf8_is_text(const char *s, size_t n);

#endif
