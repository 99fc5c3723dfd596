/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void describe(struct error *err, const char *fmt, va_list ap)
{
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
}

static void append(struct error *err, const char *cause)
{
	size_t n = strlen(err->text);

	snprintf(err->text + n, sizeof(err->text) - n, ": %s", cause);
}

int error_set(struct error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;

	va_start(ap, fmt);
	describe(err, fmt, ap);
	va_end(ap);
	return code;
}

void error_describe(struct error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	describe(err, fmt, ap);
	va_end(ap);
}

int error_wrap(struct error *err, int code, const char *fmt, ...)
{
	struct error cause;
	va_list ap;

	if (!err)
		return code;

	cause = *err;
	va_start(ap, fmt);
	describe(err, fmt, ap);
	va_end(ap);
	append(err, cause.text);
	return code;
}

int error_errno(struct error *err, const char *fmt, ...)
{
	int cause = errno;
	va_list ap;

	if (!err)
		return -cause;

	va_start(ap, fmt);
	describe(err, fmt, ap);
	va_end(ap);
	append(err, strerror(cause));
	return -cause;
}
