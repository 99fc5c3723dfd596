/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/local/pump.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>

static void hand_on(struct pump *pump, const char *data, size_t n)
{
	if (!pump->lines) {
		pump->fn(pump->user, data, n);
		return;
	}
	while (n > 0) {
		const char *newline = memchr(data, '\n', n);
		size_t k = newline ? (size_t)(newline + 1 - data) : n;

		if (k > PUMP_LINE - pump->n) {
			k = PUMP_LINE - pump->n;
			newline = NULL;
		}
		memcpy(pump->line + pump->n, data, k);
		pump->n += k;
		data += k;
		n -= k;
		if (newline || pump->n == PUMP_LINE) {
			pump->fn(pump->user, pump->line, pump->n);
			pump->n = 0;
		}
	}
}

static void close_pump(struct pump *pump)
{
	if (pump->fd < 0)
		return;
	pump->source = loop_fd_remove(pump->source);
	close(pump->fd);
	pump->fd = -1;
	if (pump->n > 0)
		pump->fn(pump->user, pump->line, pump->n);
	pump->n = 0;
}

/* Returns false when nothing is there now, or nothing ever will be. */
static bool take(struct pump *pump)
{
	char data[65536];
	ssize_t n = read(pump->fd, data, sizeof(data));

	if (n > 0) {
		hand_on(pump, data, (size_t)n);
		return true;
	}
	if (n < 0 && errno == EINTR)
		return true;
	if (n < 0 && errno == EAGAIN)
		return false;
	close_pump(pump);
	return false;
}

static void on_readable(void *user, uint32_t events)
{
	struct pump *pump = user;

	take(pump);
	if (pump->fd < 0)
		pump->on_end(pump->user);
}

int pump_start(struct pump *pump, struct loop *loop, int fd, bool lines,
	       pump_f fn, loop_timer_f on_end, void *user, struct error *err)
{
	int mode = fcntl(fd, F_GETFL);

	*pump = (struct pump){
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
		pump->line = malloc(PUMP_LINE);
		if (!pump->line)
			return error_set(err, -ENOMEM, "out of memory");
	}
	return loop_fd_add(&pump->source, loop, fd, EPOLLIN, on_readable, pump,
			   err);
}

void pump_hold(struct pump *pump, bool held)
{
	if (pump->fd < 0 || held == !pump->source)
		return;
	if (held)
		pump->source = loop_fd_remove(pump->source);
	else if (loop_fd_add(&pump->source, pump->loop, pump->fd, EPOLLIN,
			     on_readable, pump, NULL) < 0)
		pump_finish(pump);
}

void pump_finish(struct pump *pump)
{
	/* a writer that is faster than we are must not keep us here */
	for (int i = 0; i < 64 && pump->fd >= 0 && take(pump); i++)
		;
	close_pump(pump);
}

void pump_fini(struct pump *pump)
{
	if (pump->source)
		pump->source = loop_fd_remove(pump->source);
	if (pump->fd > 0)
		close(pump->fd);
	free(pump->line);
}
