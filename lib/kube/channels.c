/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/channels.h"

#include <errno.h>
#include <string.h>

enum { DATA = 0, FAILURE = 1, PORT_SIZE = 2 };

/* 1 and a part; 0: the message was empty; or -EPROTO. */
static int take_message(struct kube_channels *channels,
			const struct websocket_piece *piece,
			struct kube_part *part, struct error *err)
{
	const uint8_t *bytes = piece->bytes;
	size_t n = piece->n;
	unsigned *port_bytes;

	if (piece->first)
		channels->named = false;
	if (n == 0)
		return 0;
	if (!channels->named) {
		channels->named = true;
		channels->channel = *bytes++;
		n--;
	}
	if (channels->channel >= KUBE_CHANNELS)
		return error_set(err, -EPROTO,
				 "the API speaks on channel %u, which nobody "
				 "asked for",
				 channels->channel);
	port_bytes = &channels->port_bytes[channels->channel];
	for (; n > 0 && *port_bytes < PORT_SIZE; n--, bytes++)
		++*port_bytes;
	*part = (struct kube_part){.kind = channels->channel == DATA
						   ? KUBE_PART_DATA
						   : KUBE_PART_FAILURE,
				   .bytes = bytes,
				   .n = n};
	return n > 0;
}

static int take_piece(struct kube_channels *channels,
		      const struct websocket_piece *piece,
		      struct kube_part *part, struct error *err)
{
	*part = (struct kube_part){.bytes = piece->bytes, .n = piece->n};
	switch (piece->opcode) {
	case WEBSOCKET_BINARY:
		return take_message(channels, piece, part, err);
	case WEBSOCKET_PING:
		part->kind = KUBE_PART_PING;
		return 1;
	case WEBSOCKET_CLOSE:
		part->kind = KUBE_PART_CLOSE;
		return 1;
	case WEBSOCKET_PONG:
	case WEBSOCKET_MORE:
		return 0;
	case WEBSOCKET_TEXT:
		break;
	}
	return error_set(err, -EPROTO, "the API sends text where bytes belong");
}

int kube_channels_take(struct kube_channels *channels, const uint8_t **bytes,
		       size_t *n, struct kube_part *part, struct error *err)
{
	struct websocket_piece piece;
	int r;

	while ((r = websocket_take(&channels->socket, bytes, n, &piece, err)) >
	       0) {
		r = take_piece(channels, &piece, part, err);
		if (r != 0)
			return r;
	}
	return r;
}

size_t kube_channels_data(uint8_t *out, const void *bytes, size_t n)
{
	out[0] = DATA;
	memcpy(out + 1, bytes, n);
	return n + 1;
}
