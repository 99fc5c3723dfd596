/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/frames.h"

/* RFC 9113, section 6. */
enum {
	DATA = 0,
	HEADERS = 1,
	PRIORITY = 2,
	RST_STREAM = 3,
	WINDOW_UPDATE = 8,
	CONTINUATION = 9,
};

/* At once, and then in a second.  A connection of the job makes some hundred
 * calls at most; one of which no call was let in makes a few. */
static const struct rate {
	const char *of;
	int64_t burst, each_second;
} known[FRAMES_KINDS] =
	{
		[FRAMES_HEADS] = {"calls, or heads of calls", FRAMES_HEADS_MAX,
				  FRAMES_HEADS_RATE},
		[FRAMES_RESETS] = {"resets", 128, 256},
		[FRAMES_CONTROL] = {"settings, pings or the like", 64, 8},
		[FRAMES_WINDOWS] = {"window updates", 8192, 4096},
		[FRAMES_EMPTY] = {"empty data", 512, 1024},
},
  stranger[FRAMES_KINDS] = {
	  [FRAMES_HEADS] = {"calls, or heads of calls", 64, 4},
	  [FRAMES_RESETS] = {"resets", 16, 1},
	  [FRAMES_CONTROL] = {"settings, pings or the like", 16, 1},
	  [FRAMES_WINDOWS] = {"window updates", 64, 4},
	  [FRAMES_EMPTY] = {"empty data", 16, 1},
};

/* Takes so many of a kind; false: that is more than the peer has. */
static bool take(struct frames *frames, enum frames_kind kind, int64_t n,
		 const struct rate *rate, msec_t now)
{
	int64_t each = 1000000 / rate->each_second, us = now * 1000;
	int64_t *busy = &frames->busy[kind];
	int64_t until = (*busy > us ? *busy : us) + n * each;

	if (until - us > rate->burst * each)
		return false;
	*busy = until;
	return true;
}

static enum frames_kind kind_of(uint8_t type)
{
	switch (type) {
	case DATA:
		return FRAMES_EMPTY;
	case HEADERS:
	case CONTINUATION:
		return FRAMES_HEADS;
	case PRIORITY:
	case RST_STREAM:
		return FRAMES_RESETS;
	case WINDOW_UPDATE:
		return FRAMES_WINDOWS;
	default:
		return FRAMES_CONTROL;
	}
}

/* Its header is whole. */
static const char *begin(struct frames *frames, msec_t now)
{
	const uint8_t *header = frames->header;
	enum frames_kind kind = kind_of(header[3]);
	const struct rate *rate = &(frames->is_known ? known : stranger)[kind];
	int64_t shares = 1;

	frames->n_header = 0;
	frames->left = (uint32_t)header[0] << 16 | (uint32_t)header[1] << 8 |
		       header[2];
	if (kind == FRAMES_EMPTY && frames->left > 0)
		return NULL;
	if (kind == FRAMES_HEADS)
		shares += frames->left / FRAMES_HEAD_SHARE;
	return take(frames, kind, shares, rate, now) ? NULL : rate->of;
}

const char *frames_take(struct frames *frames, const uint8_t *bytes, size_t n,
			msec_t now)
{
	const char *flood;

	while (n > 0) {
		size_t step = 1;

		if (frames->greeting < FRAMES_GREETING) {
			frames->greeting++;
		} else if (frames->left > 0) {
			step = frames->left < n ? frames->left : n;
			frames->left -= (uint32_t)step;
		} else {
			frames->header[frames->n_header++] = *bytes;
			if (frames->n_header == FRAMES_HEADER) {
				flood = begin(frames, now);
				if (flood)
					return flood;
			}
		}
		bytes += step;
		n -= step;
	}
	return NULL;
}

void frames_know(struct frames *frames)
{
	if (frames->is_known)
		return;
	frames->is_known = true;
	for (int i = 0; i < FRAMES_KINDS; i++)
		frames->busy[i] = 0;
}
