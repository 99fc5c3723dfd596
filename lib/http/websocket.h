/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HTTP_WEBSOCKET_H
#define HTTP_WEBSOCKET_H

/*
 * WebSocket, a client's half of RFC 6455: bytes in, frames out
 *
 * Pure: no connection, no randomness, no memory of its own.  What comes is
 * given out as it comes, a frame in as many pieces as the bytes had, so no
 * message is too long to be taken.  Texts are not looked at: the caller has to
 * check whether they are UTF-8.  No extension is offered and none is taken.
 */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WEBSOCKET_HEAD_MAX = 14,
	WEBSOCKET_CONTROL_MAX = 125,
	WEBSOCKET_FRAME_MAX = 16 * 1024 * 1024, /* larger ones are refused */
	WEBSOCKET_KEY_SIZE = 25,
};

enum websocket_opcode {
	WEBSOCKET_MORE = 0, /* of the message before; never of a piece */
	WEBSOCKET_TEXT = 1,
	WEBSOCKET_BINARY = 2,
	WEBSOCKET_CLOSE = 8,
	WEBSOCKET_PING = 9,
	WEBSOCKET_PONG = 10,
};

/* What has come so far; zero-initialised: nothing. */
struct websocket {
	uint8_t head[10];
	size_t head_size;
	bool in_frame;
	enum websocket_opcode opcode; /* of the frame */
	bool last_frame;
	uint64_t left; /* of the frame's payload */

	enum websocket_opcode message; /* MORE: there is none under way */
	bool first;                    /* nothing of it was given out */
	uint8_t control[WEBSOCKET_CONTROL_MAX + 1];
	size_t control_size;
	bool closed;
};

/* A part of a message, or a control frame, which is always whole. */
struct websocket_piece {
	enum websocket_opcode opcode;
	bool first, last;
	const void *bytes; /* borrowed; a control frame's end with NUL */
	size_t n;
	unsigned code; /* of CLOSE; 1005: it says none */
};

/*
 * Takes some of the n bytes, and moves both on.  1 and a piece; or 0: all are
 * taken; or -EPROTO with a sentence: the connection is to be ended.  What
 * comes behind CLOSE is passed over.
 */
int websocket_take(struct websocket *socket, const uint8_t **bytes, size_t *n,
		   struct websocket_piece *piece, struct error *err);

/* Makes a frame, a message of its own; out has room for n and
 * WEBSOCKET_HEAD_MAX bytes.  mask is to be unpredictable.  Returns its size. */
size_t websocket_frame(uint8_t *out, enum websocket_opcode opcode,
		       const uint8_t mask[4], const void *bytes, size_t n);

/* ---- opening ---- */

/* The value of Sec-WebSocket-Key; a nonce is for one connection. */
void websocket_key(char key[WEBSOCKET_KEY_SIZE], const uint8_t nonce[16]);

/* Whether the head of an answer with status 101 opens a WebSocket of that key
 * and subprotocol: 0, or -EPROTO with a sentence. */
int websocket_check(const char *answer, const char *key, const char *protocol,
		    struct error *err);

#endif
