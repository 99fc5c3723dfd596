/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_OWN_LINE_H
#define RUNNER_OWN_LINE_H

#include <stddef.h>

enum own_level { OWN_ERROR, OWN_OTHER };

/* The message in a line of the coordinator's own log, in the form of lib/base's
 * log.c; NULL: the line is the application's. */
const char *own_line(const char *line, size_t n, enum own_level *level);

#endif
