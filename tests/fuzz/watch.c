/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as a watch stream: what is heard does not depend on the pieces in
 * which they come, and nothing is heard twice
 */

#include "kube/stream.h"

#include "base/cleanup.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { STOP = -1000 };

/* What was heard, as one number that order and content make. */
struct ear {
	unsigned long sum;
	unsigned events, limit;
};

static void add(struct ear *ear, const char *text)
{
	for (; *text; text++)
		ear->sum = ear->sum * 31 + (unsigned char)*text;
}

static int on_event(void *user, enum kube_stream_kind kind, const cJSON *object)
{
	struct ear *ear = user;
	char *text = cJSON_PrintUnformatted(object);

	HOLD(kind <= KUBE_STREAM_ERROR);
	HOLD(cJSON_IsObject(object) && text);
	ear->sum = ear->sum * 31 + kind;
	add(ear, text);
	cJSON_free(text);
	return ++ear->events == ear->limit ? STOP : 0;
}

static int feed(struct ear *ear, const char *bytes, size_t n, size_t piece)
{
	struct kube_stream stream = {0};
	struct error err;
	int r = 0;

	for (size_t at = 0; at < n && r == 0; at += piece) {
		size_t part = n - at < piece ? n - at : piece;
		CLEANUP(free) char *copy = fuzz_copy(bytes + at, part);

		r = kube_stream_feed(&stream, copy, part, on_event, ear, &err);
	}
	kube_stream_fini(&stream);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t pieces[] = {1, 3, 17, 4096};
	struct ear whole = {0};
	int r = feed(&whole, (const char *)data, size, size + 1);

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct ear ear = {0};

		HOLD(feed(&ear, (const char *)data, size, pieces[i]) == r);
		HOLD(ear.sum == whole.sum && ear.events == whole.events);
	}
	if (whole.events > 0) {
		struct ear first = {.limit = 1};

		HOLD(feed(&first, (const char *)data, size, 5) == STOP);
		HOLD(first.events == 1);
	}
	return 0;
}
