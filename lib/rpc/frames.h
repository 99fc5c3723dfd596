/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_FRAMES_H
#define RPC_FRAMES_H

/*
 * Whether a peer floods a server, by the frames of HTTP/2 that it sends (RFC
 * 9113, section 10.5)
 *
 * gRPC (1.51) sets no bound to what it keeps for calls that are reset as soon
 * as they begin, for heads without an end, and for settings and pings that want
 * an answer.  So frames are counted here before gRPC reads them: each kind has
 * so many at once and so many a second (a generic cell rate algorithm, ITU-T
 * I.371).  Data is bounded by its windows, so only frames with next to none are
 * counted.
 */

#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds that are counted together. */
enum frames_kind {
	FRAMES_HEADS,   /* in shares of FRAMES_HEAD_SHARE bytes, begun or not */
	FRAMES_RESETS,  /* and priorities */
	FRAMES_CONTROL, /* settings, pings, and what is seldom */
	FRAMES_WINDOWS, /* window updates */
	FRAMES_EMPTY,   /* data of no byte */
	FRAMES_KINDS,
};

enum {
	FRAMES_HEAD_SHARE = 128,

	/* Heads of a connection of which a call was let in: at once, and then
	 * in a second. */
	FRAMES_HEADS_MAX = 128,
	FRAMES_HEADS_RATE = 256,
};

enum { FRAMES_GREETING = 24, FRAMES_HEADER = 9 };

struct frames {
	bool is_known;     /* a call of the connection was let in */
	unsigned greeting; /* bytes that were seen of it */
	unsigned n_header; /* of the next frame's header */
	uint8_t header[FRAMES_HEADER];
	uint32_t left; /* bytes of the frame's body that are to come */
	/* in us; until then, if each frame takes its share of a second */
	int64_t busy[FRAMES_KINDS];
};

/* Zeroed at first.  Bytes that follow those before: NULL, or what it is that
 * the peer floods the server with. */
const char *frames_take(struct frames *frames, const uint8_t *bytes, size_t n,
			msec_t now);

/* A call was let in: it may send more, and begins to count anew. */
void frames_know(struct frames *frames);

#endif
