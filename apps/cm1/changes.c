/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/cm1/changes.h"

#include "apps/cm1/patch.h"
#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Frequencies are numbers of seconds from a text, steps of single precision. */
#define CLOSE_TO 1e-6

static void add(struct changes *changes, enum input_key key, const char *value,
		const char *why, ...) __attribute__((format(printf, 4, 5)));

static void add(struct changes *changes, enum input_key key, const char *value,
		const char *why, ...)
{
	struct input_edit *edit = &changes->edit[changes->n];
	va_list ap;

	edit->key = key;
	snprintf(edit->value, sizeof(edit->value), "%s", value);
	va_start(ap, why);
	vsnprintf(changes->why[changes->n++], sizeof(changes->why[0]), why, ap);
	va_end(ap);
}

static const char *seconds(char text[24], double number)
{
	snprintf(text, 24, number == floor(number) ? "%.1f" : "%.9g", number);
	return text;
}

/* ---- kinds of restart files ---- */

static void look_at_files(struct changes *changes, const struct input *input)
{
	double format = input->value[INPUT_RESTART_FORMAT];
	double type = input->value[INPUT_RESTART_FILETYPE];

	if (format != 1)
		add(changes, INPUT_RESTART_FORMAT, "1",
		    "restart_format is %g, and only binary files (1) are "
		    "understood",
		    format);
	if (type == 3)
		add(changes, INPUT_RESTART_FILETYPE, "2",
		    "restart_filetype is 3, one file for each node, from which "
		    "other numbers of ranks cannot go on");
	else if (type != 2)
		add(changes, INPUT_RESTART_FILETYPE, "2",
		    "restart_filetype is %g, and a set of files for each "
		    "restart (2) is needed",
		    type);
}

/* ---- the end ---- */

static void look_at_end(struct changes *changes, const struct input *input)
{
	double run_time = input->value[INPUT_RUN_TIME];
	char text[24];

	if (run_time <= 0)
		return;
	add(changes, INPUT_RUN_TIME, "-999.9",
	    "run_time is %g, which CM1 counts anew from each restart",
	    run_time);
	if (input->value[INPUT_TIMAX] != run_time)
		add(changes, INPUT_TIMAX, seconds(text, run_time),
		    "timax is %g, and is the end when run_time is not",
		    input->value[INPUT_TIMAX]);
}

/* ---- clocks ---- */

/* What a restart must be at a whole multiple of, and why. */
struct clocks {
	struct {
		const char *name;
		double every;
		const char *why;
	} at[4];
	size_t n;
};

static void add_clock(struct clocks *clocks, const char *name, double every,
		      const char *why)
{
	if (every < CLOSE_TO) /* at each step */
		return;
	clocks->at[clocks->n].name = name;
	clocks->at[clocks->n].every = every;
	clocks->at[clocks->n++].why = why;
}

static struct clocks clocks_of(const struct input *input)
{
	static const char counts[] = "CM1 counts that from each restart";
	const double *value = input->value;
	struct clocks clocks = {.n = 0};

	if (value[INPUT_DODOMAINDIAG] != 0)
		add_clock(&clocks, "diagfrq", value[INPUT_DIAGFRQ], counts);
	else if (value[INPUT_DO_LSNUDGE] != 0) /* turns it on */
		add_clock(&clocks, "tapfrq", value[INPUT_TAPFRQ], counts);
	if (value[INPUT_DOAZIMAVG] != 0)
		add_clock(&clocks, "azimavgfrq", value[INPUT_AZIMAVGFRQ],
			  counts);
	if (value[INPUT_ADAPT_DT] != 1 &&
	    (clocks.n > 0 ||
	     (input->reset && strcmp(input->reset, "true") == 0)))
		add_clock(&clocks, "dtl", value[INPUT_DTL],
			  "a restart is behind its time, and what CM1 counts "
			  "from it");
	add_clock(&clocks, "statfrq", value[INPUT_STATFRQ],
		  "CM1 writes over the last statistics at each restart");
	return clocks;
}

static bool is_multiple(double number, double of)
{
	double times = number / of;

	return times > 0.5 && fabs(times - round(times)) <= CLOSE_TO * times;
}

/* The first that number is no multiple of; n if there is none. */
static size_t first_off(const struct clocks *clocks, double number)
{
	size_t i = 0;

	while (i < clocks->n && is_multiple(number, clocks->at[i].every))
		i++;
	return i;
}

/* At least wanted, and a multiple of all if there is one near; or else of the
 * longest. */
static double next_multiple(const struct clocks *clocks, double wanted)
{
	enum { TRIES = 100000 };
	double step = 0, first;

	for (size_t i = 0; i < clocks->n; i++)
		step = fmax(step, clocks->at[i].every);
	if (step == 0)
		return wanted;
	first = ceil(wanted / step - CLOSE_TO) * step;
	for (int i = 0; i < TRIES; i++)
		if (first_off(clocks, first + i * step) == clocks->n)
			return first + i * step;
	return first;
}

static void look_at_period(struct changes *changes, const struct input *input)
{
	const double *value = input->value;
	struct clocks clocks = clocks_of(input);
	double now = value[INPUT_RSTFRQ];
	size_t off = first_off(&clocks, now);
	char text[24];

	if (now < 1e-3) {
		now = value[INPUT_TAPFRQ] > 0 ? value[INPUT_TAPFRQ] : 600;
		add(changes, INPUT_RSTFRQ,
		    seconds(text, next_multiple(&clocks, now)),
		    "rstfrq is %g, so that CM1 writes no restart files",
		    value[INPUT_RSTFRQ]);
	} else if (off < clocks.n) {
		add(changes, INPUT_RSTFRQ,
		    seconds(text, next_multiple(&clocks, now)),
		    "rstfrq is %g, which is no multiple of %s = %g, and %s",
		    now, clocks.at[off].name, clocks.at[off].every,
		    clocks.at[off].why);
	}
}

static void look_at_reset(struct changes *changes, const struct input *input)
{
	if (input->value[INPUT_RESET_FRQTIM] == 0 || input->reset)
		return;
	add(changes, INPUT_RESET_FRQTIM, ".false.",
	    "restart_reset_frqtim is .true., so that CM1 counts tapfrq, "
	    "statfrq and rstfrq from each restart, and output is lost "
	    "(settings: {restart_reset_frqtim: false} has .false. written "
	    "before starts)");
}

void changes_find(const struct input *input, struct changes *out)
{
	out->n = 0;
	look_at_period(out, input);
	look_at_end(out, input);
	look_at_files(out, input);
	look_at_reset(out, input);
}

/* "<path>:<line>: <why>; <key> = <value>" */
static void describe(const struct input *input, const struct changes *changes,
		     size_t i, struct error *out)
{
	const struct input_edit *edit = &changes->edit[i];
	unsigned line = input->line[edit->key];
	const char *key, *group;
	char place[64];

	input_name(edit->key, &group, &key);
	if (line != 0)
		snprintf(place, sizeof(place), "%u", line);
	else
		snprintf(place, sizeof(place), " &%s does not say %s", group,
			 key);
	error_describe(out, "%s:%s: %s; %s = %s", input->path, place,
		       changes->why[i], key, edit->value);
}

int changes_refuse(const struct input *input, const struct changes *changes,
		   struct error *err)
{
	struct error first;

	if (changes->n == 0)
		return 0;
	describe(input, changes, 0, &first);
	if (changes->n == 1)
		return error_set(err, -EINVAL, "%s", first.text);
	return error_set(err, -EINVAL,
			 "%s (the first of %zu changes, which 'bellows "
			 "validate' prints as a patch)",
			 first.text, changes->n);
}

void changes_print(const struct input *input, const struct changes *changes,
		   FILE *to)
{
	CLEANUP(free) char *text = NULL;
	struct error err;
	size_t size;

	for (size_t i = 0; i < changes->n; i++) {
		describe(input, changes, i, &err);
		fprintf(to, "# %s\n", err.text);
	}
	if (changes->n == 0)
		return;
	if (input_edited(input, changes->edit, changes->n, &text, &size, &err) <
	    0)
		fprintf(to, "# %s\n", err.text);
	else
		patch_print(to, "namelist.input", input->text, text);
}
