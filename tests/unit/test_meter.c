/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "cli/views/meter.h"
#include "loop/loop.h"
#include "tests/check.h"

static void how_far_it_is_stands_on_one_line(void)
{
	struct meter meter = {
		.on = true,
		.what = "simulating",
		.style = {60, false},
		.total = 4,
		.begun = loop_now() - SECONDS(3),
		.next = loop_now() + MINUTES(10),
	};
	CLEANUP(free) char *text = NULL;
	size_t size;

	meter.to = open_memstream(&text, &size);
	meter_add(&meter);
	CHECK(!meter.drawn && meter.done == 1);
	meter.next = 0;
	meter_add(&meter);
	CHECK(meter.drawn && meter.next > 0);
	CHECK(strstr(text, "\rsimulating [##") && strstr(text, "]  50.0 %"));
	meter_hide(&meter);
	fclose(meter.to);
	CHECK(strcmp(text + size - 4, "\r\033[K") == 0);
}

static void nothing_is_drawn_where_no_terminal_is(void)
{
	struct meter meter;

	meter_begin(&meter, "simulating", 1, true, NULL);
	CHECK(!meter.on);
	meter_begin(&meter, "simulating", 1, true, "dumb");
	CHECK(!meter.on);
	meter_begin(&meter, "simulating", 1, false, "xterm");
	CHECK(!meter.on && meter.next >= meter.begun + SECONDS(2));
}

RUN_TESTS(TEST(how_far_it_is_stands_on_one_line),
	  TEST(nothing_is_drawn_where_no_terminal_is))
