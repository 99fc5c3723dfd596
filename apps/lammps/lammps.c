/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The adapter of LAMMPS
 *
 * It has no signal by which to save: it writes a restart file whenever its
 * step is a multiple of N, by the command `restart N file` of its input, and
 * is ended once that is complete.  So the job file repeats N (every) and the
 * names (files).  An input cannot go on by itself, therefore there are two: the
 * job file's command begins, its restart begins with read_restart of what
 * {checkpoint} stands for, the newest complete file.
 *
 *     app: lammps
 *     command: [lmp, -in, in.melt]
 *     restart: [lmp, -in, in.melt.restart, -var, from, "{checkpoint}"]
 *     checkpoint: {dir: restarts}
 *     settings: {files: melt.*.restart, every: 1000, steps: 20000}
 *
 * A restart file can be read by any number of ranks.
 */

#include "apps/adapter.h"
#include "apps/lammps/lines.h"
#include "apps/lammps/names.h"
#include "apps/lammps/newest.h"
#include "apps/lammps/number.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CHECKPOINT_WORD "{checkpoint}"

static const char *const keys[] = {"files", "every", "steps", NULL};

/* ---- what the job file says ---- */

static bool is_given(const struct adapter_app *app, const char *key)
{
	return adapter_setting(app, key) != NULL;
}

/* 0 if it is not given. */
static uint64_t count(const struct adapter_app *app, const char *key)
{
	const char *text = adapter_setting(app, key);
	uint64_t n;

	return text && number_read(text, &n) ? n : 0;
}

static int check_count(const struct adapter_app *app, const char *key,
		       const char *wanted, struct error *err)
{
	if (is_given(app, key) && count(app, key) == 0)
		return error_set(err, -EINVAL,
				 "lammps: settings: %s: '%.40s' is not a "
				 "number of steps; %s",
				 key, adapter_setting(app, key), wanted);
	return 0;
}

static int check_settings(const struct adapter_app *app, struct error *err)
{
	static const char every[] = "how often the input's command restart "
				    "writes a file, as 1000";
	struct names names;
	int r = adapter_check_settings(app, keys, err);

	if (r < 0)
		return error_wrap(err, r, "lammps");
	r = names_parse(&names, adapter_setting(app, "files"), err);
	if (r < 0)
		return r;
	if (!is_given(app, "every"))
		return error_set(err, -EINVAL,
				 "lammps: settings: every is missing; %s",
				 every);
	r = check_count(app, "every", every, err);
	if (r < 0)
		return r;
	return check_count(app, "steps",
			   "the step at which the last run ends, as 20000",
			   err);
}

static bool has_checkpoint(const char *const *argv)
{
	for (; *argv; argv++)
		if (strstr(*argv, CHECKPOINT_WORD))
			return true;
	return false;
}

static int check_options(const char *const *argv, struct error *err)
{
	for (; *argv; argv++) {
		if (strcmp(*argv, "-partition") == 0 ||
		    strcmp(*argv, "-p") == 0)
			return error_set(err, -EINVAL,
					 "lammps: %s shares the ranks out by "
					 "hand; leave it out, or their number "
					 "could not change",
					 *argv);
		if ((strcmp(*argv, "-screen") == 0 ||
		     strcmp(*argv, "-sc") == 0) &&
		    argv[1])
			return error_set(err, -EINVAL,
					 "lammps: %s %.40s hides what tells "
					 "where LAMMPS is; leave it out",
					 *argv, argv[1]);
	}
	return 0;
}

static int check(const struct adapter_app *app, struct error *err)
{
	int r;

	if (!app->restart)
		return error_set(err, -EINVAL,
				 "lammps: there is no restart; a command whose "
				 "input begins with read_restart, as [lmp, "
				 "-in, in.restart, -var, from, "
				 "\"" CHECKPOINT_WORD "\"]");
	if (!has_checkpoint(app->restart))
		return error_set(err, -EINVAL,
				 "lammps: restart has no " CHECKPOINT_WORD
				 ", the newest complete restart file, to read; "
				 "as [lmp, -in, in.restart, -var, from, "
				 "\"" CHECKPOINT_WORD "\"]");
	if (has_checkpoint(app->command))
		return error_set(err, -EINVAL,
				 "lammps: command has " CHECKPOINT_WORD
				 ", but there is none to begin with; only "
				 "restart has it");
	if (strpbrk(app->checkpoint_dir, " \t"))
		return error_set(
			err, -EINVAL,
			"lammps: checkpoint.dir: '%.200s' has a blank, "
			"where LAMMPS would cut it; a path without",
			app->checkpoint_dir);
	r = check_options(app->command, err);
	if (r == 0)
		r = check_options(app->restart, err);
	return r < 0 ? r : check_settings(app, err);
}

/* ---- what is asked of it ---- */

/* The path of the restart file of that step. */
static int path_of(const struct adapter_app *app, uint64_t step, char *path,
		   size_t n, struct error *err)
{
	char name[NAMES_ROOM];
	struct names names;
	int r = names_parse(&names, adapter_setting(app, "files"), err);

	if (r == 0)
		r = newest_name(name, app->checkpoint_dir, &names, step, err);
	if (r == 0 &&
	    snprintf(path, n, "%s/%s", app->checkpoint_dir, name) >= (int)n)
		r = error_set(err, -ENAMETOOLONG,
			      "the path of restart file %s is too long", name);
	return r;
}

static int command(const struct adapter_app *app,
		   const struct checkpoint *restart,
		   const char *argv[ADAPTER_ARGS_MAX], char *text,
		   size_t text_size, struct error *err)
{
	const char *const *from = restart ? app->restart : app->command;
	char path[PATH_MAX] = "";
	size_t n = 0;
	int r = 0;

	if (restart)
		r = path_of(app, restart->step, path, sizeof(path), err);
	if (r < 0)
		return r;
	for (; from[n]; n++) {
		if (n + 1 >= ADAPTER_ARGS_MAX)
			return error_set(err, -E2BIG,
					 "lammps: more than %d arguments",
					 ADAPTER_ARGS_MAX - 1);
		argv[n] = adapter_replace(from[n], path, &text, &text_size);
		if (!argv[n])
			return error_set(err, -E2BIG,
					 "lammps: the command is too long");
	}
	argv[n] = NULL;
	return 0;
}

static enum save_kind save(const struct adapter_app *app, int *signo)
{
	(void)app;
	*signo = 0;
	return SAVE_WATCH;
}

static uint64_t next(const struct adapter_app *app, uint64_t step)
{
	uint64_t every = count(app, "every");

	return every > 0 ? (step / every + 1) * every : 0;
}

static int checkpoint(const struct adapter_app *app, struct checkpoint *out,
		      struct error *err)
{
	struct restart_file file;
	struct names names;
	int r = names_parse(&names, adapter_setting(app, "files"), err);

	if (r == 0)
		r = newest_find(&file, app->checkpoint_dir, &names, err);
	if (r != 0)
		return r;
	*out = (struct checkpoint){
		.step = file.step,
		.mark = file.mark,
		.files = 1,
		.bytes = file.bytes,
	};
	return 0;
}

static int files(const struct adapter_app *app, const struct checkpoint *of,
		 int (*each)(void *user, const char *name), void *user,
		 struct error *err)
{
	char name[NAMES_ROOM];
	struct names names;
	int r = names_parse(&names, adapter_setting(app, "files"), err);

	if (r < 0 || !of)
		return r;
	r = newest_name(name, app->checkpoint_dir, &names, of->step, err);
	return r < 0 ? r : each(user, name);
}

static enum line_kind on_line(const struct adapter_app *app, const char *line,
			      struct line_facts *facts)
{
	enum line_kind kind = lines_read(line, facts);

	if (kind == LINE_PROGRESS)
		facts->total = count(app, "steps");
	return kind;
}

static bool says_end(const struct adapter_app *app)
{
	return true;
}

const struct adapter adapter_lammps = {
	.abi = ADAPTER_ABI,
	.name = "lammps",
	.has_settings = true,
	.has_restart = true,
	.writes_itself = true,
	.former = FORMER_STAYS,
	.says_end = says_end,
	.check = check,
	.command = command,
	.save = save,
	.next = next,
	.checkpoint = checkpoint,
	.files = files,
	.on_line = on_line,
};
