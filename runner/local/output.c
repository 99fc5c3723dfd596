/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/local/internal.h"

#include "base/text.h"
#include "runner/log_filter.h"

void local_on_error_line(void *user, const char *line, size_t n)
{
	struct local *local = user;
	enum log_filter_level level;
	const char *own = log_filter(line, n, &level);
	int length;

	/* what is no error goes to a file of its own */
	if (own && level != LOG_FILTER_ERROR)
		own = NULL;
	if (!own)
		local->run.events->on_output(local->run.user, true, line, n);
	if (!own && local->run.phase != RUN_STARTING)
		return;
	own = own ? own : line;
	length = (int)text_line_length(own, (size_t)(line + n - own));
	if (length == 0)
		return;
	snprintf(local->last_error, sizeof(local->last_error), "%.*s", length,
		 own);
	if (local->run.phase != RUN_STARTING)
		run_say(&local->run, "coordinator: %.*s", length, own);
}
