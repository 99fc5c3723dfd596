/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *type;
	enum kube_stream_kind kind;
} kinds[] = {
	{"ADDED", KUBE_STREAM_THERE},  {"MODIFIED", KUBE_STREAM_THERE},
	{"DELETED", KUBE_STREAM_GONE}, {"BOOKMARK", KUBE_STREAM_BOOKMARK},
	{"ERROR", KUBE_STREAM_ERROR},
};

void kube_stream_fini(struct kube_stream *stream)
{
	free(stream->held);
	*stream = (struct kube_stream){0};
}

static int keep(struct kube_stream *stream, const char *bytes, size_t n,
		struct error *err)
{
	size_t room = stream->room ? stream->room : 4096;
	char *held;

	if (n > KUBE_LINE_MAX - stream->size)
		return error_set(err, -EPROTO, "an event of more than %d MiB",
				 KUBE_LINE_MAX >> 20);
	while (room < stream->size + n)
		room *= 2;
	if (room != stream->room) {
		held = realloc(stream->held, room);
		if (!held)
			return error_set(err, -ENOMEM, "out of memory");
		stream->held = held;
		stream->room = room;
	}
	if (n > 0)
		memcpy(stream->held + stream->size, bytes, n);
	stream->size += n;
	return 0;
}

static int hand_on_event(const cJSON *tree, kube_stream_f fn, void *user,
			 struct error *err)
{
	const cJSON *type = cJSON_GetObjectItemCaseSensitive(tree, "type");
	const cJSON *object = cJSON_GetObjectItemCaseSensitive(tree, "object");

	if (!cJSON_IsString(type) || !cJSON_IsObject(object))
		return error_set(err, -EPROTO, "a line that is no event");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(type->valuestring, kinds[i].type) == 0)
			return fn(user, kinds[i].kind, object);
	return error_set(err, -EPROTO, "an event of the unknown type '%.32s'",
			 type->valuestring);
}

static size_t without_blanks(const char *line, size_t n)
{
	while (n > 0 && memchr(" \t\r\n", line[n - 1], 4))
		n--;
	return n;
}

static int read_line(const char *line, size_t n, kube_stream_f fn, void *user,
		     struct error *err)
{
	const char *end = NULL;
	cJSON *tree;
	int r;

	n = without_blanks(line, n);
	if (n == 0)
		return 0;
	if (n > KUBE_LINE_MAX)
		return error_set(err, -EPROTO, "an event of more than %d MiB",
				 KUBE_LINE_MAX >> 20);
	tree = cJSON_ParseWithLengthOpts(line, n, &end, false);
	if (tree && end == line + n)
		r = hand_on_event(tree, fn, user, err);
	else
		r = error_set(err, -EPROTO, "a line that is not JSON");
	cJSON_Delete(tree);
	return r;
}

/* The line that is held, whole now.  fn may be the end of the stream, so it is
 * taken out first. */
static int read_held(struct kube_stream *stream, kube_stream_f fn, void *user,
		     struct error *err)
{
	char *held = stream->held;
	size_t size = stream->size;
	int r;

	*stream = (struct kube_stream){0};
	r = read_line(held, size, fn, user, err);
	free(held);
	return r;
}

int kube_stream_feed(struct kube_stream *stream, const char *bytes, size_t n,
		     kube_stream_f fn, void *user, struct error *err)
{
	while (n > 0) {
		const char *end = memchr(bytes, '\n', n);
		size_t part = end ? (size_t)(end - bytes) + 1 : n;
		int r;

		if (stream->size > 0 || !end)
			r = keep(stream, bytes, part, err);
		else
			r = read_line(bytes, part, fn, user, err);
		if (r == 0 && end && stream->size > 0)
			r = read_held(stream, fn, user, err);
		if (r != 0)
			return r;
		bytes += part;
		n -= part;
	}
	return 0;
}
