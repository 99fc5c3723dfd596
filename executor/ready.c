/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/ready.h"

#include "base/file.h"
#include "base/log.h"
#include "executor/executor.h"

#include <errno.h>
#include <string.h>

int ready_begin(const char *path, struct error *err)
{
	int r;

	if (!path)
		return 0;
	if (unlink(path) < 0 && errno != ENOENT)
		return error_errno(err, "--ready: %s", path);
	r = file_check(path, err);
	return r < 0 ? error_wrap(err, r, "--ready") : 0;
}

void ready_tell(struct executor *ex)
{
	const char *path = ex->config->ready;
	bool ready = ex->session == SESSION_ATTACHED && ex->fit;
	struct error err;

	if (!path || ready == ex->is_ready)
		return;
	ex->is_ready = ready;
	if (!ready)
		unlink(path);
	else if (file_replace(path, 0644, "ready\n", strlen("ready\n"), &err) <
		 0)
		log_warn("--ready: %s", err.text);
}
