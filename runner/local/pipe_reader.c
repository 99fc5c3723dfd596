/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/local/pipe_reader.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>

static void hand_on(struct pipe_reader *reader, const char *data, size_t n)
{
	if (!reader->lines) {
		reader->fn(reader->user, data, n);
		return;
	}
	while (n > 0) {
		const char *newline = memchr(data, '\n', n);
		size_t k = newline ? (size_t)(newline + 1 - data) : n;

		if (k > PIPE_READER_LINE - reader->n) {
			k = PIPE_READER_LINE - reader->n;
			newline = NULL;
		}
		memcpy(reader->line + reader->n, data, k);
		reader->n += k;
		data += k;
		n -= k;
		if (newline || reader->n == PIPE_READER_LINE) {
			reader->fn(reader->user, reader->line, reader->n);
			reader->n = 0;
		}
	}
}

static void close_pipe(struct pipe_reader *reader)
{
	if (reader->fd < 0)
		return;
	reader->source = loop_fd_remove(reader->source);
	close(reader->fd);
	reader->fd = -1;
	if (reader->n > 0)
		reader->fn(reader->user, reader->line, reader->n);
	reader->n = 0;
}

/* Returns false when nothing is there now, or nothing ever will be. */
static bool read_some(struct pipe_reader *reader)
{
	char data[65536];
	ssize_t n = read(reader->fd, data, sizeof(data));

	if (n > 0) {
		hand_on(reader, data, (size_t)n);
		return true;
	}
	if (n < 0 && errno == EINTR)
		return true;
	if (n < 0 && errno == EAGAIN)
		return false;
	close_pipe(reader);
	return false;
}

static void on_readable(void *user, uint32_t events)
{
	struct pipe_reader *reader = user;

	read_some(reader);
	if (reader->fd < 0)
		reader->on_end(reader->user);
}

int pipe_reader_start(struct pipe_reader *reader, struct loop *loop, int fd,
		      bool lines, pipe_reader_f fn, loop_timer_f on_end,
		      void *user, struct error *err)
{
	int mode = fcntl(fd, F_GETFL);

	*reader = (struct pipe_reader){
		.loop = loop,
		.fd = fd,
		.lines = lines,
		.fn = fn,
		.on_end = on_end,
		.user = user,
	};
	if (mode < 0 || fcntl(fd, F_SETFL, mode | O_NONBLOCK) < 0)
		return error_errno(err, "pipe");
	if (lines) {
		reader->line = malloc(PIPE_READER_LINE);
		if (!reader->line)
			return error_set(err, -ENOMEM, "out of memory");
	}
	return loop_fd_add(&reader->source, loop, fd, EPOLLIN, on_readable,
			   reader, err);
}

void pipe_reader_hold(struct pipe_reader *reader, bool held)
{
	if (reader->fd < 0 || held == !reader->source)
		return;
	if (held)
		reader->source = loop_fd_remove(reader->source);
	else if (loop_fd_add(&reader->source, reader->loop, reader->fd, EPOLLIN,
			     on_readable, reader, NULL) < 0)
		pipe_reader_finish(reader);
}

void pipe_reader_finish(struct pipe_reader *reader)
{
	/* a writer that is faster than we are must not keep us here */
	for (int i = 0; i < 64 && reader->fd >= 0 && read_some(reader); i++)
		;
	close_pipe(reader);
}

void pipe_reader_fini(struct pipe_reader *reader)
{
	if (reader->source)
		reader->source = loop_fd_remove(reader->source);
	if (reader->fd > 0)
		close(reader->fd);
	free(reader->line);
}
