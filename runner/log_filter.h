/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_LOG_FILTER_H
#define RUNNER_LOG_FILTER_H

#include <stddef.h>

enum log_filter_level { LOG_FILTER_ERROR, LOG_FILTER_OTHER };

/* The message in a line of the coordinator's own log, in the form of lib/base's
 * log.c; NULL: the line is the application's. */
const char *log_filter(const char *line, size_t n,
		       enum log_filter_level *level);

#endif
