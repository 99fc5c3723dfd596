/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_FD_WRITER_H
#define CLI_VIEWS_FD_WRITER_H

/*
 * Writing to a descriptor that is not ours without ever waiting for it
 *
 * Standard output may be a terminal, a file or a pipe to a pager that does not
 * read.  It is shared with other programs, so it is not made non-blocking:
 * what the descriptor takes is asked with poll() and written in pieces that a
 * ready pipe takes whole (PIPE_BUF), and the rest waits here.  Once a write has
 * failed, all is dropped.
 */

#include "base/cleanup.h"
#include "loop/loop.h"

struct fd_writer;

/* fn, optional: room again after fd_writer_is_full(), or all is written. */
int fd_writer_create(struct fd_writer **out, struct loop *loop, int fd,
		     loop_timer_f fn, void *user, struct error *err);

/* What was not written yet is dropped.  Returns NULL. */
struct fd_writer *fd_writer_destroy(struct fd_writer *writer);

DEFINE_CLEANUP(struct fd_writer, fd_writer_destroy)

void fd_writer_write(struct fd_writer *writer, const char *data, size_t n);

/* So much waits that the writer should hold back. */
bool fd_writer_is_full(const struct fd_writer *writer);
bool fd_writer_is_empty(const struct fd_writer *writer);

/* 0, or the errno for which all else is dropped; EPIPE: the reader is gone. */
int fd_writer_failure(const struct fd_writer *writer);

/* 0, or -errno with a sentence; a reader that is gone is no failure. */
int fd_writer_check(const struct fd_writer *writer, struct error *err);

/* The last byte taken was a newline, or there was none. */
bool fd_writer_at_line_start(const struct fd_writer *writer);

#endif
