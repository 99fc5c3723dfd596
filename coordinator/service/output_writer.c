/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/output_writer.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#define LAST_WAIT SECONDS(1)
#define AGAIN     SECONDS(5)

enum { QUEUE_FULL = 1 << 20 };

struct output_stream {
	struct output_writer *writer;
	int fd;
	struct loop_fd *watch; /* while something is queued */
	char *queue;
	size_t n, room;
	int file; /* of the start */
	unsigned epoch;
	msec_t failed; /* instant of its last failure; 0: it is written */
};

struct output_writer {
	struct loop *loop;
	const char *dir;
	struct output_stream streams[2]; /* stdout, stderr */
	bool was_full;
	void (*on_room)(void *user);
	void (*on_file)(void *user, const char *text);
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

static const char *path_of(const struct output_stream *stream, char path[4200])
{
	const struct output_writer *writer = stream->writer;

	snprintf(path, 4200, "%s/epoch-%u.%s", writer->dir, stream->epoch,
		 stream == &writer->streams[0] ? "stdout" : "stderr");
	return path;
}

static void close_file(struct output_stream *stream)
{
	if (stream->file >= 0)
		close(stream->file);
	stream->file = -1;
}

static void fail(struct output_stream *stream, int error)
{
	char text[4400];

	close_file(stream);
	stream->failed = loop_now();
	snprintf(text, sizeof(text),
		 "files of what ranks print, in %s: %s; they miss lines",
		 stream->writer->dir, strerror(error));
	stream->writer->on_file(stream->writer->user, text);
}

static void open_file(struct output_stream *stream, unsigned epoch)
{
	char path[4200];

	close_file(stream);
	stream->epoch = epoch;
	stream->file = open(
		path_of(stream, path),
		O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (stream->file < 0)
		fail(stream, errno);
}

/* A full disk takes a part and fails with the rest. */
static int write_file(struct output_stream *stream, const char *data, size_t n)
{
	while (n > 0) {
		ssize_t done = write(stream->file, data, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? errno : ENOSPC;
		data += done;
		n -= (size_t)done;
	}
	return 0;
}

static bool is_well(const struct output_writer *writer)
{
	return writer->streams[0].failed == 0 && writer->streams[1].failed == 0;
}

static void copy(struct output_stream *stream, unsigned epoch, const char *data,
		 size_t n)
{
	struct output_writer *writer = stream->writer;
	bool again = stream->failed != 0 && loop_now() - stream->failed > AGAIN;
	int error;

	if (stream->epoch != epoch || again)
		open_file(stream, epoch);
	if (stream->file < 0)
		return;
	error = write_file(stream, data, n);
	if (error != 0) {
		fail(stream, error);
	} else if (stream->failed != 0) {
		stream->failed = 0;
		if (is_well(writer))
			writer->on_file(writer->user, "");
	}
}

void output_writer_write(struct output_writer *writer, unsigned epoch,
			 bool error, const void *data, size_t n)
{
	struct output_stream *stream = &writer->streams[error];
	const char *at = data;
	size_t left = n;

	copy(stream, epoch, data, n);
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

	if (!writer)
		return error_set(err, -ENOMEM, "out of memory");
	writer->loop = loop;
	writer->dir = dir;
	writer->on_room = on_room;
	writer->on_file = on_file;
	writer->user = user;
	for (int i = 0; i < 2; i++)
		writer->streams[i] = (struct output_stream){
			.writer = writer,
			.fd = own_descriptor(i ? STDERR_FILENO : STDOUT_FILENO),
			.file = -1};
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
		if (stream->file >= 0)
			close(stream->file);
		free(stream->queue);
	}
	free(writer);
	return NULL;
}
