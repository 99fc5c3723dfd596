/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/channels.h"
#include "tests/check.h"

#include <errno.h>

/* What comes of n bytes, given in blocks of so many: each part as
 * "data(hello)"; then "!" and the sentence, if there is one. */
static const char *heard(const void *bytes, size_t n, size_t block)
{
	static const char *const names[] = {"data", "failure", "ping", "close"};
	static char text[1024];
	const uint8_t *from = bytes;
	struct kube_channels channels = {0};
	struct kube_part part;
	struct error err;
	size_t size = 0;
	int r = 0;

	*text = '\0';
	while (r == 0 && n > 0) {
		const uint8_t *at = from;
		size_t left = n < block ? n : block;

		from += left;
		n -= left;
		while ((r = kube_channels_take(&channels, &at, &left, &part,
					       &err)) > 0)
			size += (size_t)snprintf(
				text + size, sizeof(text) - size, "%s(%.*s)",
				names[part.kind], (int)part.n,
				(const char *)part.bytes);
	}
	if (r < 0)
		snprintf(text + size, sizeof(text) - size, "!%s", err.text);
	return text;
}

#define HEARD(literal)        heard(literal, sizeof(literal) - 1, 1000)
#define HEARD_SINGLY(literal) heard(literal, sizeof(literal) - 1, 1)

#define PORTS "\x82\x03\x00\x58\x1b\x82\x03\x01\x58\x1b"

static void the_ports_are_passed_over(void)
{
	CHECK_TEXT(HEARD(PORTS), "");
	CHECK_TEXT(HEARD(PORTS "\x82\x06\x00hello"), "data(hello)");
	CHECK_TEXT(HEARD("\x82\x08\x00\x58\x1bhello"), "data(hello)");
	CHECK_TEXT(HEARD("\x82\x02\x00\x58\x82\x03\x00\x1b!"), "data(!)");
}

static void each_channel_has_its_own(void)
{
	CHECK_TEXT(HEARD(PORTS "\x82\x03\x00hi\x82\x03\x01no\x82\x02\x00!"),
		   "data(hi)failure(no)data(!)");
}

static void a_message_may_come_in_frames_and_bytes(void)
{
	CHECK_TEXT(HEARD(PORTS "\x02\x03\x00he\x80\x03llo"),
		   "data(he)data(llo)");
	CHECK_TEXT(HEARD(PORTS "\x02\x00\x00\x01\x00\x80\x05hello"),
		   "data(hello)");
	CHECK_TEXT(HEARD_SINGLY(PORTS "\x82\x03\x00hi"), "data(h)data(i)");
}

static void empty_messages_say_nothing(void)
{
	CHECK_TEXT(HEARD("\x82\x00\x82\x01\x00" PORTS "\x82\x01\x01"), "");
}

static void control_frames_pass_between(void)
{
	CHECK_TEXT(HEARD(PORTS "\x02\x02\x00h\x89\x01?\x80\x01i\x8a\x00"
			       "\x88\x02\x03\xe8"),
		   "data(h)ping(?)data(i)close()");
}

static void what_nobody_asked_for_is_refused(void)
{
	CHECK_TEXT(HEARD(PORTS "\x82\x02\x02x"),
		   "!the API speaks on channel 2, which nobody asked for");
	CHECK_TEXT(HEARD(PORTS "\x02\x01\xff\x80\x01x"),
		   "!the API speaks on channel 255, which nobody asked for");
	CHECK_TEXT(HEARD(PORTS "\x81\x02\x00x"),
		   "!the API sends text where bytes belong");
	CHECK_TEXT(HEARD(PORTS "\x82\x81\x00"),
		   "!a frame is masked, which no server's is");
}

static void data_begins_with_its_channel(void)
{
	uint8_t out[6];

	CHECK(kube_channels_data(out, "hello", 5) == 6);
	CHECK(memcmp(out, "\0hello", 6) == 0);
}

RUN_TESTS(TEST(the_ports_are_passed_over), TEST(each_channel_has_its_own),
	  TEST(a_message_may_come_in_frames_and_bytes),
	  TEST(empty_messages_say_nothing), TEST(control_frames_pass_between),
	  TEST(what_nobody_asked_for_is_refused),
	  TEST(data_begins_with_its_channel))
