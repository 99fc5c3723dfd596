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

static int read_count(const struct namelist *list, const char *group,
		      const char *key, unsigned *out, struct error *err)
{
	double number;
	unsigned line;
	int r = namelist_number(list, group, key, &number, &line, err);

	if (r != 0)
		return r < 0 ? r : 0;
	if (number < 1 || number > COUNT_MAX || number != floor(number))
		return error_set(err, -EINVAL,
				 "%s:%u: %s is %g; a whole number from 1 to %d",
				 list->path, line, key, number, COUNT_MAX);
	*out = (unsigned)number;
	return 0;
}

static int read_grid(struct input *input, const struct namelist *list,
		     struct error *err)
{
	const struct {
		const char *key;
		unsigned *to;
	} counts[] = {
		{"nx", &input->nx},
		{"ny", &input->ny},
		{"nz", &input->nz},
		{"ppnode", &input->ppnode},
	};

	for (size_t i = 0; i < LENGTH(counts); i++) {
		int r = read_count(list, "param0", counts[i].key, counts[i].to,
				   err);

		if (r < 0)
			return r;
	}
	return 0;
}

static int read_period(struct input *input, const struct namelist *list,
		       struct error *err)
{
	double seconds;
	unsigned line;
	int r = namelist_number(list, "param1", "rstfrq", &seconds, &line, err);

	if (r < 0)
		return r;
	if (r > 0)
		return error_set(err, -EINVAL,
				 "%s: &param1 has no rstfrq, so CM1 writes no "
				 "restart files; seconds of model time from "
				 "one to the next, as rstfrq = 600.0",
				 list->path);
	if (seconds < 1e-3)
		return error_set(err, -EINVAL,
				 "%s:%u: rstfrq is %g, so CM1 writes no "
				 "restart files; seconds of model time from "
				 "one to the next, as rstfrq = 600.0",
				 list->path, line, seconds);
	if (seconds > 1e12)
		return error_set(err, -EINVAL,
				 "%s:%u: rstfrq is %g; at most 1e12",
				 list->path, line, seconds);
	input->period = seconds * 1e3;
	return 0;
}

static int read_end(struct input *input, const struct namelist *list,
		    struct error *err)
{
	double seconds;
	unsigned line;
	int r = namelist_number(list, "param1", "run_time", &seconds, &line,
				err);

	if (r == 0 && seconds > 0)
		return error_set(err, -EINVAL,
				 "%s:%u: run_time is %g, which CM1 counts anew "
				 "from each restart; the end as timax, and "
				 "run_time = -999.9",
				 list->path, line, seconds);
	if (r >= 0)
		r = namelist_number(list, "param1", "timax", &seconds, &line,
				    err);
	if (r == 0 && (seconds < 0 || seconds > 1e12))
		return error_set(err, -EINVAL,
				 "%s:%u: timax is %g; from 0 to 1e12",
				 list->path, line, seconds);
	if (r == 0)
		input->end = seconds * 1e3;
	return r < 0 ? r : 0;
}

/* One file for each kind of variable and time, as plain binary. */
static int check_files(const struct namelist *list, struct error *err)
{
	double format = 1, type = 2;
	unsigned line, type_line;
	int r = namelist_number(list, "param16", "restart_format", &format,
				&line, err);

	if (r >= 0)
		r = namelist_number(list, "param16", "restart_filetype", &type,
				    &type_line, err);
	if (r < 0)
		return r;
	if (format != 1)
		return error_set(err, -EINVAL,
				 "%s:%u: restart_format is %g; only binary "
				 "files are understood: restart_format = 1",
				 list->path, line, format);
	if (type == 2)
		return 0;
	return error_set(err, -EINVAL,
			 "%s:%u: restart_filetype is %g%s; "
			 "restart_filetype = 2",
			 list->path, type_line, type,
			 type == 3   ? ", one file for each rank, from which "
				       "other numbers of ranks cannot go on"
			 : type == 1 ? ", so that each restart is written over "
				       "the one before"
				     : "");
}

int input_load(struct input *input, const struct adapter_app *app,
	       struct error *err)
{
	struct namelist list;
	int r;

	*input = (struct input){.ppnode = 1};
	r = find_path(input, app, err);
	if (r == 0)
		r = read_file(input, err);
	if (r < 0)
		return r;
	list = list_of(input);
	r = read_grid(input, &list, err);
	if (r == 0)
		r = read_period(input, &list, err);
	if (r == 0)
		r = read_end(input, &list, err);
	return r == 0 ? check_files(&list, err) : r;
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
