/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kube_follow_internal.h"

#include "runner/own_line.h"

#include <string.h>

void follow_on_lines(void *user, const char *text, size_t n)
{
	struct following *following = user;
	enum own_level level;
	const char *own = own_line(text, n, &level);
	int length;

	if (!own) {
		show_output(following->show, false, text, n);
		if (show_is_full(following->show))
			kube_log_hold(following->log, true);
		return;
	}
	length = (int)(text + n - own);
	length -= length > 0 && own[length - 1] == '\n';
	if (level == OWN_ERROR && length > 0) {
		snprintf(following->told, sizeof(following->told), "%.*s",
			 length, own);
		show_say(following->show, "coordinator: %.*s", length, own);
	}
}
