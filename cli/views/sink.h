/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_SINK_H
#define CLI_VIEWS_SINK_H

/*
 * Writing to a descriptor that is not ours without ever waiting for it
 *
 * Standard output may be a terminal, a file or a pipe to a pager that nobody
 * reads.  It is shared with other programs, so it is not made non-blocking:
 * what the descriptor takes is asked with poll() and written in pieces that a
 * ready pipe takes whole (PIPE_BUF), and the rest waits here.  When nobody can
 * read any more (EPIPE), what is written is dropped.
 */

#include "base/cleanup.h"
#include "loop/loop.h"

struct sink;

/* fn, optional: room again after sink_is_full(), or all is written. */
int sink_create(struct sink **out, struct loop *loop, int fd, loop_timer_f fn,
		void *user, struct error *err);

/* What was not written yet is dropped.  Returns NULL. */
struct sink *sink_destroy(struct sink *sink);

DEFINE_CLEANUP(struct sink, sink_destroy)

void sink_write(struct sink *sink, const char *data, size_t n);

/* So much waits that the writer should hold back. */
bool sink_is_full(const struct sink *sink);
bool sink_is_empty(const struct sink *sink);

/* Nobody can read any more. */
bool sink_is_broken(const struct sink *sink);

/* The last byte taken was a newline, or there was none. */
bool sink_at_line_start(const struct sink *sink);

#endif
