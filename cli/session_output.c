/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session_internal.h"

#include <string.h>

/* Length of "2026-01-31T12:00:00.000Z ". */
enum { TIME_LENGTH = 25 };

/*
 * The message of a log line of the coordinator itself, whose form is lib/base's
 * (log.c); NULL: it is the application's.  *quiet: not worth showing, for the
 * job's states tell it and coordinator.log keeps it.
 */
static const char *own_line(const char *line, size_t n, bool *quiet)
{
	static const struct {
		const char *text;
		bool quiet;
	} heads[] = {
		{"coordinator error: ", false},
		{"coordinator warning: ", false},
		{"coordinator info: ", true},
		{"coordinator debug: ", true},
	};

	if (n <= TIME_LENGTH || line[TIME_LENGTH - 2] != 'Z' || line[4] != '-')
		return NULL;
	line += TIME_LENGTH;
	n -= TIME_LENGTH;
	for (size_t i = 0; i < LENGTH(heads); i++) {
		size_t k = strlen(heads[i].text);

		if (n < k || memcmp(line, heads[i].text, k) != 0)
			continue;
		*quiet = heads[i].quiet;
		return line + k;
	}
	return NULL;
}

void session_on_error_line(void *user, const char *line, size_t n)
{
	struct session *session = user;
	bool quiet = false;
	const char *own = own_line(line, n, &quiet);
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
	if (quiet || length == 0)
		return;
	snprintf(session->last_error, sizeof(session->last_error), "%.*s",
		 length, own);
	if (session->phase != SESSION_STARTING)
		show_say(session->show, "coordinator: %.*s", length, own);
}
