/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "rpc/frames.h"
#include "tests/check.h"

enum {
	DATA = 0,
	HEADERS = 1,
	RST_STREAM = 3,
	SETTINGS = 4,
	PING = 6,
	WINDOW_UPDATE = 8,
	CONTINUATION = 9,
};

static struct frames frames;
static msec_t now;

/* Its body is zeros. */
static const char *send_frame(uint8_t type, unsigned size)
{
	static uint8_t bytes[FRAMES_HEADER + 20000];

	memset(bytes, 0, sizeof(bytes));
	bytes[1] = (uint8_t)(size >> 8);
	bytes[2] = (uint8_t)size;
	bytes[3] = type;
	frames.left = 0; /* of one that was refused */
	return frames_take(&frames, bytes, FRAMES_HEADER + size, now);
}

static void begin(bool is_known)
{
	static const char greeting[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

	frames = (struct frames){0};
	now = SECONDS(100);
	frames_take(&frames, (const uint8_t *)greeting, strlen(greeting), now);
	if (is_known)
		frames_know(&frames);
}

/* Frames until the peer is said to flood; most if it is not. */
static unsigned sent_of(uint8_t type, unsigned size, unsigned most)
{
	unsigned n = 0;

	while (n < most && !send_frame(type, size))
		n++;
	return n;
}

static void a_call_of_an_executor_is_no_flood(void)
{
	begin(false);
	CHECK(!send_frame(SETTINGS, 36) && !send_frame(WINDOW_UPDATE, 4));
	for (int i = 0; i < 3; i++)
		CHECK(!send_frame(HEADERS, 600) && !send_frame(DATA, 200));
	CHECK(!send_frame(SETTINGS, 0));
	frames_know(&frames);
	for (int i = 0; i < 100000; i++, now += MSEC(1)) {
		CHECK(!send_frame(DATA, 65));
		CHECK(!send_frame(WINDOW_UPDATE, 4));
		if (i % 1000 == 0)
			CHECK(!send_frame(PING, 8));
	}
}

static void each_kind_has_a_bound(void)
{
	static const struct {
		uint8_t type;
		unsigned size, of_stranger, of_known;
	} rows[] = {
		{HEADERS, 20, 64, 128},
		{HEADERS, 1000, 8, 16},
		{HEADERS, 8192, 0, 1},
		{CONTINUATION, 20, 64, 128},
		{RST_STREAM, 4, 16, 128},
		{SETTINGS, 0, 16, 64},
		{PING, 8, 16, 64},
		{77, 0, 16, 64},
		{WINDOW_UPDATE, 4, 64, 8192},
		{DATA, 0, 16, 512},
		{DATA, 1, 9999, 9999},
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		begin(false);
		CHECK(sent_of(rows[i].type, rows[i].size, 9999) ==
		      rows[i].of_stranger);
		begin(true);
		CHECK(sent_of(rows[i].type, rows[i].size, 9999) ==
		      rows[i].of_known);
	}
}

static void time_gives_frames_back(void)
{
	begin(true);
	CHECK(sent_of(HEADERS, 20, 9999) == 128);
	now += MSEC(250);
	CHECK(sent_of(HEADERS, 20, 9999) == 64);
	now += SECONDS(1000);
	CHECK(sent_of(HEADERS, 20, 9999) == 128);
}

static void one_kind_does_not_count_for_another(void)
{
	begin(true);
	CHECK(sent_of(PING, 8, 60) == 60);
	CHECK(sent_of(HEADERS, 20, 100) == 100);
	CHECK(sent_of(RST_STREAM, 4, 100) == 100);
	CHECK(sent_of(DATA, 0, 500) == 500);
}

static void what_a_stranger_sent_does_not_count_once_it_is_known(void)
{
	begin(false);
	CHECK(sent_of(HEADERS, 20, 64) == 64);
	frames_know(&frames);
	CHECK(sent_of(HEADERS, 20, 9999) == 128);
}

static void a_flood_is_named(void)
{
	begin(true);
	sent_of(HEADERS, 20, 9999);
	CHECK_TEXT(send_frame(HEADERS, 20), "calls, or heads of calls");
	CHECK_TEXT(send_frame(CONTINUATION, 20), "calls, or heads of calls");
	begin(true);
	sent_of(SETTINGS, 20, 9999);
	CHECK_TEXT(send_frame(SETTINGS, 20), "settings, pings or the like");
}

static void bytes_may_come_one_by_one(void)
{
	static const uint8_t bytes[] = {
		0, 0, 18, DATA,    0, 0, 0, 0,          1, /* and these 18
							      bytes: */
		0, 0, 0,  HEADERS, 0, 0, 0, 0,          3, 0, 0, 0, HEADERS, 0,
		0, 0, 0,  5,       0, 0, 0, RST_STREAM, 0, 0, 0, 0, 1,
	};
	unsigned n = 0;

	begin(true);
	for (bool is_well = true; is_well && n < 9999; n++)
		for (size_t i = 0; i < sizeof(bytes); i++)
			is_well = is_well &&
				  !frames_take(&frames, &bytes[i], 1, now);
	CHECK(n == 129); /* the first reset that is too many */
}

RUN_TESTS(TEST(a_call_of_an_executor_is_no_flood), TEST(each_kind_has_a_bound),
	  TEST(time_gives_frames_back),
	  TEST(one_kind_does_not_count_for_another),
	  TEST(what_a_stranger_sent_does_not_count_once_it_is_known),
	  TEST(a_flood_is_named), TEST(bytes_may_come_one_by_one))
