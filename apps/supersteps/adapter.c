/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The adapter of bellows-supersteps
 *
 * The command is `bellows-supersteps FILE`, with options.  The checkpoint
 * directory is put at the end of it: the program saves there after each step,
 * and goes on from there if it finds something, so that start and restart are
 * the same command.  Each rank runs some of the tasks; any number of ranks will
 * do.
 */

#include "apps/adapter.h"
#include "apps/supersteps/saved.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define OPTION "--checkpoint"

/* Most words of the user's command; the option, its value and the NULL follow.
 */
enum { ARGS_MAX = ADAPTER_ARGS_MAX - 3 };

static int check(const struct adapter_app *app, struct error *err)
{
	size_t n = 1;

	for (; app->command[n]; n++)
		if (strncmp(app->command[n], OPTION, strlen(OPTION)) == 0)
			return error_set(err, -EINVAL,
					 "supersteps: the command has " OPTION
					 "; leave it out, it is always the "
					 "checkpoint directory");
	if (n > ARGS_MAX)
		return error_set(err, -EINVAL,
				 "supersteps: the command has %zu arguments; "
				 "at most %d",
				 n, ARGS_MAX);
	return 0;
}

static int command(const struct adapter_app *app,
		   const struct checkpoint *restart,
		   const char *argv[ADAPTER_ARGS_MAX], char *text,
		   size_t text_size, struct error *err)
{
	size_t n = 0;

	while (app->command[n] && n < ARGS_MAX) {
		argv[n] = app->command[n];
		n++;
	}
	if (app->command[n])
		return error_set(err, -E2BIG,
				 "supersteps: more than %d arguments",
				 ARGS_MAX);
	argv[n] = OPTION;
	argv[n + 1] = app->checkpoint_dir;
	argv[n + 2] = NULL;
	return 0;
}

/* Rank 0 tells the others at the end of the step. */
static enum save_kind save(const struct adapter_app *app, int *signo)
{
	*signo = SIGUSR1;
	return SAVE_SIGNAL_FIRST;
}

static int checkpoint(const struct adapter_app *app, struct checkpoint *out,
		      struct error *err)
{
	struct saved *saved = calloc(1, sizeof(*saved));
	int r = saved ? saved_read(saved, app->checkpoint_dir, err)
		      : error_set(err, -ENOMEM, "out of memory");

	if (r == 0)
		*out = (struct checkpoint){
			.step = saved->next,
			.mark = saved->written,
			.files = 1,
			.bytes = saved->bytes,
		};
	free(saved);
	return r;
}

static int files(const struct adapter_app *app, const struct checkpoint *of,
		 int (*each)(void *user, const char *name), void *user,
		 struct error *err)
{
	return each(user, SAVED_NAME);
}

static bool says_end(const struct adapter_app *app)
{
	return true;
}

static bool begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

static enum line_kind on_line(const struct adapter_app *app, const char *line,
			      struct line_facts *facts)
{
	if (!begins(line, "supersteps: "))
		return LINE_OTHER;
	line += strlen("supersteps: ");
	if (begins(line, "all "))
		return LINE_FINISHED;
	if (begins(line, "cannot write checkpoint"))
		return LINE_SAVE_FAILED;
	if (begins(line, "cannot read checkpoint") ||
	    (begins(line, "checkpoint ") && strstr(line, " is damaged: ")))
		return LINE_UNREADABLE;
	if (sscanf(line, "goes on from step %" SCNu64 " of %" SCNu64,
		   &facts->step, &facts->total) == 2)
		return LINE_RESUMED;
	if (sscanf(line, "step %" SCNu64 " of %" SCNu64, &facts->step,
		   &facts->total) == 2)
		return LINE_PROGRESS;
	if (sscanf(line, "rank %u needs %u shares", &facts->rank,
		   &facts->shares) == 2)
		return LINE_SHARES;
	return LINE_OTHER;
}

const struct adapter adapter_supersteps = {
	.abi = ADAPTER_ABI,
	.name = "supersteps",
	.unit = "supersteps",
	.former = FORMER_REPLACED,
	.writes_itself = true,
	.first_writes = true,
	.says_end = says_end,
	.check = check,
	.command = command,
	.save = save,
	.checkpoint = checkpoint,
	.files = files,
	.on_line = on_line,
};
