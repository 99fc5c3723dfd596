/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/bellows.pb-c.h"
#include "rpc/wire.h"
#include "tests/check.h"

#include <stdlib.h>

#define MEMBER &bellows__v1__member__descriptor
#define JOB    &bellows__v1__job__descriptor

/* A Job whose only member has that name: field 16, and 1 within. */
static size_t job_with(uint8_t bytes[64], const char *name, size_t n)
{
	const uint8_t head[] = {0x82, 0x01, (uint8_t)(n + 2), 0x0a, (uint8_t)n};

	memcpy(bytes, head, sizeof(head));
	memcpy(bytes + sizeof(head), name, n);
	return sizeof(head) + n;
}

static bool is_let_in(const char *name, size_t n)
{
	uint8_t bytes[64];

	return wire_has_texts(JOB, bytes, job_with(bytes, name, n));
}

static void texts_are_utf8_without_nul(void)
{
	static const struct {
		const char *text;
		size_t n;
		bool good;
	} rows[] = {
		{"w0", 2, true},
		{"", 0, true},
		{"a\nb;$(c)", 8, true},
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9, true},
		{"w0\0x", 4, false},
		{"\0", 1, false},
		{"\xff", 1, false},
		{"w\xc3", 2, false},
		{"\xc0\x80", 2, false},
		{"\xed\xa0\x80", 3, false},
		{"\xf4\x90\x80\x80", 4, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK(is_let_in(rows[i].text, rows[i].n) == rows[i].good);
}

static void bytes_that_are_no_message_are_refused(void)
{
	static const struct {
		const char *bytes;
		size_t n;
	} rows[] = {
		{"\x0a", 1}, /* no length */
		{"\x0a\x05"
		 "ab",
		 4}, /* too long */
		{"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 11},
		{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11},
		{"\x0b", 1},                 /* a group */
		{"\x0d\x01\x02", 3},         /* half a number */
		{"\x82\x01\x02\x0a\x05", 5}, /* within */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK(!wire_has_texts(JOB, (const uint8_t *)rows[i].bytes,
				      rows[i].n));
}

static void what_is_not_known_is_passed_over(void)
{
	static const char bytes[] = "\xfa\x7f\x02\xff\xff" /* field 2047 */
				    "\x0a\x01x";

	CHECK(wire_has_texts(JOB, (const uint8_t *)bytes, sizeof(bytes) - 1));
}

static void wrong_bytes_of_texts_are_mended_and_no_others(void)
{
	Bellows__V1__Member member = BELLOWS__V1__MEMBER__INIT, *got;
	Bellows__V1__OutputChunk chunk = BELLOWS__V1__OUTPUT_CHUNK__INIT;
	uint8_t bytes[64];
	size_t n;

	member.name = "w\xff\xc3\xa4\xc3";
	member.address = "10.0.0.1";
	n = bellows__v1__member__pack(&member, bytes);
	wire_mend_texts(MEMBER, bytes, n);
	got = bellows__v1__member__unpack(NULL, n, bytes);
	CHECK(got);
	CHECK_TEXT(got->name, "w?\xc3\xa4?");
	CHECK_TEXT(got->address, "10.0.0.1");
	bellows__v1__member__free_unpacked(got, NULL);

	chunk.data.data = (uint8_t *)"\xff\0\xfe";
	chunk.data.len = 3;
	n = bellows__v1__output_chunk__pack(&chunk, bytes);
	wire_mend_texts(&bellows__v1__output_chunk__descriptor, bytes, n);
	CHECK(memcmp(bytes + n - 3, "\xff\0\xfe", 3) == 0);
}

RUN_TESTS(TEST(texts_are_utf8_without_nul),
	  TEST(bytes_that_are_no_message_are_refused),
	  TEST(what_is_not_known_is_passed_over),
	  TEST(wrong_bytes_of_texts_are_mended_and_no_others))
