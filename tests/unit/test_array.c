/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/cleanup.h"
#include "tests/check.h"

#include <stdint.h>

static void members_are_kept_while_an_array_grows(void)
{
	CLEANUP(free) unsigned *array = NULL;
	size_t room = 0, grown = 0;

	for (unsigned i = 0; i < 1000; i++) {
		size_t before = room;

		CHECK(ARRAY_RESERVE(array, i, room) == 0);
		CHECK(room > i);
		grown += room != before;
		array[i] = i;
	}
	for (unsigned i = 0; i < 1000; i++)
		CHECK(array[i] == i);
	CHECK(room == 1024 && grown == 7);
}

static void without_memory_an_array_is_as_it_was(void)
{
	volatile size_t most = SIZE_MAX / 2; /* unknown to the compiler */
	CLEANUP(free) unsigned *array = malloc(sizeof(*array));
	const unsigned *before = array;
	size_t room = most;

	CHECK(ARRAY_RESERVE(array, room, room) == -ENOMEM);
	CHECK(array == before && room == most);
}

RUN_TESTS(TEST(members_are_kept_while_an_array_grows),
	  TEST(without_memory_an_array_is_as_it_was))
