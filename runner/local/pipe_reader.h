/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_LOCAL_PIPE_READER_H
#define RUNNER_LOCAL_PIPE_READER_H

/*
 * Reads a pipe as its bytes come, and can be held back
 *
 * Bytes are handed on as they were read, or line by line (with the newline; a
 * line of more than PIPE_READER_LINE bytes comes in pieces, the last line of
 * all may have none).
 */

#include "loop/loop.h"

enum { PIPE_READER_LINE = 65536 };

typedef void (*pipe_reader_f)(void *user, const char *data, size_t n);

struct pipe_reader {
	struct loop *loop;
	struct loop_fd *source; /* NULL: held back, or at its end */
	int fd;                 /* -1: at its end */
	bool lines;
	pipe_reader_f fn;
	loop_timer_f on_end;
	void *user;
	char *line;
	size_t n;
};

/* Takes fd over.  Zero-initialised but for what is set here. */
int pipe_reader_start(struct pipe_reader *reader, struct loop *loop, int fd,
		      bool lines, pipe_reader_f fn, loop_timer_f on_end,
		      void *user, struct error *err);

void pipe_reader_hold(struct pipe_reader *reader, bool held);

/* Reads what is there already, then closes. */
void pipe_reader_finish(struct pipe_reader *reader);

/* Also after a failed or missing pipe_reader_start(). */
void pipe_reader_fini(struct pipe_reader *reader);

#endif
