/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

/*
 * Errors
 *
 * A function that can fail returns int: 0 on success, -errno on failure.  A
 * positive value is an outcome its header documents; the caller handles it and
 * never passes it on.
 *
 * A function whose failure a person will read takes a struct error as its last
 * argument and fills it only on failure.  NULL means "not interested".  The
 * function that receives an error returns it or logs it, never both.
 */

struct error {
	char text[512];
};

/* Describe a failure; returns code, so that `return error_set(...)` reads. */
int error_set(struct error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Only the sentence, for a failure that has no code. */
void error_describe(struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), nonnull(1)));

/* Put "<prefix>: " before the text of a failure that a callee described. */
int error_wrap(struct error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), nonnull(3)));

/* Describe a failed system call: "<text>: <strerror(errno)>"; returns -errno.
 */
int error_errno(struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
