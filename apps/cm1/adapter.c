/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The adapter of CM1, the cloud model of G. Bryan
 *
 * CM1 writes restart files each rstfrq seconds of model time, and knows no
 * signal, so a checkpoint is waited for, or the newest one is taken.  It goes
 * on from the one that its namelist names: irst = 1 turns it on, rstnum is the
 * number.  (Kub, SBAC-PAD 2023, wrote the number into irst, and all its starts
 * went on from the first one.)  Checkpoint k is of k times rstfrq; steps are
 * milliseconds of that time.
 *
 * The line "This is a restart." is no proof that CM1 went on, for it does not
 * name the checkpoint: the first time that CM1 prints must not be before that
 * of the checkpoint.
 */

#include "apps/adapter.h"
#include "apps/cm1/changes.h"
#include "apps/cm1/sets.h"
#include "apps/cm1/sizes.h"
#include "base/cleanup.h"
#include "base/list.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t step_of(const struct input *input, double number)
{
	return (uint64_t)llround(number * input->period);
}

/* The namelist, if the job can run with it. */
static int load(struct input *input, const struct adapter_app *app,
		struct error *err)
{
	struct changes changes;
	int r = input_load(input, app, err);

	if (r == 0)
		r = sizes_check(input, err);
	if (r < 0)
		return r;
	changes_find(input, &changes);
	return changes_refuse(input, &changes, err);
}

/* Restart files go where CM1 runs, whatever the job file says. */
static int check_dir(const struct adapter_app *app, struct error *err)
{
	struct stat dir, checkpoint;

	if (stat(app->dir, &dir) < 0 ||
	    stat(app->checkpoint_dir, &checkpoint) < 0)
		return 0;
	if (dir.st_dev == checkpoint.st_dev && dir.st_ino == checkpoint.st_ino)
		return 0;
	return error_set(err, -EINVAL,
			 "cm1: checkpoint.dir is %s, but CM1 writes restart "
			 "files where it runs: checkpoint: {dir: .}",
			 app->checkpoint_dir);
}

static int check_reset(const struct adapter_app *app, struct error *err)
{
	const char *reset = adapter_setting(app, "restart_reset_frqtim");

	if (!reset || strcmp(reset, "true") == 0 || strcmp(reset, "false") == 0)
		return 0;
	return error_set(err, -EINVAL,
			 "settings.restart_reset_frqtim: '%.40s' is neither "
			 "false, which has CM1 keep its clocks, nor true",
			 reset);
}

static int check(const struct adapter_app *app, struct error *err)
{
	static const char *const keys[] = {"restart_reset_frqtim", NULL};
	CLEANUP(input_fini) struct input input = {.text = NULL};
	int r = adapter_check_settings(app, keys, err);

	if (r == 0)
		r = check_reset(app, err);
	if (r == 0)
		r = check_dir(app, err);
	if (r == 0)
		r = load(&input, app, err);
	if (r == 0)
		r = input_can_restart(&input, err);
	return r < 0 ? -EINVAL : 0;
}

static void mend(const struct adapter_app *app, FILE *to)
{
	CLEANUP(input_fini) struct input input = {.text = NULL};
	struct changes changes;

	if (input_load(&input, app, NULL) < 0 || sizes_check(&input, NULL) < 0)
		return;
	changes_find(&input, &changes);
	changes_print(&input, &changes, to);
}

static int accepts(const struct adapter_app *app, unsigned ranks,
		   struct error *err)
{
	CLEANUP(input_fini) struct input input = {.text = NULL};

	if (load(&input, app, err) < 0)
		return -EINVAL;
	return sizes_accept(&input, ranks, err);
}

static int rehearse(const struct adapter_app *app, struct error *err)
{
	CLEANUP(input_fini) struct input input = {.text = NULL};
	int r = load(&input, app, err);

	return r < 0 ? r : input_rehearse(&input, err);
}

/* The old ranks may have written one more before they were ended. */
static int prepare(const struct adapter_app *app,
		   const struct checkpoint *restart, struct error *err)
{
	CLEANUP(input_fini) struct input input = {.text = NULL};
	struct checkpoint found;
	unsigned number = 0, newest;
	int r = load(&input, app, err);

	if (r < 0)
		return r;
	if (restart) {
		number =
			(unsigned)llround((double)restart->step / input.period);
		r = sets_newest(app, &input, &newest, &found, err);
		if (r < 0)
			return r;
		if (r == 0 && newest > number)
			number = newest;
	}
	return input_restart(&input, number, err);
}

static int command(const struct adapter_app *app,
		   const struct checkpoint *restart,
		   const char *argv[ADAPTER_ARGS_MAX], char *text,
		   size_t text_size, struct error *err)
{
	size_t n = 0;

	for (; app->command[n]; n++) {
		if (n + 1 >= ADAPTER_ARGS_MAX)
			return error_set(err, -E2BIG,
					 "cm1: more than %d arguments",
					 ADAPTER_ARGS_MAX - 1);
		argv[n] = app->command[n];
	}
	argv[n] = NULL;
	return 0;
}

static enum save_kind save(const struct adapter_app *app, int *signo)
{
	*signo = 0;
	return SAVE_WATCH;
}

static uint64_t next(const struct adapter_app *app, uint64_t step)
{
	CLEANUP(input_fini) struct input input = {.text = NULL};
	double number;

	if (load(&input, app, NULL) < 0)
		return 0;
	number = floor((double)step / input.period) + 1;
	/* a step is rounded, and a checkpoint of it not its own next one */
	if (step_of(&input, number) <= step)
		number++;
	return step_of(&input, number);
}

static int checkpoint(const struct adapter_app *app, struct checkpoint *out,
		      struct error *err)
{
	CLEANUP(input_fini) struct input input = {.text = NULL};
	unsigned number;
	int r = load(&input, app, err);

	if (r == 0)
		r = sets_newest(app, &input, &number, out, err);
	if (r == 0)
		out->step = step_of(&input, number);
	return r;
}

static int files(const struct adapter_app *app, const struct checkpoint *of,
		 int (*each)(void *user, const char *name), void *user,
		 struct error *err)
{
	CLEANUP(input_fini) struct input input = {.text = NULL};
	int r = load(&input, app, err);

	if (r < 0 || !of)
		return r;
	return sets_files((unsigned)llround((double)of->step / input.period),
			  each, user);
}

/* Of timeformat 1 to 4, in milliseconds. */
static const struct {
	const char *name;
	double ms;
} units[] = {
	{"sec", 1e3},
	{"min", 60e3},
	{"hour", 3600e3},
	{"day", 86400e3},
};

/* A model time, and by how much it may be off. */
struct shown_time {
	double ms, blur;
};

/* "<nstep> <time> <unit>": a number of single precision with six decimals */
static bool read_time(const char *line, struct shown_time *out)
{
	char unit[6];
	double time;
	int end = 0;

	if (!isdigit((unsigned char)line[0]) ||
	    sscanf(line, "%*[0-9]%*[ \t]%lf %5[a-z]%n", &time, unit, &end) != 2)
		return false;
	line += end;
	if (line[strspn(line, " \t\r")] != '\0' || !(time >= 0 && time < 1e12))
		return false;
	for (size_t i = 0; i < LENGTH(units); i++)
		if (strcmp(unit, units[i].name) == 0) {
			out->ms = time * units[i].ms;
			out->blur =
				0.5e-6 * units[i].ms + out->ms * FLT_EPSILON;
			return true;
		}
	return false;
}

/* CM1 writes restart files up to a tenth of a step before they are due.  So a
 * time that may be a checkpoint's is taken for it: it would else look as if it
 * were before the checkpoint. */
static uint64_t step_at(const struct input *input,
			const struct shown_time *time)
{
	double number = round(time->ms / input->period);
	double off = fabs(time->ms - number * input->period);

	return off <= time->blur + 0.1 * input->time_step
		       ? step_of(input, number)
		       : (uint64_t)llround(time->ms);
}

static bool says_end(const struct adapter_app *app)
{
	return true;
}

static enum line_kind on_line(const struct adapter_app *app, const char *line,
			      struct line_facts *facts)
{
	static const char restart[] = "This is a restart.";
	static const char last[] = "Program terminated normally";
	CLEANUP(input_fini) struct input input = {.text = NULL};
	struct shown_time time;

	line += strspn(line, " \t");
	if (strncmp(line, restart, sizeof(restart) - 1) == 0)
		return LINE_RESUMED;
	if (strncmp(line, last, sizeof(last) - 1) == 0)
		return LINE_FINISHED;
	if (!read_time(line, &time))
		return LINE_OTHER;
	facts->step = (uint64_t)llround(time.ms);
	if (load(&input, app, NULL) == 0) {
		facts->step = step_at(&input, &time);
		facts->total = (uint64_t)llround(input.end);
	}
	return LINE_PROGRESS;
}

const struct adapter adapter_cm1 = {
	.abi = ADAPTER_ABI,
	.name = "cm1",
	.unit = "ms of model time",
	.has_settings = true,
	.writes_itself = true,
	.former = FORMER_STAYS,
	.says_end = says_end,
	.check = check,
	.mend = mend,
	.accepts = accepts,
	.rehearse = rehearse,
	.prepare = prepare,
	.command = command,
	.save = save,
	.next = next,
	.checkpoint = checkpoint,
	.files = files,
	.on_line = on_line,
};
