/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "cli/views/slot_map.h"
#include "tests/check.h"

#include <stdlib.h>

enum { SLOTS = 10, JOBS = 4 };

static struct slot_map map;
static struct slot_ranges jobs[JOBS];
static char picture[SLOTS + 1];

static void begin(void)
{
	slot_map_fini(&map);
	for (int i = 0; i < JOBS; i++)
		slot_ranges_fini(&jobs[i]);
	slot_map_init(&map, SLOTS);
}

/* Each slot with the letter of its job; '!': two have it. */
static const char *resize(int job, unsigned slots)
{
	if (slot_map_resize(&map, &jobs[job], slots) < 0)
		return "no memory";
	memset(picture, '.', SLOTS);
	for (int i = 0; i < JOBS; i++)
		for (size_t k = 0; k < jobs[i].n; k++)
			for (unsigned n = 0; n < jobs[i].at[k].n; n++) {
				char *at = &picture[jobs[i].at[k].from + n];

				*at = (char)(*at == '.' ? 'a' + i : '!');
			}
	return picture;
}

static void a_job_keeps_its_slots_when_it_changes(void)
{
	begin();
	CHECK_TEXT(resize(0, 4), "aaaa......");
	CHECK_TEXT(resize(1, 3), "aaaabbb...");
	CHECK_TEXT(resize(0, 2), "aa..bbb...");
	CHECK_TEXT(resize(1, 5), "aa..bbbbb.");
	CHECK_TEXT(resize(0, 4), "aaaabbbbb.");
}

static void a_job_goes_where_it_fits_in_one_piece(void)
{
	begin();
	resize(0, 2);
	resize(1, 3);
	resize(2, 1);
	CHECK_TEXT(resize(1, 0), "aa...c....");
	CHECK_TEXT(resize(1, 4), "aa...cbbbb");
	CHECK_TEXT(resize(1, 0), "aa...c....");
	CHECK_TEXT(resize(3, 2), "aadd.c....");
}

static void a_job_goes_where_the_least_is_left_over(void)
{
	begin();
	resize(0, 4);
	resize(1, 1);
	resize(2, 2);
	resize(3, 3);
	resize(0, 0);
	CHECK_TEXT(resize(2, 0), "....b..ddd");
	CHECK_TEXT(resize(2, 2), "....bccddd");
}

static void a_job_is_in_pieces_where_it_must_be(void)
{
	begin();
	resize(0, 2);
	resize(1, 3);
	resize(2, 4);
	resize(1, 0);
	CHECK_TEXT(resize(3, 4), "aadddccccd");
	CHECK_TEXT(resize(3, 2), "aadd.cccc.");
	CHECK_TEXT(resize(3, 0), "aa...cccc.");
	CHECK_TEXT(resize(2, 0), "aa........");
	CHECK_TEXT(resize(0, 0), "..........");
	CHECK(map.free.n == 1 && map.free.at[0].n == SLOTS);
}

RUN_TESTS(TEST(a_job_keeps_its_slots_when_it_changes),
	  TEST(a_job_goes_where_it_fits_in_one_piece),
	  TEST(a_job_goes_where_the_least_is_left_over),
	  TEST(a_job_is_in_pieces_where_it_must_be))
