/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/output.h"

#include "base/cleanup.h"
#include "core/member.h"
#include "proto/bellows.pb-c.h"
#include "proto/coordinator.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <termios.h>

#define REOPEN_AFTER MSEC(500)

enum { LINE_MAX_SENT = 64 * 1024 };

struct source {
	struct list link;
	struct output *output;
	unsigned epoch, rank;
	bool error;
	int fd;
	struct loop_fd *watch;
	size_t n;
	uint8_t text[LINE_MAX_SENT];
};

struct output {
	struct loop *loop;
	struct rpc_channel *channel;
	char name[MEMBER_NAME_MAX];
	uint64_t incarnation;
	struct rpc_stream *stream; /* NULL: away */
	bool attached, introduced, full;
	struct list sources;
	struct loop_timer reopen, patience;
	output_end_f on_end; /* set: finishing */
	void *end_user;
};

DEFINE_CLEANUP(struct output, output_destroy)

static void open_stream(void *user);
static void on_text(void *user, uint32_t events);

/* A source that is not read is not watched at all: its end cannot be masked. */
static void read_source(struct source *source, bool yes)
{
	if (!yes)
		source->watch = loop_fd_remove(source->watch);
	else if (!source->watch)
		loop_fd_add(&source->watch, source->output->loop, source->fd,
			    EPOLLIN, on_text, source, NULL);
}

static void read_all(struct output *output, bool yes)
{
	list_for_each (at, &output->sources)
		read_source(CONTAINER(at, struct source, link), yes);
}

static void end(struct output *output)
{
	output_end_f fn = output->on_end;

	output->on_end = NULL;
	loop_timer_clear(&output->patience);
	if (fn)
		fn(output->end_user);
}

static void on_patience(void *user)
{
	end(user);
}

static void on_end(void *user, const struct rpc_status *status)
{
	struct output *output = user;

	output->stream = NULL;
	read_all(output, false);
	if (output->on_end) {
		end(output);
		return;
	}
	if (output->attached)
		loop_timer_set(output->loop, &output->reopen, REOPEN_AFTER,
			       open_stream, output);
}

static void on_writable(void *user)
{
	struct output *output = user;

	output->full = false;
	read_all(output, true);
}

static void on_message(void *user, const ProtobufCMessage *message)
{
}

static const struct rpc_stream_events events = {
	.on_message = on_message,
	.on_end = on_end,
	.on_writable = on_writable,
};

static void open_stream(void *user)
{
	struct output *output = user;

	output->introduced = false;
	output->full = false;
	if (rpc_stream_open(&output->stream, output->channel, CALL_OUTPUT, NULL,
			    &bellows__v1__ack__descriptor, 0, &events, output,
			    NULL) < 0) {
		output->stream = NULL;
		loop_timer_set(output->loop, &output->reopen, REOPEN_AFTER,
			       open_stream, output);
		return;
	}
	read_all(output, true);
}

static void send_text(struct source *source, size_t n)
{
	struct output *output = source->output;
	Bellows__V1__OutputChunk chunk = BELLOWS__V1__OUTPUT_CHUNK__INIT;
	int r;

	if (n == 0 || !output->stream)
		return;
	if (!output->introduced) {
		chunk.name = output->name;
		chunk.incarnation = output->incarnation;
	}
	output->introduced = true;
	chunk.epoch = source->epoch;
	chunk.rank = source->rank;
	chunk.error = source->error;
	chunk.data.data = source->text;
	chunk.data.len = n;
	r = rpc_stream_send(output->stream, &chunk.base);

	memmove(source->text, source->text + n, source->n - n);
	source->n -= n;
	if (r > 0 && !output->full) {
		output->full = true;
		read_all(output, false);
	}
}

void output_attach(struct output *output, uint64_t incarnation)
{
	output->attached = true;
	output->incarnation = incarnation;
	loop_timer_clear(&output->reopen);
	if (!output->stream)
		open_stream(output);
}

void output_detach(struct output *output)
{
	output->attached = false;
	loop_timer_clear(&output->reopen);
}

/* Half-closes the stream once all ranks are gone, if the executor is about to
 * end. */
static void half_close(struct output *output)
{
	if (output->on_end && list_is_empty(&output->sources) && output->stream)
		rpc_stream_half_close(output->stream);
}

static void source_destroy(struct source *source)
{
	list_remove(&source->link);
	loop_fd_remove(source->watch);
	close(source->fd);
	free(source);
}

static void on_text(void *user, uint32_t seen)
{
	struct source *source = user;
	struct output *output = source->output;
	ssize_t got = read(source->fd, source->text + source->n,
			   sizeof(source->text) - source->n);
	uint8_t *end;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) { /* a terminal without a rank reads as EIO */
		send_text(source, source->n);
		source_destroy(source);
		half_close(output);
		return;
	}
	source->n += (size_t)got;
	end = memrchr(source->text, '\n', source->n);
	if (end)
		send_text(source, (size_t)(end - source->text) + 1);
	if (source->n == sizeof(source->text))
		send_text(source, source->n);
}

/* Takes fd. */
static int add_source(struct output *output, unsigned epoch, unsigned rank,
		      bool error, int fd, struct error *err)
{
	struct source *source = calloc(1, sizeof(*source));

	if (!source) {
		close(fd);
		return error_set(err, -ENOMEM, "out of memory");
	}
	source->output = output;
	source->epoch = epoch;
	source->rank = rank;
	source->error = error;
	source->fd = fd;
	list_append(&output->sources, &source->link);
	read_source(source, output->stream && !output->full);
	return 0;
}

static int open_terminal(int *master, int *slave, struct error *err)
{
	char path[64];
	struct termios mode;

	*slave = -1;
	*master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (*master >= 0 && grantpt(*master) == 0 && unlockpt(*master) == 0 &&
	    ptsname_r(*master, path, sizeof(path)) == 0)
		*slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*slave < 0)
		return error_errno(err, "cannot open a terminal for a rank");
	tcgetattr(*slave, &mode);
	cfmakeraw(&mode);
	tcsetattr(*slave, TCSANOW, &mode);
	return 0;
}

int output_add(struct output *output, unsigned epoch, unsigned rank, int fds[3],
	       struct error *err)
{
	CLEANUP(close) int in = -1, master = -1, slave = -1;
	CLEANUP(close) int reader = -1, writer = -1;
	int pipes[2], r;

	in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return error_errno(err, "/dev/null");
	r = open_terminal(&master, &slave, err);
	if (r < 0)
		return r;
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return error_errno(err, "cannot open a pipe for a rank");
	reader = pipes[0];
	writer = pipes[1];
	fcntl(reader, F_SETFL, O_NONBLOCK);

	r = add_source(output, epoch, rank, false, STEAL_FD(master), err);
	if (r == 0)
		r = add_source(output, epoch, rank, true, STEAL_FD(reader),
			       err);
	if (r < 0)
		return r;
	fds[0] = STEAL_FD(in);
	fds[1] = STEAL_FD(slave);
	fds[2] = STEAL_FD(writer);
	return 0;
}

void output_finish(struct output *output, msec_t patience, output_end_f fn,
		   void *user)
{
	output->on_end = fn;
	output->end_user = user;
	loop_timer_set(output->loop, &output->patience,
		       output->stream ? patience : 0, on_patience, output);
	half_close(output);
}

int output_create(struct output **out, struct loop *loop,
		  struct rpc_channel *channel, const char *name,
		  struct error *err)
{
	struct output *output = calloc(1, sizeof(*output));

	if (!output)
		return error_set(err, -ENOMEM, "out of memory");
	output->loop = loop;
	output->channel = channel;
	snprintf(output->name, sizeof(output->name), "%s", name);
	list_init(&output->sources);
	*out = output;
	return 0;
}

struct output *output_destroy(struct output *output)
{
	if (!output)
		return NULL;
	list_for_each (at, &output->sources)
		source_destroy(CONTAINER(at, struct source, link));
	loop_timer_clear(&output->reopen);
	loop_timer_clear(&output->patience);
	free(output);
	return NULL;
}
