/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

/*
 * Log: one line to stderr, subject first: `job=md state=growing size=2`
 *
 * Programs log; libraries and the domain return.  A line is written with one
 * write(), so lines of processes that share stderr do not mix, and control
 * characters are shown as '?', so no input can forge a line.
 */

#include "base/error.h"

#include <stddef.h>

enum log_level {
	LOG_ERROR,
	LOG_WARN,
	LOG_INFO,
	LOG_DEBUG,
};

/* Names the program and the lowest level shown.  name is borrowed. */
void log_init(const char *name, enum log_level level);

/* From now on lines go to fd, which becomes the log's; errors, and what fd does
 * not take, go to stderr too. */
void log_to(int fd);

/* Calls log_to() for a file, which lines are appended to.  path: what --log
 * says; NULL: the log stays on stderr, and *fd is -1. */
int log_open(const char *path, int *fd, struct error *err);

/* From now on fn has the lines that would be written to the log's fd, and no
 * call of log_line() waits for that; NULL: they are written again. */
void log_through(void (*fn)(const char *line, size_t n));

#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_WARN, __VA_ARGS__)
#define log_info(...)  log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)

void log_line(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
