/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_LOCAL_PUMP_H
#define RUNNER_LOCAL_PUMP_H

/*
 * Reads a pipe as its bytes come, and can be held back
 *
 * Bytes are handed on as they were read, or line by line (with the newline; a
 * line of more than PUMP_LINE bytes comes in pieces, the last line of all may
 * have none).
 */

#include "loop/loop.h"

enum { PUMP_LINE = 65536 };

typedef void (*pump_f)(void *user, const char *data, size_t n);

struct pump {
	struct loop *loop;
	struct loop_fd *source; /* NULL: held back, or at its end */
	int fd;                 /* -1: at its end */
	bool lines;
	pump_f fn;
	loop_timer_f on_end;
	void *user;
	char *line;
	size_t n;
};

/* Takes fd over.  Zero-initialised but for what is set here. */
int pump_start(struct pump *pump, struct loop *loop, int fd, bool lines,
	       pump_f fn, loop_timer_f on_end, void *user, struct error *err);

void pump_hold(struct pump *pump, bool held);

/* Reads what is there already, then closes. */
void pump_finish(struct pump *pump);

/* Also after a failed or missing pump_start(). */
void pump_fini(struct pump *pump);

#endif
