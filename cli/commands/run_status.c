/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/run_status.h"

#include "base/file.h"
#include "jobfile/exit.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int run_status_clear(const char *path, struct error *err)
{
	int r = file_check(path, err);

	if (r < 0)
		return r;
	if (unlink(path) == 0)
		return file_sync_name(path, err);
	return errno == ENOENT ? 0 : error_errno(err, "--status: %s", path);
}

int run_status_keep(const char *path, int code, const struct output *output)
{
	struct error err;
	char text[16];
	int n = snprintf(text, sizeof(text), "%d\n", code);

	if (file_keep(path, 0600, text, (size_t)n, &err) == 0)
		return code;
	return output_fail(output, code ? code : EXIT_SYSTEM,
			   "the exit status %d is not kept: %s", code,
			   err.text);
}
