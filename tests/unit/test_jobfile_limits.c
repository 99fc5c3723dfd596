/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "tests/unit/jobfile_parse.h"

#include <errno.h>

/* As many times as fits into size. */
static int parse_repeated(const char *head, const char *part, size_t size)
{
	CLEANUP(free) char *text = malloc(size);
	size_t n = strlen(part);

	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < size; i++)
		text[i] = part[i % n];
	memcpy(text, head, strlen(head));
	return parse(text, size);
}

#define DEEP "nested too deep; a job file has at most 16 levels"
#define MANY "too many values; a job file has at most 20000"

static void large_and_deep_files_are_refused_at_once(void)
{
	static const struct {
		const char *head, *part, *sentence;
	} cases[] = {
		{"", "[", DEEP},      {"", "{a: ", DEEP},
		{"", "- ", DEEP},     {"", "? ", DEEP},
		{"x: [", "a,", MANY}, {"x: {", "a,", MANY},
		{"", "a: b\n", MANY},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		CHECK(parse_repeated(cases[i].head, cases[i].part,
				     JOBFILE_BYTES_MAX) == -EINVAL);
		CHECK(strstr(err.text, cases[i].sentence));
	}
	CHECK(parse_repeated("", "#", JOBFILE_BYTES_MAX) == -EINVAL);
	CHECK(strstr(err.text, "the file is empty"));
	CHECK(parse_repeated("", "#", JOBFILE_BYTES_MAX + 1) == -EINVAL);
	CHECK_TEXT(err.text, "t.yaml:1: larger than 1 MiB; a job file is not");
}

static void lists_that_are_too_long_are_refused(void)
{
	CHECK(parse_repeated("command: [ ", "a,", 2000) == -EINVAL);
	CHECK(parse_repeated("command: ", "a ", 2000) == -EINVAL);
	CHECK_TEXT(
		err.text,
		"t.yaml:1: command: has more than 511 words; " WANTED_COMMAND);
}

static void what_no_message_to_a_rank_holds_is_refused(void)
{
	CHECK(parse_repeated("command: a", "a", 48 << 10) == -EINVAL);
	CHECK(!strstr(err.text, "bytes"));
	CHECK(parse_repeated("command: a", "a", 50 << 10) == -EINVAL);
	CHECK_TEXT(err.text, "t.yaml:1: command: has 51192 bytes, more than "
			     "49152; " WANTED_COMMAND);
	CHECK(parse_repeated("environment:\n  A: b", "b", 130 << 10) ==
	      -EINVAL);
	CHECK(strstr(err.text, "t.yaml:2: environment: has 133105 bytes, more "
			       "than 131072; "));
}

RUN_TESTS(TEST(large_and_deep_files_are_refused_at_once),
	  TEST(lists_that_are_too_long_are_refused),
	  TEST(what_no_message_to_a_rank_holds_is_refused))
