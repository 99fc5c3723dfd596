/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The adapter of parint
 *
 * The checkpoint is the file parint.ckpt below the checkpoint directory,
 * always: the adapter puts --checkpoint at the end of the command, and a
 * command that has one of its own is refused.  parint goes on from the file if
 * it is there, so start and restart are the same command, and runs on any
 * number of ranks.
 */

#include "apps/adapter.h"
#include "apps/parint/checkpoint.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>

#define FILE_NAME "parint.ckpt"

/* Most words of the user's command; --checkpoint, its value and the NULL
 * follow. */
enum { ARGS_MAX = ADAPTER_ARGS_MAX - 3 };

/* Also what getopt_long() takes for it: --checkpoint=FILE, --check FILE. */
static bool is_checkpoint_option(const char *arg)
{
	size_t n = strcspn(arg, "=");

	return n > 2 && strncmp(arg, "--checkpoint", n) == 0;
}

static int check(const struct adapter_app *app, struct error *err)
{
	size_t n = 1;

	for (; app->command[n]; n++)
		if (is_checkpoint_option(app->command[n]))
			return error_set(err, -EINVAL,
					 "parint: the command has %.40s; leave "
					 "it out, the checkpoint is always %s "
					 "in the checkpoint directory",
					 app->command[n], FILE_NAME);
	if (n > ARGS_MAX)
		return error_set(err, -EINVAL,
				 "parint: the command has %zu arguments; at "
				 "most %d",
				 n, ARGS_MAX);
	return 0;
}

static int command(const struct adapter_app *app,
		   const struct checkpoint *restart,
		   const char *argv[ADAPTER_ARGS_MAX], char *text,
		   size_t text_size, struct error *err)
{
	size_t n = 0, length;

	while (app->command[n]) {
		if (n == ARGS_MAX)
			return error_set(err, -E2BIG,
					 "parint: more than %d arguments",
					 ARGS_MAX);
		argv[n] = app->command[n];
		n++;
	}
	length = (size_t)snprintf(text, text_size, "%s/%s", app->checkpoint_dir,
				  FILE_NAME);
	if (length >= text_size)
		return error_set(err, -E2BIG,
				 "parint: the path of the checkpoint is longer "
				 "than %zu bytes",
				 text_size - 1);
	argv[n] = "--checkpoint";
	argv[n + 1] = text;
	argv[n + 2] = NULL;
	return 0;
}

static enum save_kind save(const struct adapter_app *app, int *signo)
{
	*signo = SIGUSR1;
	return SAVE_SIGNAL_ALL;
}

static int checkpoint(const struct adapter_app *app, struct checkpoint *out,
		      struct error *err)
{
	struct checkpoint_header header;
	CLEANUP(close) int fd = -1;
	char path[PATH_MAX];
	int r;

	if (snprintf(path, sizeof(path), "%s/%s", app->checkpoint_dir,
		     FILE_NAME) >= (int)sizeof(path))
		return error_set(err, -ENAMETOOLONG,
				 "the path of %s is too long", FILE_NAME);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return 1;
	if (fd < 0)
		return error_errno(err, "cannot read checkpoint %s", path);
	r = checkpoint_header_read(&header, fd, path, err);
	if (r < 0)
		return r;
	*out = (struct checkpoint){
		.step = header.iteration,
		.mark = header.seal,
		.files = 1,
		.bytes = checkpoint_bytes(header.array_size),
	};
	return 0;
}

static int files(const struct adapter_app *app, const struct checkpoint *of,
		 int (*each)(void *user, const char *name), void *user,
		 struct error *err)
{
	return each(user, FILE_NAME);
}

/* "checkpoint PATH is damaged: ...", and all else that ends it for its sake. */
static bool is_unreadable(const char *line)
{
	static const char head[] = "parint: checkpoint ";
	static const char unread[] = "parint: cannot read checkpoint ";

	return strncmp(line, unread, sizeof(unread) - 1) == 0 ||
	       (strncmp(line, head, sizeof(head) - 1) == 0 &&
		strstr(line, " is damaged: "));
}

static bool says_end(const struct adapter_app *app)
{
	return true;
}

static enum line_kind on_line(const struct adapter_app *app, const char *line,
			      struct line_facts *facts)
{
	static const char failed[] = "parint: cannot write checkpoint ";
	static const char digest[] = "parint: digest ";
	uint64_t step, total;
	int end = 0;

	if (strncmp(line, digest, sizeof(digest) - 1) == 0)
		return LINE_FINISHED;
	if (strncmp(line, failed, sizeof(failed) - 1) == 0)
		return LINE_SAVE_FAILED;
	if (is_unreadable(line))
		return LINE_UNREADABLE;
	if (sscanf(line, "parint: resumed at iteration %" SCNu64, &step) == 1) {
		facts->step = step;
		return LINE_RESUMED;
	}
	if (sscanf(line, "parint: iteration %" SCNu64 " of %" SCNu64 "%n",
		   &step, &total, &end) < 2 ||
	    (line[end] != '\0' && line[end] != ' '))
		return LINE_OTHER;
	facts->step = step;
	facts->total = total;
	return LINE_PROGRESS;
}

const struct adapter adapter_parint = {
	.abi = ADAPTER_ABI,
	.name = "parint",
	.former = FORMER_REPLACED,
	.says_end = says_end,
	.check = check,
	.command = command,
	.save = save,
	.checkpoint = checkpoint,
	.files = files,
	.on_line = on_line,
};
