/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/sink.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>

enum { FULL = 1 << 20 };

struct sink {
	struct loop *loop;
	struct loop_fd *source; /* while something waits */
	loop_timer_f fn;
	void *user;
	int fd;
	bool broken, mid_line;
	char *data;
	size_t begin, end, size;
};

static void flush(struct sink *sink);

static void on_ready(void *user, uint32_t events)
{
	struct sink *sink = user;
	bool was_full = sink_is_full(sink);

	flush(sink);
	if (sink->fn &&
	    (sink_is_empty(sink) || (was_full && !sink_is_full(sink))))
		sink->fn(sink->user);
}

static bool is_ready(const struct sink *sink)
{
	struct pollfd at = {.fd = sink->fd, .events = POLLOUT};

	return poll(&at, 1, 0) > 0;
}

static void give_up(struct sink *sink)
{
	sink->broken = true;
	sink->begin = sink->end = 0;
}

static void flush(struct sink *sink)
{
	while (sink->begin < sink->end && is_ready(sink)) {
		size_t n = sink->end - sink->begin;
		ssize_t k = write(sink->fd, sink->data + sink->begin,
				  n < PIPE_BUF ? n : PIPE_BUF);

		if (k >= 0)
			sink->begin += (size_t)k;
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR)
			give_up(sink);
	}
	if (sink->begin == sink->end) {
		sink->begin = sink->end = 0;
		sink->source = loop_fd_remove(sink->source);
	} else if (!sink->source &&
		   loop_fd_add(&sink->source, sink->loop, sink->fd, EPOLLOUT,
			       on_ready, sink, NULL) < 0) {
		give_up(sink);
	}
}

int sink_create(struct sink **out, struct loop *loop, int fd, loop_timer_f fn,
		void *user, struct error *err)
{
	struct sink *sink = calloc(1, sizeof(*sink));

	if (!sink)
		return error_set(err, -ENOMEM, "out of memory");
	sink->loop = loop;
	sink->fd = fd;
	sink->fn = fn;
	sink->user = user;
	*out = sink;
	return 0;
}

struct sink *sink_destroy(struct sink *sink)
{
	if (!sink)
		return NULL;
	loop_fd_remove(sink->source);
	free(sink->data);
	free(sink);
	return NULL;
}

static bool make_room(struct sink *sink, size_t n)
{
	size_t used = sink->end - sink->begin, size = sink->size;
	char *data;

	if (sink->end + n <= sink->size)
		return true;
	if (sink->begin > 0) {
		memmove(sink->data, sink->data + sink->begin, used);
		sink->begin = 0;
		sink->end = used;
	}
	while (size < used + n)
		size = size ? size * 2 : 4096;
	data = realloc(sink->data, size);
	if (!data)
		return false;
	sink->data = data;
	sink->size = size;
	return true;
}

void sink_write(struct sink *sink, const char *data, size_t n)
{
	if (sink->broken || n == 0)
		return;
	sink->mid_line = data[n - 1] != '\n';
	if (!make_room(sink, n)) {
		give_up(sink);
		return;
	}
	memcpy(sink->data + sink->end, data, n);
	sink->end += n;
	flush(sink);
}

bool sink_is_full(const struct sink *sink)
{
	return sink->end - sink->begin >= FULL;
}

bool sink_is_empty(const struct sink *sink)
{
	return sink->end == sink->begin;
}

bool sink_is_broken(const struct sink *sink)
{
	return sink->broken;
}

bool sink_at_line_start(const struct sink *sink)
{
	return !sink->mid_line;
}
