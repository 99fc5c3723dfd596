/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/shm.h"
#include "tests/check.h"

#include <string.h>
#include <sys/statvfs.h>

static void a_rank_alone_needs_none(void)
{
	CHECK(shm_has_room("/nowhere", 1, NULL));
	CHECK(shm_has_room("/nowhere", 0, NULL));
}

static void what_is_not_there_has_no_room(void)
{
	struct error err;

	CHECK(!shm_has_room("/nowhere", 2, &err));
	CHECK(strstr(err.text, "/nowhere"));
}

static void room_is_five_mebibytes_for_each_rank(void)
{
	struct statvfs fs;
	unsigned long long mib;
	struct error err;
	char text[64];

	CHECK(statvfs("/dev/shm", &fs) == 0);
	mib = (unsigned long long)fs.f_bavail * fs.f_frsize >> 20;
	if (mib >= 20)
		CHECK(shm_has_room("/dev/shm", 2, &err));
	CHECK(!shm_has_room("/dev/shm", (unsigned)(mib / 5) + 1000, &err));
	snprintf(text, sizeof(text), "ranks need %llu", (mib / 5 + 1000) * 5);
	CHECK(strstr(err.text, text));
}

RUN_TESTS(TEST(a_rank_alone_needs_none), TEST(what_is_not_there_has_no_room),
	  TEST(room_is_five_mebibytes_for_each_rank))
