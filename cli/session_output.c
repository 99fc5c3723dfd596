/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session_internal.h"

#include <string.h>

/* Length of "2026-01-31T12:00:00.000Z ". */
enum { TIME_LENGTH = 25 };

/* The message of an error of the coordinator itself, in the form of lib/base's
 * log.c; NULL: the line is the application's. */
static const char *own_line(const char *line, size_t n)
{
	static const char head[] = "coordinator error: ";
	size_t k = strlen(head);

	if (n <= TIME_LENGTH + k || line[TIME_LENGTH - 2] != 'Z' ||
	    memcmp(line + TIME_LENGTH, head, k) != 0)
		return NULL;
	return line + TIME_LENGTH + k;
}

void session_on_error_line(void *user, const char *line, size_t n)
{
	struct session *session = user;
	const char *own = own_line(line, n);
	int length;

	if (!own) {
		show_output(session->show, true, line, n);
		pump_hold(&session->err, show_is_full(session->show));
	}
	if (!own && session->phase != SESSION_STARTING)
		return;
	own = own ? own : line;
	length = (int)(line + n - own);
	length -= length > 0 && own[length - 1] == '\n';
	if (length == 0)
		return;
	snprintf(session->last_error, sizeof(session->last_error), "%.*s",
		 length, own);
	if (session->phase != SESSION_STARTING)
		show_say(session->show, "coordinator: %.*s", length, own);
}
