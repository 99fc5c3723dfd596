/* SPDX-License-Identifier: Apache-2.0 */
#include "http/websocket.h"

#include <errno.h>
#include <string.h>

enum {
	FIN = 0x80,
	RESERVED = 0x70,
	OPCODE = 0x0f,
	MASKED = 0x80,
	LENGTH = 0x7f,
	LENGTH_16 = 126,
	LENGTH_64 = 127,
	NO_CODE = 1005,
};

static bool is_control(enum websocket_opcode opcode)
{
	return opcode >= WEBSOCKET_CLOSE;
}

/* ---- heads ---- */

/* The size of the head that begins with these two bytes. */
static size_t head_size(const uint8_t *head)
{
	unsigned length = head[1] & LENGTH;

	return length == LENGTH_64 ? 10 : length == LENGTH_16 ? 4 : 2;
}

static uint64_t number(const uint8_t *bytes, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value << 8 | bytes[i];
	return value;
}

static int read_length(struct websocket *ws, struct error *err)
{
	unsigned length = ws->head[1] & LENGTH;

	ws->left = length == LENGTH_64   ? number(ws->head + 2, 8)
		   : length == LENGTH_16 ? number(ws->head + 2, 2)
					 : length;
	if ((length == LENGTH_16 && ws->left < LENGTH_16) ||
	    (length == LENGTH_64 && ws->left <= UINT16_MAX))
		return error_set(err, -EPROTO,
				 "the length of a frame is not written as "
				 "short as can be");
	if (ws->left > WEBSOCKET_FRAME_MAX)
		return error_set(err, -EPROTO,
				 "a frame has %llu bytes, and %d are taken",
				 (unsigned long long)ws->left,
				 WEBSOCKET_FRAME_MAX);
	return 0;
}

static int check_control(const struct websocket *ws, struct error *err)
{
	if (!ws->last_frame)
		return error_set(err, -EPROTO,
				 "a control frame is not in one piece");
	if (ws->left > WEBSOCKET_CONTROL_MAX)
		return error_set(err, -EPROTO,
				 "a control frame has %llu bytes, and %d is "
				 "the most",
				 (unsigned long long)ws->left,
				 WEBSOCKET_CONTROL_MAX);
	return 0;
}

/* Which message does the frame belong to? */
static int sort_in(struct websocket *ws, struct error *err)
{
	bool under_way = ws->message != WEBSOCKET_MORE;

	switch (ws->opcode) {
	case WEBSOCKET_MORE:
		return under_way ? 0
				 : error_set(err, -EPROTO,
					     "a frame goes on with a message "
					     "that none began");
	case WEBSOCKET_TEXT:
	case WEBSOCKET_BINARY:
		if (under_way)
			return error_set(err, -EPROTO,
					 "a message begins within another");
		ws->message = ws->opcode;
		ws->first = true;
		return 0;
	case WEBSOCKET_CLOSE:
	case WEBSOCKET_PING:
	case WEBSOCKET_PONG:
		ws->control_size = 0;
		return check_control(ws, err);
	}
	return error_set(err, -EPROTO, "a frame is of the unknown kind %d",
			 (int)ws->opcode);
}

static int read_head(struct websocket *ws, struct error *err)
{
	int r;

	if (ws->head[0] & RESERVED)
		return error_set(err, -EPROTO,
				 "a frame uses an extension that nobody "
				 "offered");
	if (ws->head[1] & MASKED)
		return error_set(err, -EPROTO,
				 "a frame is masked, which no server's is");
	ws->opcode = (enum websocket_opcode)(ws->head[0] & OPCODE);
	ws->last_frame = ws->head[0] & FIN;
	r = read_length(ws, err);
	return r < 0 ? r : sort_in(ws, err);
}

/* 1 once it is whole. */
static int take_head(struct websocket *ws, const uint8_t **bytes, size_t *n,
		     struct error *err)
{
	int r;

	while (*n > 0) {
		ws->head[ws->head_size++] = **bytes;
		++*bytes;
		--*n;
		if (ws->head_size < 2 || ws->head_size < head_size(ws->head))
			continue;
		r = read_head(ws, err);
		if (r < 0)
			return r;
		ws->head_size = 0;
		ws->in_frame = true;
		return 1;
	}
	return 0;
}

/* ---- payloads ---- */

/* RFC 6455, 7.4: which may be sent. */
static bool is_close_code(unsigned code)
{
	return (code >= 1000 && code <= 1003) ||
	       (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

static int give_close(struct websocket *ws, struct websocket_piece *piece,
		      struct error *err)
{
	ws->closed = true;
	piece->code = NO_CODE;
	if (ws->control_size == 0)
		return 1;
	piece->code =
		ws->control_size == 1 ? 0 : (unsigned)number(ws->control, 2);
	if (!is_close_code(piece->code))
		return error_set(err, -EPROTO,
				 "a connection is closed with a code that is "
				 "none");
	piece->bytes = ws->control + 2;
	piece->n = ws->control_size - 2;
	return 1;
}

static int take_control(struct websocket *ws, const uint8_t **bytes, size_t *n,
			struct websocket_piece *piece, struct error *err)
{
	size_t some = *n < ws->left ? *n : (size_t)ws->left;

	if (some > 0)
		memcpy(ws->control + ws->control_size, *bytes, some);
	ws->control_size += some;
	ws->left -= some;
	*bytes += some;
	*n -= some;
	if (ws->left > 0)
		return 0;
	ws->in_frame = false;
	ws->control[ws->control_size] = '\0';
	*piece = (struct websocket_piece){.opcode = ws->opcode,
					  .first = true,
					  .last = true,
					  .bytes = ws->control,
					  .n = ws->control_size};
	return ws->opcode == WEBSOCKET_CLOSE ? give_close(ws, piece, err) : 1;
}

static int take_data(struct websocket *ws, const uint8_t **bytes, size_t *n,
		     struct websocket_piece *piece)
{
	size_t some = *n < ws->left ? *n : (size_t)ws->left;

	if (some == 0 && ws->left > 0)
		return 0;
	ws->left -= some;
	ws->in_frame = ws->left > 0;
	*piece = (struct websocket_piece){.opcode = ws->message,
					  .first = ws->first,
					  .last = ws->last_frame &&
						  !ws->in_frame,
					  .bytes = *bytes,
					  .n = some};
	*bytes += some;
	*n -= some;
	ws->first = false;
	if (piece->last)
		ws->message = WEBSOCKET_MORE;
	return 1;
}

int websocket_take(struct websocket *ws, const uint8_t **bytes, size_t *n,
		   struct websocket_piece *piece, struct error *err)
{
	if (ws->closed) {
		*bytes += *n;
		*n = 0;
		return 0;
	}
	if (!ws->in_frame) {
		int r = take_head(ws, bytes, n, err);

		if (r <= 0)
			return r;
	}
	return is_control(ws->opcode) ? take_control(ws, bytes, n, piece, err)
				      : take_data(ws, bytes, n, piece);
}

/* ---- sending ---- */

static size_t write_length(uint8_t *out, size_t n)
{
	size_t bytes = n > UINT16_MAX ? 8 : n >= LENGTH_16 ? 2 : 0;

	out[0] = MASKED | (bytes == 8   ? LENGTH_64
			   : bytes == 2 ? LENGTH_16
					: (uint8_t)n);
	for (size_t i = 0; i < bytes; i++)
		out[1 + i] = (uint8_t)((uint64_t)n >> (8 * (bytes - 1 - i)));
	return 1 + bytes;
}

size_t websocket_frame(uint8_t *out, enum websocket_opcode opcode,
		       const uint8_t mask[4], const void *bytes, size_t n)
{
	const uint8_t *from = bytes;
	size_t at = 1;

	out[0] = FIN | (uint8_t)opcode;
	at += write_length(out + at, n);
	memcpy(out + at, mask, 4);
	at += 4;
	for (size_t i = 0; i < n; i++)
		out[at + i] = from[i] ^ mask[i % 4];
	return at + n;
}
