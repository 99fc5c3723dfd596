/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/fd_writer.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>

enum { FULL = 1 << 20 };

struct fd_writer {
	struct loop *loop;
	struct loop_fd *source; /* while something waits */
	loop_timer_f fn;
	void *user;
	int fd;
	int failure; /* errno of the write that failed; 0: none */
	bool mid_line;
	char *data;
	size_t begin, end, size;
};

static void flush(struct fd_writer *writer);

static void on_ready(void *user, uint32_t events)
{
	struct fd_writer *writer = user;
	bool was_full = fd_writer_is_full(writer);

	flush(writer);
	if (writer->fn && (fd_writer_is_empty(writer) ||
			   (was_full && !fd_writer_is_full(writer))))
		writer->fn(writer->user);
}

static bool is_ready(const struct fd_writer *writer)
{
	struct pollfd at = {.fd = writer->fd, .events = POLLOUT};

	return poll(&at, 1, 0) > 0;
}

static void give_up(struct fd_writer *writer, int failure)
{
	writer->failure = failure;
	writer->begin = writer->end = 0;
}

static void flush(struct fd_writer *writer)
{
	while (writer->begin < writer->end && is_ready(writer)) {
		size_t n = writer->end - writer->begin;
		ssize_t k = write(writer->fd, writer->data + writer->begin,
				  n < PIPE_BUF ? n : PIPE_BUF);

		if (k >= 0)
			writer->begin += (size_t)k;
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR)
			give_up(writer, errno);
	}
	if (writer->begin == writer->end) {
		writer->begin = writer->end = 0;
		writer->source = loop_fd_remove(writer->source);
	} else if (!writer->source &&
		   loop_fd_add(&writer->source, writer->loop, writer->fd,
			       EPOLLOUT, on_ready, writer, NULL) < 0) {
		give_up(writer, errno);
	}
}

int fd_writer_create(struct fd_writer **out, struct loop *loop, int fd,
		     loop_timer_f fn, void *user, struct error *err)
{
	struct fd_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return error_set(err, -ENOMEM, "out of memory");
	writer->loop = loop;
	writer->fd = fd;
	writer->fn = fn;
	writer->user = user;
	*out = writer;
	return 0;
}

struct fd_writer *fd_writer_destroy(struct fd_writer *writer)
{
	if (!writer)
		return NULL;
	loop_fd_remove(writer->source);
	free(writer->data);
	free(writer);
	return NULL;
}

static bool make_room(struct fd_writer *writer, size_t n)
{
	size_t used = writer->end - writer->begin, size = writer->size;
	char *data;

	if (writer->end + n <= writer->size)
		return true;
	if (writer->begin > 0) {
		memmove(writer->data, writer->data + writer->begin, used);
		writer->begin = 0;
		writer->end = used;
	}
	while (size < used + n)
		size = size ? size * 2 : 4096;
	data = realloc(writer->data, size);
	if (!data)
		return false;
	writer->data = data;
	writer->size = size;
	return true;
}

void fd_writer_write(struct fd_writer *writer, const char *data, size_t n)
{
	if (writer->failure || n == 0)
		return;
	writer->mid_line = data[n - 1] != '\n';
	if (!make_room(writer, n)) {
		give_up(writer, ENOMEM);
		return;
	}
	memcpy(writer->data + writer->end, data, n);
	writer->end += n;
	flush(writer);
}

bool fd_writer_is_full(const struct fd_writer *writer)
{
	return writer->end - writer->begin >= FULL;
}

bool fd_writer_is_empty(const struct fd_writer *writer)
{
	return writer->end == writer->begin;
}

int fd_writer_failure(const struct fd_writer *writer)
{
	return writer->failure;
}

bool fd_writer_at_line_start(const struct fd_writer *writer)
{
	return !writer->mid_line;
}

int fd_writer_check(const struct fd_writer *writer, struct error *err)
{
	int failure = writer->failure;

	if (failure == 0 || failure == EPIPE)
		return 0;
	return error_set(err, -failure,
			 "standard output: %s: what came since was not written",
			 strerror(failure));
}
