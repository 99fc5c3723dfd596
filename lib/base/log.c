/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include "base/text.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *program = "bellows";
static enum log_level shown = LOG_INFO;
static int target = STDERR_FILENO;
static void (*through)(const char *line, size_t n);

static const char *const level_names[] = {
	[LOG_ERROR] = "error",
	[LOG_WARN] = "warning",
	[LOG_INFO] = "info",
	[LOG_DEBUG] = "debug",
};

void log_init(const char *name, enum log_level level)
{
	program = name;
	shown = level;
}

void log_to(int fd)
{
	target = fd;
}

int log_open(const char *path, int *fd, struct error *err)
{
	*fd = -1;
	if (!path)
		return 0;
	*fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
		   0600);
	if (*fd < 0)
		return error_errno(err, "--log: %s", path);
	log_to(*fd);
	return 0;
}

void log_through(void (*fn)(const char *line, size_t n))
{
	through = fn;
}

void log_line(enum log_level level, const char *fmt, ...)
{
	char line[2048];
	struct timespec now;
	struct tm tm;
	va_list ap;
	size_t n;

	if (level > shown)
		return;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	n = strftime(line, sizeof(line), "%Y-%m-%dT%H:%M:%S", &tm);
	n += (size_t)snprintf(line + n, sizeof(line) - n,
			      ".%03ldZ %s %s: ", now.tv_nsec / 1000000, program,
			      level_names[level]);

	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - n - 1, fmt, ap);
	va_end(ap);

	text_make_safe(line + n, sizeof(line) - n - 1, line + n);
	n += strlen(line + n);
	line[n++] = '\n';

	/* A line that the disk does not take goes to standard error. */
	if (through)
		through(line, n);
	else if (write(target, line, n) < 0)
		level = LOG_ERROR;
	if (target != STDERR_FILENO && level == LOG_ERROR &&
	    write(STDERR_FILENO, line, n) < 0)
		return;
}
