/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_CHANNELS_H
#define KUBE_CHANNELS_H

/*
 * The messages of v4.channel.k8s.io that forward one port
 *
 * The first byte of a message is its channel: what the pod sends (0), and what
 * went wrong (1).  The first two bytes of a channel are the port, which we
 * know. Pure: bytes in, parts of the channels out.
 */

#include "http/websocket.h"

enum { KUBE_CHANNELS = 2 };

enum kube_part_kind {
	KUBE_PART_DATA,
	KUBE_PART_FAILURE, /* a part of a sentence */
	KUBE_PART_PING,    /* to be answered with the same bytes */
	KUBE_PART_CLOSE,
};

struct kube_part {
	enum kube_part_kind kind;
	const void *bytes; /* borrowed */
	size_t n;
};

/* Zero-initialised: nothing has come. */
struct kube_channels {
	struct websocket socket;
	bool named; /* the message under way has said its channel, */
	uint8_t channel;
	unsigned port_bytes[KUBE_CHANNELS]; /* that have come */
};

/* As websocket_take(). */
int kube_channels_take(struct kube_channels *channels, const uint8_t **bytes,
		       size_t *n, struct kube_part *part, struct error *err);

/* A message of data: what is sent in a frame.  out has room for n + 1 bytes. */
size_t kube_channels_data(uint8_t *out, const void *bytes, size_t n);

#endif
