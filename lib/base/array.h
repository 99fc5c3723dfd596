/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

/*
 * Arrays that grow by doubling
 */

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

/* Makes room for one member more behind the n of an array, which may be NULL
 * with no room.  0, or -ENOMEM, and the array is as it was. */
#define ARRAY_RESERVE(array, n, room)                                          \
	__extension__({                                                        \
		void *grown_ =                                                 \
			array_grow((array), (n), &(room), sizeof(*(array)));   \
		if (grown_)                                                    \
			(array) = grown_;                                      \
		grown_ ? 0 : -ENOMEM;                                          \
	})

/* The array, where it is now; NULL: there is no memory. */
static inline void *array_grow(void *array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 16, bytes;
	void *grown;

	if (n < *room)
		return array;
	if (__builtin_mul_overflow(more, size, &bytes))
		return NULL;
	grown = realloc(array, bytes);
	if (grown)
		*room = more;
	return grown;
}

#endif
