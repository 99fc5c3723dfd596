/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

/*
 * A fuzz target takes any bytes, and ends the program with abort() at the first
 * lie.  libFuzzer calls it, and so do unit tests, with what is in its corpus.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOLD(cond)                                                             \
	do {                                                                   \
		if (!(cond)) {                                                 \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,     \
				#cond);                                        \
			abort();                                               \
		}                                                              \
	} while (0)

/* Memory of just that size, for the sanitizer to see what lies behind it; to be
 * freed. */
static inline char *fuzz_copy(const void *data, size_t size)
{
	char *copy = malloc(size > 0 ? size : 1);

	HOLD(copy);
	if (size > 0)
		memcpy(copy, data, size);
	return copy;
}

/* The same with a NUL behind it: as a string it ends there or before. */
static inline char *fuzz_text(const void *data, size_t size)
{
	char *text = malloc(size + 1);

	HOLD(text);
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
