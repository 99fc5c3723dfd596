/* SPDX-License-Identifier: Apache-2.0 */
#include "base/duration.h"
#include "base/list.h"
#include "tests/check.h"

static void durations_need_their_unit(void)
{
	static const struct {
		const char *text;
		double length; /* milliseconds */
		const char *fault;
	} rows[] = {
		{"500ms", 500, ""},
		{"1.5s", 1500, ""},
		{".5s", 500, ""},
		{"5 min", 300000, ""},
		{"2h", 7200000, ""},
		{"5", 0, "has no unit"},
		{"5 ", 0, "has no unit"},
		{"5m", 0, "has an unknown unit"},
		{"5s ", 0, "has an unknown unit"},
		{"", 0, "is not a duration"},
		{".", 0, "is not a duration"},
		{"-5s", 0, "is not a duration"},
		{" 5s", 0, "is not a duration"},
		{"nan s", 0, "is not a duration"},
		{"0x5s", 0, "is not a duration"},
		{"1e3s", 0, "is not a duration"},
		{"1.2.3s", 0, "is not a duration"},
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		double length;
		const char *fault = duration_read(&length, rows[i].text);

		CHECK_TEXT(fault ? fault : "", rows[i].fault);
		CHECK(fault || length == rows[i].length);
	}
}

RUN_TESTS(TEST(durations_need_their_unit))
