/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session_internal.h"

#include "runner/own_line.h"

void session_on_error_line(void *user, const char *line, size_t n)
{
	struct session *session = user;
	enum own_level level;
	const char *own = own_line(line, n, &level);
	int length;

	/* what is no error goes to a file of its own */
	if (own && level != OWN_ERROR)
		own = NULL;
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
