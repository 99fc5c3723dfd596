/* SPDX-License-Identifier: Apache-2.0 */
#include "core/processor_set.h"

#include "base/list.h"
#include "tests/check.h"

static void a_list_is_read_and_written_as_the_kernel_does(void)
{
	static const char *const lists[] = {
		"",      "0",     "7",    "0-1",    "0-17,36-53",
		"1,3,5", "63-64", "1023", "0-1023",
	};
	char text[PROCESSOR_SET_TEXT_MAX];
	struct processor_set set;

	for (size_t i = 0; i < LENGTH(lists); i++) {
		CHECK(processor_set_parse(&set, lists[i]));
		CHECK_TEXT(processor_set_text(&set, text), lists[i]);
	}
	CHECK(processor_set_parse(&set, "3,1-2,2"));
	CHECK_TEXT(processor_set_text(&set, text), "1-3");
}

static void what_is_no_list_is_refused(void)
{
	static const char *const lists[] = {
		" ",      "a",    "1,",    ",1",  "1-",
		"-1",     "2-1",  "1 2",   "1;2", "1024",
		"0-1024", "1,,2", "1-2-3", "0x1", "99999999999999999999",
	};
	struct processor_set set;

	for (size_t i = 0; i < LENGTH(lists); i++) {
		note("list", lists[i]);
		CHECK(!processor_set_parse(&set, lists[i]));
	}
}

static void the_longest_list_fits(void)
{
	char text[PROCESSOR_SET_TEXT_MAX];
	struct processor_set set = {0}, read;

	for (unsigned i = 1; i < PROCESSORS_MAX; i += 2)
		processor_set_add(&set, i);
	processor_set_text(&set, text);
	CHECK_TEXT(text + strlen(text) - 5, ",1023");
	CHECK(processor_set_parse(&read, text));
	CHECK(processor_set_equals(&read, &set));
	CHECK(processor_set_count(&read) == PROCESSORS_MAX / 2);
}

static void sets_are_joined_and_compared(void)
{
	struct processor_set a, b, none = {0};
	char text[PROCESSOR_SET_TEXT_MAX];

	processor_set_parse(&a, "0-3,200");
	processor_set_parse(&b, "3-5");
	CHECK(processor_set_overlaps(&a, &b));
	CHECK(!processor_set_overlaps(&a, &none));
	CHECK(!processor_set_equals(&a, &b));
	CHECK(processor_set_is_empty(&none) && !processor_set_is_empty(&a));
	CHECK(processor_set_next(&a, 4) == 200);
	CHECK(processor_set_next(&a, 201) == NO_PROCESSOR);
	CHECK(!processor_set_has(&a, PROCESSORS_MAX));
	processor_set_join(&a, &b);
	CHECK_TEXT(processor_set_text(&a, text), "0-5,200");
}

RUN_TESTS(TEST(a_list_is_read_and_written_as_the_kernel_does),
	  TEST(what_is_no_list_is_refused), TEST(the_longest_list_fits),
	  TEST(sets_are_joined_and_compared))
