/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The adapter of plate
 *
 * The job file gives `command: [plate, SIZE, STEPS]`; the name of the
 * checkpoint is put behind, and --restart where there is one to go on from. The
 * section `settings` may have `file`, its name in the checkpoint directory.
 */

#include "state.h"

#include <bellows/adapter.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const settings[] = {"file", NULL};

static int check(const struct adapter_app *app, struct error *err)
{
	const char *file = adapter_setting(app, "file");
	size_t n = 0;

	while (app->command[n])
		n++;
	if (n != 3)
		return error_set(err, -EINVAL,
				 "plate: the command has %zu words; plate, its "
				 "size and its steps, nothing else",
				 n);
	if (file && (!*file || strchr(file, '/')))
		return error_set(err, -EINVAL,
				 "plate: settings: file: '%.80s' is no name of "
				 "a file in the checkpoint directory",
				 file);
	return adapter_check_settings(app, settings, err);
}

static int accepts(const struct adapter_app *app, unsigned ranks,
		   struct error *err)
{
	unsigned long size = strtoul(app->command[1], NULL, 10);

	return ranks <= size ? 0
			     : error_set(err, -EINVAL,
					 "a plate of %lu rows runs on at most "
					 "as many ranks, not on %u",
					 size, ranks);
}

static int path_of(const struct adapter_app *app, char *text, size_t n,
		   struct error *err)
{
	const char *file = adapter_setting(app, "file");

	if ((size_t)snprintf(text, n, "%s/%s", app->checkpoint_dir,
			     file ? file : "plate.state") < n)
		return 0;
	return error_set(err, -E2BIG,
			 "plate: the checkpoint's path is too long");
}

static int command(const struct adapter_app *app,
		   const struct checkpoint *restart,
		   const char *argv[ADAPTER_ARGS_MAX], char *text,
		   size_t text_size, struct error *err)
{
	for (int i = 0; i < 3; i++)
		argv[i] = app->command[i];
	argv[3] = text;
	argv[4] = restart ? "--restart" : NULL;
	argv[5] = NULL;
	return path_of(app, text, text_size, err);
}

static enum save_kind save(const struct adapter_app *app, int *signo)
{
	*signo = SIGTERM;
	return SAVE_SIGNAL_FIRST;
}

/* An open file: 0, or -EBADMSG with what is wrong with it. */
static int judge(int fd, const char *path, struct checkpoint *out,
		 struct error *err)
{
	struct state_head head;
	uint64_t mark = 0, bytes;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return error_errno(err, "cannot read %s", path);
	if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    memcmp(head.magic, STATE_MAGIC, sizeof(head.magic)) != 0)
		return error_set(err, -EBADMSG, "%s is no checkpoint of plate",
				 path);
	bytes = state_bytes(head.size);
	if ((uint64_t)st.st_size != bytes)
		return error_set(err, -EBADMSG,
				 "%s has %lld bytes, not %llu: it is cut short",
				 path, (long long)st.st_size,
				 (unsigned long long)bytes);
	if (pread(fd, &mark, sizeof(mark), (off_t)(bytes - sizeof(mark))) !=
		    (ssize_t)sizeof(mark) ||
	    mark != state_mark(&head))
		return error_set(err, -EBADMSG, "%s was not written to its end",
				 path);
	/* two that were written at the same step are two all the same */
	*out = (struct checkpoint){
		.step = head.step,
		.mark = mark + (uint64_t)st.st_mtim.tv_sec * 1000000000 +
			(uint64_t)st.st_mtim.tv_nsec,
		.files = 1,
		.bytes = bytes,
	};
	return 0;
}

static int checkpoint(const struct adapter_app *app, struct checkpoint *out,
		      struct error *err)
{
	char path[PATH_MAX];
	int r = path_of(app, path, sizeof(path), err), fd;

	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT
			       ? 1
			       : error_errno(err, "cannot read %s", path);
	r = judge(fd, path, out, err);
	close(fd);
	return r;
}

static int files(const struct adapter_app *app, const struct checkpoint *of,
		 int (*each)(void *user, const char *name), void *user,
		 struct error *err)
{
	const char *file = adapter_setting(app, "file");

	return each(user, file ? file : "plate.state");
}

static bool says_end(const struct adapter_app *app)
{
	return true;
}

static enum line_kind on_line(const struct adapter_app *app, const char *line,
			      struct line_facts *facts)
{
	unsigned long long step, total;

	if (sscanf(line, "plate: step %llu of %llu", &step, &total) == 2) {
		facts->step = step;
		facts->total = total;
		return LINE_PROGRESS;
	}
	if (sscanf(line, "plate: restarted at step %llu", &step) == 1) {
		facts->step = step;
		return LINE_RESUMED;
	}
	if (strncmp(line, "plate: cannot read: ", 20) == 0 ||
	    strncmp(line, "plate: not a checkpoint of this plate: ", 39) == 0)
		return LINE_UNREADABLE;
	if (strncmp(line, "plate: answer ", 14) == 0)
		return LINE_FINISHED;
	if (strcmp(line, "plate: starting from step 0") == 0)
		return LINE_AFRESH;
	return LINE_OTHER;
}

/* declared first, for a const that is seen from outside */
extern const struct adapter bellows_adapter;

const struct adapter bellows_adapter = {
	.abi = ADAPTER_ABI,
	.name = "plate",
	.has_settings = true,
	.former = FORMER_REPLACED,
	.says_end = says_end,
	.check = check,
	.accepts = accepts,
	.command = command,
	.save = save,
	.checkpoint = checkpoint,
	.files = files,
	.on_line = on_line,
};
