/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_STREAM_H
#define KUBE_STREAM_H

/*
 * The bytes of a watch: one object of JSON a line, {"type": ..., "object": ...}
 *
 * Bytes go in as they come, events come out.  Zero-initialised is ready.
 */

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stddef.h>

enum { KUBE_LINE_MAX = 4 << 20 }; /* bytes of one event */

enum kube_stream_kind {
	KUBE_STREAM_THERE, /* ADDED, MODIFIED */
	KUBE_STREAM_GONE,  /* DELETED */
	KUBE_STREAM_BOOKMARK,
	KUBE_STREAM_ERROR, /* the object is a Status */
};

struct kube_stream {
	char *held; /* of a line whose end has not come */
	size_t size, room;
};

/* object is freed after it.  Anything but 0 ends the feeding, and then the
 * stream may be gone. */
typedef int (*kube_stream_f)(void *user, enum kube_stream_kind kind,
			     const cJSON *object);

/* 0, or what fn gave, or -EPROTO with what is wrong: nothing can be made of
 * what follows. */
int kube_stream_feed(struct kube_stream *stream, const char *bytes, size_t n,
		     kube_stream_f fn, void *user, struct error *err);

/* Ready for another one. */
void kube_stream_fini(struct kube_stream *stream);

#endif
