/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the namelist has to say for checkpoints that another number of ranks can
 * go on from (README.namelist of CM1)
 */

#include "apps/cm1/input.h"
#include "apps/cm1/replace.h"
#include "base/cleanup.h"
#include "base/list.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

enum { SIZE_MAX_BYTES = 1 << 20, COUNT_MAX = 1000000 };

static struct namelist list_of(const struct input *input)
{
	return (struct namelist){input->path, input->text, input->size};
}

/* ---- the file ---- */

/* CM1 opens that name in the folder where it runs, and no other. */
static int find_path(struct input *input, const struct adapter_app *app,
		     struct error *err)
{
	int n = snprintf(input->path, sizeof(input->path), "%s/namelist.input",
			 app->dir);

	if (n < 0 || (size_t)n >= sizeof(input->path))
		return error_set(err, -ENAMETOOLONG,
				 "cm1: the path of the namelist is too long");
	return 0;
}

static int open_file(const char *path, size_t *size, struct error *err)
{
	CLEANUP(close) int fd = -1;
	struct stat st;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return error_set(err, -ENOENT,
				 "there is no %s; CM1 reads it where it runs, "
				 "which is dir of the job file",
				 path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno(err, "cannot read %s", path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, -EINVAL, "%s is not a file", path);
	if (st.st_size > SIZE_MAX_BYTES)
		return error_set(err, -EFBIG,
				 "%s has %lld bytes; a namelist has at most %d",
				 path, (long long)st.st_size, SIZE_MAX_BYTES);
	*size = (size_t)st.st_size;
	return STEAL_FD(fd);
}

static int read_file(struct input *input, struct error *err)
{
	CLEANUP(close) int fd = -1;
	size_t size = 0, at = 0;

	fd = open_file(input->path, &size, err);
	if (fd < 0)
		return fd;
	input->text = malloc(size + 1);
	if (!input->text)
		return error_set(err, -ENOMEM, "out of memory");
	while (at < size) {
		ssize_t n = read(fd, input->text + at, size - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(err, "cannot read %s", input->path);
		if (n == 0)
			break;
		at += (size_t)n;
	}
	input->text[at] = '\0';
	input->size = at;
	return 0;
}

/* ---- what it says ---- */

/* What CM1 takes if a key is not given; of nx, ny and nz that is not known. */
static const struct {
	const char *group, *key;
	double otherwise;
	bool is_switch; /* .true. or .false.: 1 or 0 */
} keys[INPUT_KEYS] = {
	[INPUT_NX] = {"param0", "nx", 0},
	[INPUT_NY] = {"param0", "ny", 0},
	[INPUT_NZ] = {"param0", "nz", 0},
	[INPUT_PPNODE] = {"param0", "ppnode", 1},
	[INPUT_DTL] = {"param1", "dtl", 0},
	[INPUT_TIMAX] = {"param1", "timax", 0},
	[INPUT_RUN_TIME] = {"param1", "run_time", -999.9},
	[INPUT_TAPFRQ] = {"param1", "tapfrq", 0},
	[INPUT_STATFRQ] = {"param1", "statfrq", 0},
	[INPUT_RSTFRQ] = {"param1", "rstfrq", 0},
	[INPUT_ADAPT_DT] = {"param2", "adapt_dt", 0},
	[INPUT_AXISYMM] = {"param2", "axisymm", 0},
	[INPUT_PSOLVER] = {"param2", "psolver", 0},
	[INPUT_IRST] = {"param2", "irst", 0},
	[INPUT_RSTNUM] = {"param2", "rstnum", 0},
	[INPUT_OUTPUT_PDCOMP] = {"param9", "output_pdcomp", 0},
	[INPUT_DODOMAINDIAG] = {"param14", "dodomaindiag", 0, true},
	[INPUT_DIAGFRQ] = {"param14", "diagfrq", 0},
	[INPUT_DOAZIMAVG] = {"param15", "doazimavg", 0, true},
	[INPUT_AZIMAVGFRQ] = {"param15", "azimavgfrq", 0},
	[INPUT_RESTART_FORMAT] = {"param16", "restart_format", 1},
	[INPUT_RESTART_FILETYPE] = {"param16", "restart_filetype", 2},
	[INPUT_RESET_FRQTIM] = {"param16", "restart_reset_frqtim", 1, true},
	[INPUT_DO_LSNUDGE] = {"param19", "do_lsnudge", 0, true},
};

static int read_values(struct input *input, struct error *err)
{
	struct namelist_wanted wanted[INPUT_KEYS];
	struct namelist list = list_of(input);
	int r;

	for (int i = 0; i < INPUT_KEYS; i++) {
		wanted[i] = (struct namelist_wanted){.group = keys[i].group,
						     .key = keys[i].key};
		input->value[i] = keys[i].otherwise;
	}
	r = namelist_find(&list, wanted, INPUT_KEYS, err);
	for (int i = 0; r == 0 && i < INPUT_KEYS; i++) {
		if (!wanted[i].found)
			continue;
		input->line[i] = wanted[i].item.line;
		r = keys[i].is_switch ? namelist_switch(&list, &wanted[i].item,
							&input->value[i], err)
				      : namelist_number(&list, &wanted[i].item,
							&input->value[i], err);
	}
	return r;
}

int input_refuse(const struct input *input, enum input_key key,
		 struct error *err, const char *wrong, ...)
{
	struct error text;
	va_list ap;

	va_start(ap, wrong);
	vsnprintf(text.text, sizeof(text.text), wrong, ap);
	va_end(ap);
	return error_set(err, -EINVAL, "%s:%u: %s is %g%s", input->path,
			 input->line[key], keys[key].key, input->value[key],
			 text.text);
}

static int read_count(const struct input *input, enum input_key key,
		      unsigned *out, struct error *err)
{
	double number = input->value[key];

	if (input->line[key] != 0 &&
	    (number < 1 || number > COUNT_MAX || number != floor(number)))
		return input_refuse(input, key, err,
				    "; a whole number from 1 to %d", COUNT_MAX);
	*out = (unsigned)number;
	return 0;
}

static int read_grid(struct input *input, struct error *err)
{
	const struct {
		enum input_key key;
		unsigned *to;
	} counts[] = {
		{INPUT_NX, &input->nx},
		{INPUT_NY, &input->ny},
		{INPUT_NZ, &input->nz},
		{INPUT_PPNODE, &input->ppnode},
	};

	for (size_t i = 0; i < LENGTH(counts); i++) {
		int r = read_count(input, counts[i].key, counts[i].to, err);

		if (r < 0)
			return r;
	}
	return 0;
}

static int read_time(const struct input *input, enum input_key key, double *ms,
		     struct error *err)
{
	if (input->value[key] > 1e12)
		return input_refuse(input, key, err, "; at most 1e12");
	*ms = fmax(input->value[key], 0) * 1e3;
	return 0;
}

static int read_times(struct input *input, struct error *err)
{
	int r = read_time(input, INPUT_RSTFRQ, &input->period, err);

	if (r == 0)
		r = read_time(input, INPUT_TIMAX, &input->end, err);
	if (r == 0)
		r = read_time(input, INPUT_DTL, &input->time_step, err);
	return r;
}

int input_load(struct input *input, const struct adapter_app *app,
	       struct error *err)
{
	int r;

	*input = (struct input){
		.reset = adapter_setting(app, "restart_reset_frqtim")};
	r = find_path(input, app, err);
	if (r == 0)
		r = read_file(input, err);
	if (r == 0)
		r = read_values(input, err);
	if (r == 0)
		r = read_grid(input, err);
	return r == 0 ? read_times(input, err) : r;
}

void input_fini(struct input *input)
{
	free(input->text);
	input->text = NULL;
}

void input_name(enum input_key key, const char **group, const char **name)
{
	*group = keys[key].group;
	*name = keys[key].key;
}

/* ---- to go on ---- */

int input_edited(const struct input *input, const struct input_edit *edits,
		 size_t n, char **out, size_t *size, struct error *err)
{
	CLEANUP(free) char *text = NULL;
	struct namelist list = list_of(input);

	for (size_t i = 0; i < n; i++) {
		char *next;
		int r = namelist_set(&list, keys[edits[i].key].group,
				     keys[edits[i].key].key, edits[i].value,
				     &next, &list.size, err);

		if (r < 0)
			return r;
		free(text);
		list.text = text = next;
	}
	*out = STEAL(text);
	*size = list.size;
	return 0;
}

/* irst is a switch, and rstnum the number: CM1 takes any irst that is not 0 for
 * 1, and goes on from the rstnum that is there. */
static int edit(const struct input *input, unsigned number, char **out,
		size_t *size, struct error *err)
{
	struct input_edit edits[3];
	size_t n = 0;

	edits[n++] = (struct input_edit){INPUT_IRST, {number > 0 ? '1' : '0'}};
	if (number > 0) {
		edits[n].key = INPUT_RSTNUM;
		snprintf(edits[n++].value, sizeof(edits->value), "%u", number);
	}
	if (input->reset && strcmp(input->reset, "false") == 0 &&
	    input->value[INPUT_RESET_FRQTIM] != 0)
		edits[n++] = (struct input_edit){INPUT_RESET_FRQTIM, ".false."};
	return input_edited(input, edits, n, out, size, err);
}

int input_can_restart(const struct input *input, struct error *err)
{
	CLEANUP(free) char *text = NULL;
	size_t size;

	return edit(input, 1, &text, &size, err);
}

int input_rehearse(const struct input *input, struct error *err)
{
	return replace_file(input->path, input->text, input->size, err);
}

int input_restart(const struct input *input, unsigned number, struct error *err)
{
	CLEANUP(free) char *text = NULL;
	size_t size;
	int r = edit(input, number, &text, &size, err);

	if (r < 0)
		return r;
	if (size == input->size && memcmp(text, input->text, size) == 0)
		return 0;
	return replace_file(input->path, text, size, err);
}
