/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/lammps/newest.h"

#include "base/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void folder_close(DIR *dir)
{
	if (dir)
		closedir(dir);
}

DEFINE_CLEANUP(DIR, folder_close)

/* 0, 1 if it is not there, or -errno: what is damaged is an error too. */
static int read_one(struct restart_file *out, const char *dir, const char *name,
		    struct error *err)
{
	char path[PATH_MAX];
	int r;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >=
	    (int)sizeof(path))
		return error_set(err, -ENAMETOOLONG,
				 "the path of restart file %s is too long",
				 name);
	r = restart_read(out, path, err);
	return r == -ENOENT ? 1 : r;
}

/* ---- names by step ---- */

static int read_step(struct restart_file *out, const char *dir,
		     const struct names *names, uint64_t step,
		     struct error *err)
{
	char name[NAMES_ROOM];
	int r;

	names_of_step(names, step, name);
	r = read_one(out, dir, name, err);
	if (r == 0 && out->step != step)
		return error_set(err, -EBADMSG,
				 "restart file %s/%s is damaged, or was "
				 "renamed: it says that it is of step %" PRIu64,
				 dir, name, out->step);
	return r;
}

/* The largest step below bound that a name tells: 0, 1 if there is none, or
 * -errno. */
static int largest(DIR *dir, const struct names *names, uint64_t bound,
		   uint64_t *out)
{
	const struct dirent *at;
	bool found = false;
	uint64_t step;

	rewinddir(dir);
	while (errno = 0, (at = readdir(dir)))
		if (names_match(names, at->d_name, &step) && step < bound &&
		    (!found || step > *out)) {
			*out = step;
			found = true;
		}
	if (errno != 0)
		return -errno;
	return found ? 0 : 1;
}

/* A file that cannot be read now may be whole, and the newest, later. */
static bool is_unread(int r)
{
	return r < 0 && r != -EBADMSG;
}

static int find_by_step(struct restart_file *out, const char *path, DIR *dir,
			const struct names *names, struct error *err)
{
	uint64_t step = UINT64_MAX;
	struct error later;
	int r, first = 1;

	while ((r = largest(dir, names, step, &step)) == 0) {
		r = read_step(out, path, names, step, &later);
		if (r == 0)
			return 0;
		if (first == 1 || is_unread(r)) {
			first = r;
			if (r < 0)
				error_set(err, r, "%s", later.text);
		}
		if (is_unread(r))
			return r;
	}
	if (r < 0)
		return error_set(err, r, "cannot read %s: %s", path,
				 strerror(-r));
	return first;
}

/* ---- two in turn ---- */

static bool is_newer(const struct restart_file *a, const struct restart_file *b)
{
	return a->step != b->step ? a->step > b->step : a->changed > b->changed;
}

/* name: which of the two it is. */
static int find_of_two(struct restart_file *out, const char **name,
		       const char *dir, const struct names *names,
		       struct error *err)
{
	struct restart_file one, two;
	struct error later;
	int r = read_one(&one, dir, names->one, err);
	int s = read_one(&two, dir, names->two, r < 0 ? &later : err);
	bool second = s == 0 && (r != 0 || is_newer(&two, &one));

	if (is_unread(s) && !is_unread(r) && r < 0)
		error_set(err, s, "%s", later.text);
	if (is_unread(r) || is_unread(s))
		return is_unread(r) ? r : s;
	if (r != 0 && s != 0)
		return r < 0 ? r : s;
	*out = second ? two : one;
	*name = second ? names->two : names->one;
	return 0;
}

/* ---- either ---- */

int newest_find(struct restart_file *out, const char *dir,
		const struct names *names, struct error *err)
{
	CLEANUP(folder_close) DIR *folder = opendir(dir);
	const char *name;

	if (!folder)
		return error_errno(err, "cannot read %s", dir);
	if (names->by_step)
		return find_by_step(out, dir, folder, names, err);
	return find_of_two(out, &name, dir, names, err);
}

int newest_name(char name[NAMES_ROOM], const char *dir,
		const struct names *names, uint64_t step, struct error *err)
{
	struct restart_file file;
	const char *which = NULL;
	int r;

	if (names->by_step) {
		names_of_step(names, step, name);
		r = read_step(&file, dir, names, step, err);
	} else {
		r = find_of_two(&file, &which, dir, names, err);
		if (r == 0)
			strcpy(name, which);
	}
	if (r < 0)
		return r;
	if (r > 0 || file.step != step)
		return error_set(err, -ENOENT,
				 "the restart file of step %" PRIu64
				 " is gone from %s",
				 step, dir);
	return 0;
}
