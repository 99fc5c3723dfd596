/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/follow_internal.h"

#include "base/text.h"
#include "runner/log_filter.h"

void follow_on_lines(void *user, const char *text, size_t n)
{
	struct following *following = user;
	enum log_filter_level level;
	const char *own = log_filter(text, n, &level);
	int length;

	if (!own) {
		following->run.events->on_output(following->run.user, false,
						 text, n);
		return;
	}
	length = (int)text_line_length(own, (size_t)(text + n - own));
	if (level == LOG_FILTER_ERROR && length > 0) {
		snprintf(following->told, sizeof(following->told), "%.*s",
			 length, own);
		run_say(&following->run, "coordinator: %.*s", length, own);
	}
}
