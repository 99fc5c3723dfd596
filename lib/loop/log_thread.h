/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOOP_LOG_THREAD_H
#define LOOP_LOG_THREAD_H

/*
 * The lines of a log (base/log.h), written to a file on a thread: a program
 * logs while the disk of its log stands still
 *
 * Up to a mebibyte waits.  What is more is missing, and a line says how much.
 * A line that the disk refuses goes to stderr.
 */

#include "base/cleanup.h"
#include "base/error.h"
#include "loop/loop.h"

struct log_thread;

/* One in a program.  fd stays the caller's, and open for as long as a call may
 * hang. */
int log_thread_begin(struct log_thread **out, struct loop *loop, int fd,
		     struct error *err);
/* Writes what waits, for at most a second.  Then lines are written where they
 * are logged, as before.  Returns NULL. */
struct log_thread *log_thread_end(struct log_thread *thread);

DEFINE_CLEANUP(struct log_thread, log_thread_end)

#endif
