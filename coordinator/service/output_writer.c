/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/output_writer.h"

#include "base/cleanup.h"
#include "coordinator/service/output_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#define LAST_WAIT SECONDS(1)

enum { QUEUE_FULL = 1 << 20 };

struct output_stream {
	struct output_writer *writer;
	int fd;
	struct loop_fd *watch; /* while something is queued */
	char *queue;
	size_t n, room;
};

struct output_writer {
	struct loop *loop;
	struct output_stream streams[2]; /* stdout, stderr */
	struct output_files *files;
	bool was_full;
	void (*on_room)(void *user);
	void *user;
};

bool output_writer_is_full(const struct output_writer *writer)
{
	return writer->streams[0].n + writer->streams[1].n > QUEUE_FULL;
}

/* The reader is gone: drops what is queued. */
static void drop(struct output_stream *stream)
{
	stream->n = 0;
	stream->watch = loop_fd_remove(stream->watch);
}

static void flush(void *user, uint32_t events)
{
	struct output_stream *stream = user;
	struct output_writer *writer = stream->writer;
	ssize_t n = write(stream->fd, stream->queue, stream->n);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		drop(stream);
	if (n > 0) {
		stream->n -= (size_t)n;
		memmove(stream->queue, stream->queue + n, stream->n);
	}
	if (stream->n == 0)
		stream->watch = loop_fd_remove(stream->watch);
	if (writer->was_full && !output_writer_is_full(writer)) {
		writer->was_full = false;
		writer->on_room(writer->user);
	}
}

static void enqueue(struct output_stream *stream, const char *data, size_t n)
{
	if (stream->n + n > stream->room) {
		size_t room = 2 * (stream->n + n);
		char *more = realloc(stream->queue, room);

		if (!more)
			return;
		stream->queue = more;
		stream->room = room;
	}
	memcpy(stream->queue + stream->n, data, n);
	stream->n += n;
	if (!stream->watch &&
	    loop_fd_add(&stream->watch, stream->writer->loop, stream->fd,
			EPOLLOUT, flush, stream, NULL) < 0)
		drop(stream);
}

void output_writer_write(struct output_writer *writer, unsigned epoch,
			 bool error, const void *data, size_t n)
{
	struct output_stream *stream = &writer->streams[error];
	const char *at = data;
	size_t left = n;

	output_files_write(writer->files, epoch, error, data, n);
	while (stream->n == 0 && left > 0) {
		ssize_t done = write(stream->fd, at, left);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && errno != EAGAIN)
			return;
		if (done < 0)
			break;
		at += done;
		left -= (size_t)done;
	}
	if (left > 0)
		enqueue(stream, at, left);
	writer->was_full |= output_writer_is_full(writer);
}

/* A pipe or terminal is opened again, to get O_NONBLOCK of its own.  A file
 * never blocks; its position is shared with what else is written there, and
 * each would write over the other if it had its own. */
static int own_descriptor(int fd)
{
	struct stat st;
	char path[64];
	int own = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		own = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY |
					 O_CLOEXEC);
	return own >= 0 ? own : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

int output_writer_create(struct output_writer **out, struct loop *loop,
			 const char *dir, void (*on_room)(void *user),
			 void (*on_file)(void *user, const char *text),
			 void *user, struct error *err)
{
	struct output_writer *writer = calloc(1, sizeof(*writer));
	int r;

	if (!writer)
		return error_set(err, -ENOMEM, "out of memory");
	r = output_files_create(&writer->files, loop, dir, on_file, user, err);
	if (r < 0) {
		free(writer);
		return r;
	}
	writer->loop = loop;
	writer->on_room = on_room;
	writer->user = user;
	for (int i = 0; i < 2; i++)
		writer->streams[i] = (struct output_stream){
			.writer = writer,
			.fd = own_descriptor(i ? STDERR_FILENO
					       : STDOUT_FILENO)};
	*out = writer;
	return 0;
}

struct output_writer *output_writer_destroy(struct output_writer *writer)
{
	msec_t until = loop_now() + LAST_WAIT;

	if (!writer)
		return NULL;
	for (int i = 0; i < 2; i++) {
		struct output_stream *stream = &writer->streams[i];
		struct pollfd room = {stream->fd, POLLOUT, 0};

		while (stream->n > 0 && loop_now() < until &&
		       poll(&room, 1, (int)(until - loop_now())) > 0)
			flush(stream, 0);
		loop_fd_remove(stream->watch);
		if (stream->fd >= 0)
			close(stream->fd);
		free(stream->queue);
	}
	output_files_destroy(writer->files);
	free(writer);
	return NULL;
}
