/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_TAIL_H
#define EXECUTOR_TAIL_H

/*
 * Follows the file that an application logs to
 *
 * Only what is written from now on is read: an old line would pass for a step
 * of ranks that have just begun.  So a file is followed from its end, one that
 * was cut off from its new end, and only one that is new, or stands in the
 * place of the one that was there, from its beginning.
 *
 * It is looked at, twenty times a second at the beginning and once a second
 * when it has run for a while, because a file on a network file system is not
 * announced, and opened each time, because that is when such a file system
 * looks.  What is read at once is bounded; where the application writes
 * faster, the oldest of it is passed over.
 *
 * A thread looks, for a file system may never answer; all else is done on the
 * loop.  Who waits for a look waits for seconds at most.
 */

#include "base/error.h"
#include "loop/loop.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	TAIL_LINE_MAX = 1024, /* with its end; the rest of a line is cut off */
	TAIL_LINES_MAX = 64,  /* at once */
};

struct tail;

struct tail_events {
	/* Lines without newline, in ASCII (others become '?'); false if they
	 * cannot be taken now: they come again. */
	bool (*lines)(void *user, unsigned epoch, char *const *lines, size_t n);
	/* What is written from now on is read; or that is not known yet, and
	 * the file system has not answered for a second. */
	void (*begun)(void *user, unsigned epoch);
	/* What was there at tail_end() has been handed over; or the file system
	 * has not answered for two seconds. */
	void (*ended)(void *user, unsigned epoch);
};

int tail_create(struct tail **out, struct loop *loop,
		const struct tail_events *events, void *user,
		struct error *err);
struct tail *tail_destroy(struct tail *tail); /* returns NULL */

/* The log of that start, from now on; the one that was followed is not any
 * more, and what it still owed is told.  Answered by begun(), maybe at once.
 * Again for the same start it changes nothing else.  path: copied. */
void tail_follow(struct tail *tail, unsigned epoch, const char *path);

/* The ranks of that start are to save: the instant of their last step is to be
 * known, so the file is looked at as often as at the beginning. */
void tail_hurry(struct tail *tail, unsigned epoch);

/* Reads what is there at last, and stops.  Answered by ended(), once however
 * often it is asked for; at once if another is followed. */
void tail_end(struct tail *tail, unsigned epoch);

/* Follows nothing, and tells nothing more. */
void tail_forget(struct tail *tail);

#endif
