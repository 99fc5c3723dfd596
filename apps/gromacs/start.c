/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/gromacs/start.h"

#include "apps/gromacs/checkpoint_find.h"
#include "apps/gromacs/cpt.h"
#include "apps/gromacs/files.h"
#include "apps/gromacs/options.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

enum { LOG_HEAD = 256 * 1024 };

/* Cuts the log off where mdrun will write on; GROMACS judges the rest. */
static int cut_log(const struct adapter_app *app, int fd, struct error *err)
{
	char path[PATH_MAX];
	CLEANUP(close) int log = -1;
	struct stat st;
	off_t position;
	int r = files_log_path(app, path, sizeof(path), err);

	if (r == 0)
		r = cpt_log_position(&position, fd, strrchr(path, '/') + 1,
				     err);
	if (r != 0)
		return r < 0 ? r : 0;
	log = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	if (log < 0 || fstat(log, &st) < 0 || st.st_size <= position)
		return 0;
	return ftruncate(log, position) == 0
		       ? 0
		       : error_errno(err, "cannot shorten %s", path);
}

int start_prepare(const struct adapter_app *app,
		  const struct checkpoint *restart, struct error *err)
{
	char path[PATH_MAX];
	CLEANUP(close) int fd = -1;
	struct found_checkpoint found;
	int r = checkpoint_find(app, &found, err);

	if (r == -ENOENT && !restart)
		return 0;
	if (r < 0)
		return restart ? error_wrap(err, r,
					    "mdrun would begin at step 0")
			       : error_wrap(err, r,
					    "it would be overwritten; go on "
					    "from another or move it away");
	if (!restart)
		return 0;
	r = checkpoint_put_in_place(app, &found, err);
	if (r < 0)
		return r;
	fd = files_open(app, FILES_CHECKPOINT, path, err);
	return fd < 0 ? fd : cut_log(app, fd, err);
}

/* The step at which the run began, as mdrun has noted it in its log. */
static int first_step(const struct adapter_app *app, uint64_t *out,
		      struct error *err)
{
	CLEANUP(free) char *text = malloc(LOG_HEAD);
	char path[PATH_MAX];
	CLEANUP(close) int fd = -1;
	const char *at;
	ssize_t n = 0;
	int r = files_log_path(app, path, sizeof(path), err);

	if (r < 0)
		return r;
	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0)
		n = pread(fd, text, LOG_HEAD - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, "\n   init-step ");
	if (!at || sscanf(at, " init-step = %" SCNu64, out) != 1)
		return error_set(
			err, -EINVAL,
			"gromacs: with -nsteps the first step has to "
			"be known, and %s does not tell it; set nsteps "
			"in the .mdp, or with gmx convert-tpr",
			path);
	return 0;
}

/* mdrun takes -nsteps for so many more from the checkpoint on. */
static int remaining_steps(const struct adapter_app *app,
			   const struct checkpoint *restart, char *text,
			   size_t text_size, struct error *err)
{
	struct argv_option option;
	uint64_t first = 0, end;
	int r;

	*text = '\0';
	if (!restart || !argv_find_option(app->command, "nsteps", &option) ||
	    !option.value || option.value[0] == '-')
		return 0;
	r = first_step(app, &first, err);
	end = first + strtoull(option.value, NULL, 10);
	if (r == 0)
		snprintf(text, text_size, "%" PRIu64,
			 end > restart->step ? end - restart->step : 0);
	return r;
}

int start_command(const struct adapter_app *app,
		  const struct checkpoint *restart,
		  const char *argv[ADAPTER_ARGS_MAX], char *text,
		  size_t text_size, struct error *err)
{
	enum { NUMBER = 24 };
	char *steps = text, *path = text + NUMBER;
	struct argv_option option;
	size_t n = 0;
	int r;

	if (text_size <= NUMBER)
		return error_set(err, -E2BIG, "gromacs: no room");
	r = remaining_steps(app, restart, steps, NUMBER, err);
	if (r == 0)
		r = files_checkpoint_path(app, path, text_size - NUMBER, err);
	if (r < 0)
		return r;
	for (; app->command[n]; n++) {
		if (n == OPTIONS_ARGS_MAX)
			return error_set(err, -E2BIG,
					 "gromacs: more than %d arguments",
					 OPTIONS_ARGS_MAX);
		argv[n] = app->command[n];
	}
	if (*steps && argv_find_option(app->command, "nsteps", &option))
		argv[option.at + 1] = steps;
	argv[n++] = "-cpo";
	argv[n++] = path;
	if (restart) {
		argv[n++] = "-cpi";
		argv[n++] = path;
		argv[n++] = "-append";
	}
	argv[n] = NULL;
	return 0;
}
