/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JSON_LINE_OF_H
#define JSON_LINE_OF_H

#include <cjson/cJSON.h>
#include <stddef.h>

/* The line of a byte of a text, from 1. */
unsigned line_of_byte(const char *text, size_t at);

/* The line on which an item begins, of the tree that cJSON made of the text.
 * cJSON does not note it, so the values of the text are counted up to the
 * item. */
unsigned line_of_item(const char *text, size_t size, const cJSON *root,
		      const cJSON *item);

#endif
