/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the namelist has to say for checkpoints that another number of ranks can
 * go on from (README.namelist of CM1, param1, param2 and param16)
 */

#include "apps/cm1/input.h"
#include "apps/cm1/replace.h"
#include "base/cleanup.h"
#include "base/list.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { SIZE_MAX_BYTES = 1 << 20, COUNT_MAX = 1000000 };

static struct namelist list_of(const struct input *input)
{
	return (struct namelist){input->path, input->text, input->size};
}

/* ---- the file ---- */

static int find_path(struct input *input, const struct adapter_app *app,
		     struct error *err)
{
	const char *name = adapter_setting(app, "namelist");
	int n;

	if (!name)
		name = "namelist.input";
	n = snprintf(input->path, sizeof(input->path), "%s%s%s",
		     name[0] == '/' ? "" : app->dir, name[0] == '/' ? "" : "/",
		     name);
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
				 "there is no %s; CM1's namelist, or settings: "
				 "{namelist: its name}",
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
} keys[INPUT_KEYS] = {
	[INPUT_NX] = {"param0", "nx", 0},
	[INPUT_NY] = {"param0", "ny", 0},
	[INPUT_NZ] = {"param0", "nz", 0},
	[INPUT_PPNODE] = {"param0", "ppnode", 1},
	[INPUT_DTL] = {"param1", "dtl", 0},
	[INPUT_TIMAX] = {"param1", "timax", 0},
	[INPUT_RUN_TIME] = {"param1", "run_time", -999.9},
	[INPUT_RSTFRQ] = {"param1", "rstfrq", -3600},
	[INPUT_RESTART_FORMAT] = {"param16", "restart_format", 1},
	[INPUT_RESTART_FILETYPE] = {"param16", "restart_filetype", 2},
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
		r = namelist_number(&list, &wanted[i].item, &input->value[i],
				    err);
	}
	return r;
}

/* "<path>:<line>: <key> is <value><what is wrong>"; -EINVAL. */
static int refuse(const struct input *input, enum input_key key,
		  const char *wrong, struct error *err)
{
	return error_set(err, -EINVAL, "%s:%u: %s is %g%s", input->path,
			 input->line[key], keys[key].key, input->value[key],
			 wrong);
}

static int read_count(const struct input *input, enum input_key key,
		      unsigned *out, struct error *err)
{
	double number = input->value[key];

	if (input->line[key] != 0 &&
	    (number < 1 || number > COUNT_MAX || number != floor(number)))
		return refuse(input, key, "; a whole number from 1 to 1000000",
			      err);
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

static int read_period(struct input *input, struct error *err)
{
	double seconds = input->value[INPUT_RSTFRQ];

	if (input->line[INPUT_RSTFRQ] == 0)
		return error_set(err, -EINVAL,
				 "%s: &param1 has no rstfrq, so CM1 writes no "
				 "restart files; seconds of model time from "
				 "one to the next, as rstfrq = 600.0",
				 input->path);
	if (seconds < 1e-3)
		return refuse(input, INPUT_RSTFRQ,
			      ", so CM1 writes no restart files; seconds of "
			      "model time from one to the next, as rstfrq = "
			      "600.0",
			      err);
	if (seconds > 1e12)
		return refuse(input, INPUT_RSTFRQ, "; at most 1e12", err);
	input->period = seconds * 1e3;
	return 0;
}

static int read_times(struct input *input, struct error *err)
{
	double seconds = input->value[INPUT_TIMAX];

	if (input->value[INPUT_RUN_TIME] > 0)
		return refuse(input, INPUT_RUN_TIME,
			      ", which CM1 counts anew from each restart; the "
			      "end as timax, and run_time = -999.9",
			      err);
	if (seconds < 0 || seconds > 1e12)
		return refuse(input, INPUT_TIMAX, "; from 0 to 1e12", err);
	input->end = seconds * 1e3;
	input->time_step = fmin(fmax(input->value[INPUT_DTL], 0), 1e9) * 1e3;
	return 0;
}

/* One file for each kind of variable and time, as plain binary. */
static int check_files(const struct input *input, struct error *err)
{
	double type = input->value[INPUT_RESTART_FILETYPE];

	if (input->value[INPUT_RESTART_FORMAT] != 1)
		return refuse(input, INPUT_RESTART_FORMAT,
			      "; only binary files are understood: "
			      "restart_format = 1",
			      err);
	if (type == 2)
		return 0;
	return refuse(input, INPUT_RESTART_FILETYPE,
		      type == 3   ? ", one file for each rank, from which "
				    "other numbers of ranks cannot go on; "
				    "restart_filetype = 2"
		      : type == 1 ? ", so that each restart is written over "
				    "the one before; restart_filetype = 2"
				  : "; restart_filetype = 2",
		      err);
}

int input_load(struct input *input, const struct adapter_app *app,
	       struct error *err)
{
	int r;

	*input = (struct input){.text = NULL};
	r = find_path(input, app, err);
	if (r == 0)
		r = read_file(input, err);
	if (r == 0)
		r = read_values(input, err);
	if (r == 0)
		r = read_grid(input, err);
	if (r == 0)
		r = read_period(input, err);
	if (r == 0)
		r = read_times(input, err);
	return r == 0 ? check_files(input, err) : r;
}

void input_fini(struct input *input)
{
	free(input->text);
	input->text = NULL;
}

/* ---- to go on ---- */

/* irst is a switch, and rstnum the number: CM1 takes any irst that is not 0 for
 * 1, and goes on from the rstnum that is there. */
static int edit(const struct input *input, unsigned number, char **out,
		size_t *size, struct error *err)
{
	CLEANUP(free) char *once = NULL;
	struct namelist list = list_of(input);
	char text[16];
	int r;

	snprintf(text, sizeof(text), "%u", number);
	r = namelist_set(&list, "param2", "irst", number > 0 ? "1" : "0", &once,
			 size, err);
	if (r < 0)
		return r;
	if (number == 0) {
		*out = STEAL(once);
		return 0;
	}
	list.text = once;
	list.size = *size;
	return namelist_set(&list, "param2", "rstnum", text, out, size, err);
}

int input_can_restart(const struct input *input, struct error *err)
{
	CLEANUP(free) char *text = NULL;
	size_t size;

	return edit(input, 1, &text, &size, err);
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
