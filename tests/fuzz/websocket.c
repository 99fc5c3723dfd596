/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as frames: however they are cut, the same comes of them, and the
 * same end.  The first byte says how they are cut.
 */

#include "http/websocket.h"
#include "base/cleanup.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <string.h>

/* All that came: kinds, codes and ends of messages, and their bytes. */
struct heard {
	uint8_t *text;
	size_t size;
	int end;
	struct error why;
};

static void free_heard_at(struct heard *heard)
{
	free(heard->text);
}

static void hear(struct heard *heard, const struct websocket_piece *piece)
{
	HOLD(piece->n == 0 || piece->bytes);
	HOLD(piece->opcode != WEBSOCKET_MORE);
	if (piece->opcode >= WEBSOCKET_CLOSE) {
		HOLD(piece->first && piece->last);
		HOLD(piece->n <= WEBSOCKET_CONTROL_MAX);
		HOLD(((const char *)piece->bytes)[piece->n] == '\0' ||
		     piece->n == 0);
	}
	if (piece->first) {
		heard->text[heard->size++] = (uint8_t)piece->opcode;
		heard->text[heard->size++] = (uint8_t)(piece->code >> 8);
		heard->text[heard->size++] = (uint8_t)piece->code;
	}
	if (piece->n > 0)
		memcpy(heard->text + heard->size, piece->bytes, piece->n);
	heard->size += piece->n;
	if (piece->last)
		heard->text[heard->size++] = '|';
}

/* In parts of so many bytes. */
static void listen_to(struct heard *heard, const uint8_t *data, size_t size,
		      size_t part)
{
	struct websocket ws = {0};

	/* a frame of two bytes may say four */
	heard->text = malloc(4 * size + 16);
	HOLD(heard->text);
	while (size > 0 && heard->end == 0) {
		size_t n = part < size ? part : size;
		CLEANUP(free) char *copy = fuzz_copy(data, n);
		const uint8_t *at = (const uint8_t *)copy;
		size_t left = n;
		struct websocket_piece piece;
		int r;

		while ((r = websocket_take(&ws, &at, &left, &piece,
					   &heard->why)) > 0)
			hear(heard, &piece);
		HOLD(r < 0 || left == 0);
		heard->end = r;
		data += n;
		size -= n;
	}
}

static void frames_are_heard_as_sent(const uint8_t *data, size_t size)
{
	static const uint8_t zeros[4];
	CLEANUP(free) uint8_t *frame = malloc(size + WEBSOCKET_HEAD_MAX);
	size_t head, n;
	__attribute__((cleanup(free_heard_at))) struct heard heard = {0};

	HOLD(frame);
	n = websocket_frame(frame, WEBSOCKET_BINARY, zeros, data, size);
	head = n - size;
	/* as a server would have sent it: without a mask */
	frame[1] &= 0x7f;
	memmove(frame + head - 4, frame + head, size);
	listen_to(&heard, frame, n - 4, n);
	HOLD(heard.end == 0);
	HOLD(heard.size == size + 4);
	HOLD(size == 0 || memcmp(heard.text + 3, data, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	__attribute__((cleanup(free_heard_at))) struct heard whole = {0};
	__attribute__((cleanup(free_heard_at))) struct heard parts = {0};
	size_t part = size > 0 ? 1 + data[0] % 7 : 1;

	if (size > 0) {
		data++;
		size--;
	}
	listen_to(&whole, data, size, size);
	listen_to(&parts, data, size, part);
	HOLD(whole.end == 0 || whole.end == -EPROTO);
	HOLD(whole.end == parts.end && whole.size == parts.size);
	HOLD(memcmp(whole.text, parts.text, whole.size) == 0);
	if (whole.end < 0)
		HOLD(strcmp(whole.why.text, parts.why.text) == 0);
	frames_are_heard_as_sent(data, size);
	return 0;
}
