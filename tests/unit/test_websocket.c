/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "http/websocket.h"
#include "tests/check.h"
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

static const uint8_t mask[4] = {0x37, 0xfa, 0x21, 0x3d};

/* What comes of bytes written in hexadecimal: each piece as "text(Hello)", "+"
 * where a message goes on; then "!" and the sentence, if there is one. */
static const char *heard(const char *hex)
{
	static const char *const names[] = {
		[WEBSOCKET_TEXT] = "text",   [WEBSOCKET_BINARY] = "binary",
		[WEBSOCKET_CLOSE] = "close", [WEBSOCKET_PING] = "ping",
		[WEBSOCKET_PONG] = "pong",
	};
	static char text[1024];
	uint8_t bytes[256];
	const uint8_t *at = bytes;
	size_t n = 0, size = 0;
	struct websocket ws = {0};
	struct websocket_piece piece;
	struct error err;
	unsigned byte;
	int r;

	for (; sscanf(hex, "%2x", &byte) == 1; hex += 2 + (hex[2] == ' '))
		bytes[n++] = (uint8_t)byte;
	*text = '\0';
	while ((r = websocket_take(&ws, &at, &n, &piece, &err)) > 0) {
		size += (size_t)snprintf(text + size, sizeof(text) - size,
					 "%s%s(%.*s)%s", piece.first ? "" : "+",
					 names[piece.opcode], (int)piece.n,
					 (const char *)piece.bytes,
					 piece.last ? " " : "");
		if (piece.opcode == WEBSOCKET_CLOSE)
			size += (size_t)snprintf(text + size,
						 sizeof(text) - size, "%u ",
						 piece.code);
	}
	if (r < 0)
		snprintf(text + size, sizeof(text) - size, "!%s", err.text);
	return text;
}

static const char *hex_of(const uint8_t *bytes, size_t n)
{
	static char text[1024];

	*text = '\0';
	for (size_t i = 0; i < n; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	return text;
}

/* ---- RFC 6455, 5.7: examples ---- */

static void messages_of_one_frame_are_heard(void)
{
	CHECK_TEXT(heard("81 05 48 65 6c 6c 6f"), "text(Hello) ");
	CHECK_TEXT(heard("82 00"), "binary() ");
	CHECK_TEXT(heard("81 05 48 65 6c 6c 6f 82 01 21"),
		   "text(Hello) binary(!) ");
}

static void messages_of_several_frames_are_one(void)
{
	CHECK_TEXT(heard("01 03 48 65 6c 80 02 6c 6f"), "text(Hel)+text(lo) ");
	CHECK_TEXT(heard("02 00 00 00 80 00"), "binary()+binary()+binary() ");
}

static void control_frames_come_within_a_message(void)
{
	CHECK_TEXT(heard("01 03 48 65 6c 89 05 48 65 6c 6c 6f 80 02 6c 6f"),
		   "text(Hel)ping(Hello) +text(lo) ");
	CHECK_TEXT(heard("8a 05 48 65 6c 6c 6f"), "pong(Hello) ");
}

static void a_frame_is_masked_when_sent(void)
{
	uint8_t out[32];
	size_t n = websocket_frame(out, WEBSOCKET_TEXT, mask, "Hello", 5);

	CHECK_TEXT(hex_of(out, n), "818537fa213d7f9f4d5158");
	n = websocket_frame(out, WEBSOCKET_PONG, mask, NULL, 0);
	CHECK_TEXT(hex_of(out, n), "8a8037fa213d");
}

static void a_length_is_written_as_short_as_can_be(void)
{
	static const struct {
		size_t n;
		const char *head;
	} cases[] = {
		{125, "82fd"},
		{126, "82fe007e"},
		{256, "82fe0100"},
		{65535, "82feffff"},
		{65536, "82ff0000000000010000"},
	};
	static uint8_t out[65536 + WEBSOCKET_HEAD_MAX], zeros[65536];

	for (size_t i = 0; i < LENGTH(cases); i++) {
		size_t size = strlen(cases[i].head) / 2;
		size_t n = websocket_frame(out, WEBSOCKET_BINARY, mask, zeros,
					   cases[i].n);

		CHECK(n == size + 4 + cases[i].n);
		CHECK_TEXT(hex_of(out, size), cases[i].head);
	}
}

/* ---- closing ---- */

static void a_close_has_a_code_and_a_reason(void)
{
	CHECK_TEXT(heard("88 05 03 e8 62 79 65"), "close(bye) 1000 ");
	CHECK_TEXT(heard("88 02 03 e9"), "close() 1001 ");
	CHECK_TEXT(heard("88 00"), "close() 1005 ");
}

static void nothing_is_heard_after_a_close(void)
{
	CHECK_TEXT(heard("88 00 81 05 48 65 6c 6c 6f ff ff ff"),
		   "close() 1005 ");
}

static void a_close_without_a_true_code_is_refused(void)
{
	static const char refusal[] =
		"!a connection is closed with a code that is none";

	CHECK_TEXT(heard("88 01 03"), refusal);
	CHECK_TEXT(heard("88 02 00 00"), refusal);
	CHECK_TEXT(heard("88 02 03 ed"), refusal); /* 1005 */
	CHECK_TEXT(heard("88 02 13 88"), refusal); /* 5000 */
}

/* ---- what is no server's ---- */

static void what_the_standard_forbids_is_refused(void)
{
	CHECK_TEXT(heard("81 85 37 fa 21 3d 7f 9f 4d 51 58"),
		   "!a frame is masked, which no server's is");
	CHECK_TEXT(heard("c1 00"),
		   "!a frame uses an extension that nobody offered");
	CHECK_TEXT(heard("83 00"), "!a frame is of the unknown kind 3");
	CHECK_TEXT(heard("8b 00"), "!a frame is of the unknown kind 11");
	CHECK_TEXT(heard("80 00"),
		   "!a frame goes on with a message that none began");
	CHECK_TEXT(heard("01 00 01 00"),
		   "text()!a message begins within another");
	CHECK_TEXT(heard("09 00"), "!a control frame is not in one piece");
	CHECK_TEXT(heard("89 7e 00 7e"),
		   "!a control frame has 126 bytes, and 125 is the most");
	CHECK_TEXT(heard("82 7e 00 7d"),
		   "!the length of a frame is not written as short as can be");
	CHECK_TEXT(heard("82 7f 00 00 00 00 00 00 ff ff"),
		   "!the length of a frame is not written as short as can be");
}

static void a_frame_that_is_too_long_is_refused(void)
{
	CHECK_TEXT(heard("82 7f 00 00 00 00 01 00 00 01"),
		   "!a frame has 16777217 bytes, and 16777216 are taken");
	CHECK_TEXT(heard("82 7f ff ff ff ff ff ff ff ff"),
		   "!a frame has 18446744073709551615 bytes, and 16777216 are "
		   "taken");
	CHECK_TEXT(heard("82 7f 00 00 00 00 01 00 00 00"), "");
}

/* ---- opening: RFC 6455, 1.3 ---- */

#define KEY    "dGhlIHNhbXBsZSBub25jZQ=="
#define ACCEPT "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
#define HEAD                                                                   \
	"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"           \
	"Connection: Upgrade\r\n"

static const char *verdict(const char *answer)
{
	static struct error err;
	int r = websocket_check(answer, KEY, "chat", &err);

	return r == 0 ? "open" : r == -EPROTO ? err.text : "?";
}

static void a_key_is_a_nonce(void)
{
	char key[WEBSOCKET_KEY_SIZE];

	websocket_key(key, (const uint8_t *)"the sample nonce");
	CHECK_TEXT(key, KEY);
}

static void an_answer_to_the_key_opens(void)
{
	CHECK_TEXT(verdict(HEAD ACCEPT "Sec-WebSocket-Protocol: chat\r\n\r\n"),
		   "open");
	CHECK_TEXT(verdict("HTTP/1.1 101 ok\r\n"
			   "sec-websocket-protocol:chat \r\n"
			   "UPGRADE: WebSocket\r\n" ACCEPT
			   "connection: keep-alive, upgrade\r\n\r\n"),
		   "open");
}

static void another_answer_does_not_open(void)
{
	CHECK_TEXT(verdict(HEAD "Sec-WebSocket-Protocol: chat\r\n\r\n"),
		   "its answer is not one to our key");
	CHECK_TEXT(verdict(HEAD "Sec-WebSocket-Accept: abc=\r\n\r\n"),
		   "its answer is not one to our key");
	CHECK_TEXT(verdict(HEAD ACCEPT "\r\n"),
		   "it speaks '' and not 'chat' over a WebSocket");
	CHECK_TEXT(
		verdict(HEAD ACCEPT "Sec-WebSocket-Protocol: chatty\r\n\r\n"),
		"it speaks 'chatty' and not 'chat' over a WebSocket");
	CHECK_TEXT(verdict(HEAD ACCEPT "Sec-WebSocket-Extensions: x\r\n\r\n"),
		   "it uses 'x', which nobody offered");
	CHECK_TEXT(verdict("HTTP/1.1 101 ok\r\nUpgrade: SPDY/3.1\r\n\r\n"),
		   "it switches to 'SPDY/3.1' and not to a WebSocket");
	CHECK_TEXT(verdict("HTTP/1.1 101 ok\r\nUpgrade: websocket\r\n"
			   "Connection: upgraded\r\n\r\n"),
		   "its answer does not say 'Connection: Upgrade'");
	CHECK_TEXT(verdict(""), "it switches to '' and not to a WebSocket");
}

/* ---- fuzzing ---- */

static void a_thousand_random_texts_are_heard_however_they_are_cut(void)
{
	static uint8_t data[600];

	srand(6455);
	for (int i = 0; i < 1000; i++) {
		size_t n = (size_t)rand() % sizeof(data);

		for (size_t k = 0; k < n; k++)
			data[k] = (uint8_t)(rand() % 3 ? rand() % 12
						       : 0x80 + rand() % 12);
		LLVMFuzzerTestOneInput(data, n);
	}
}

static void what_fuzzing_found_holds(void)
{
	DIR *dir = opendir(CORPUS);
	const struct dirent *entry;
	unsigned n = 0;

	CHECK(dir);
	while ((entry = readdir(dir)) != NULL) {
		static uint8_t data[128 * 1024];
		char path[4096];
		size_t size;
		FILE *f;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", CORPUS, entry->d_name);
		f = fopen(path, "r");
		CHECK(f);
		size = fread(data, 1, sizeof(data), f);
		fclose(f);
		LLVMFuzzerTestOneInput(data, size);
		n++;
	}
	closedir(dir);
	CHECK(n > 0);
}

RUN_TESTS(TEST(messages_of_one_frame_are_heard),
	  TEST(messages_of_several_frames_are_one),
	  TEST(control_frames_come_within_a_message),
	  TEST(a_frame_is_masked_when_sent),
	  TEST(a_length_is_written_as_short_as_can_be),
	  TEST(a_close_has_a_code_and_a_reason),
	  TEST(nothing_is_heard_after_a_close),
	  TEST(a_close_without_a_true_code_is_refused),
	  TEST(what_the_standard_forbids_is_refused),
	  TEST(a_frame_that_is_too_long_is_refused), TEST(a_key_is_a_nonce),
	  TEST(an_answer_to_the_key_opens), TEST(another_answer_does_not_open),
	  TEST(a_thousand_random_texts_are_heard_however_they_are_cut),
	  TEST(what_fuzzing_found_holds))
