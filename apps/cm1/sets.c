/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/cm1/sets.h"
#include "base/array.h"
#include "base/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { PARTS = 5, WORD = 4, DIGITS = 6 };

static const char parts[] = "xsuvw";

/* A set as it is on the disk. */
struct set {
	unsigned number;
	bool whole; /* all five are there, and as large as the grid wants */
	uint64_t size[PARTS];
	uint64_t mark;
};

struct numbers {
	unsigned *at;
	size_t n, room;
};

static void numbers_fini_at(struct numbers *numbers)
{
	free(numbers->at);
}

/* ---- which there are ---- */

/* 0: the name is not that of a set's first file. */
static unsigned number_of(const char *name)
{
	static const char head[] = "cm1rst_", tail[] = "_x.dat";
	unsigned number = 0;

	if (strncmp(name, head, strlen(head)) != 0)
		return 0;
	name += strlen(head);
	for (int i = 0; i < DIGITS; i++, name++) {
		if (*name < '0' || *name > '9')
			return 0;
		number = number * 10 + (unsigned)(*name - '0');
	}
	return strcmp(name, tail) == 0 ? number : 0;
}

static int add(struct numbers *numbers, unsigned number)
{
	int r = ARRAY_RESERVE(numbers->at, numbers->n, numbers->room);

	if (r == 0)
		numbers->at[numbers->n++] = number;
	return r;
}

static int newest_first(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x < y) - (x > y);
}

static int list_numbers(struct numbers *numbers, DIR *dir)
{
	const struct dirent *entry;

	errno = 0;
	while ((entry = readdir(dir)) != NULL) {
		unsigned number = number_of(entry->d_name);

		if (number > 0 && add(numbers, number) < 0)
			return -ENOMEM;
		errno = 0;
	}
	if (errno != 0)
		return -errno;
	if (numbers->n > 0)
		qsort(numbers->at, numbers->n, sizeof(*numbers->at),
		      newest_first);
	return 0;
}

/* ---- what they are ---- */

/* Single precision, level by level; w lies between the levels. */
static bool fits_grid(const struct input *input, int part, uint64_t size)
{
	uint64_t nx = input->nx + (parts[part] == 'u');
	uint64_t ny = input->ny + (parts[part] == 'v');
	uint64_t nz = input->nz + (parts[part] == 'w');

	if (size == 0)
		return false;
	if (parts[part] == 'x' || input->nx == 0 || input->ny == 0 ||
	    input->nz == 0)
		return true;
	return size % (WORD * nx * ny) == 0 && size >= WORD * nx * ny * nz;
}

static void put_name(char *name, size_t n, unsigned number, int part)
{
	snprintf(name, n, "cm1rst_%06u_%c.dat", number, parts[part]);
}

static void add_mark(uint64_t *mark, uint64_t word)
{
	*mark = (*mark ^ word) * UINT64_C(0x100000001b3); /* FNV-1a, by words */
}

static int look(struct set *set, const struct input *input, int dir,
		unsigned number, struct error *err)
{
	*set = (struct set){.number = number,
			    .whole = true,
			    .mark = UINT64_C(0xcbf29ce484222325)};
	add_mark(&set->mark, number);
	for (int i = 0; i < PARTS; i++) {
		struct stat st = {0};
		char name[32];

		put_name(name, sizeof(name), number, i);
		if (fstatat(dir, name, &st, 0) < 0 && errno != ENOENT)
			return error_errno(err, "cannot read %s", name);
		set->size[i] = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
		set->whole &= fits_grid(input, i, set->size[i]);
		add_mark(&set->mark, set->size[i]);
		add_mark(&set->mark, (uint64_t)st.st_mtim.tv_sec);
		add_mark(&set->mark, (uint64_t)st.st_mtim.tv_nsec);
	}
	return 0;
}

static bool is_smaller(const struct set *set, const struct set *before)
{
	for (int i = 0; i < PARTS; i++)
		if (set->size[i] < before->size[i])
			return true;
	return false;
}

/* The newest that is whole, and not smaller than the next one that is. */
static int find(struct set *out, const struct numbers *numbers,
		const struct input *input, int dir, struct error *err)
{
	bool found = false;

	for (size_t i = 0; i < numbers->n; i++) {
		struct set set;
		int r = look(&set, input, dir, numbers->at[i], err);

		if (r < 0)
			return r;
		if (!set.whole)
			continue;
		if (found && !is_smaller(out, &set))
			return 0;
		*out = set;
		found = true;
	}
	return !found;
}

int sets_files(unsigned number, int (*each)(void *user, const char *name),
	       void *user)
{
	char name[32];
	int r = 0;

	for (int i = 0; r == 0 && i < PARTS; i++) {
		put_name(name, sizeof(name), number, i);
		r = each(user, name);
	}
	return r;
}

int sets_newest(const struct adapter_app *app, const struct input *input,
		unsigned *number, struct checkpoint *out, struct error *err)
{
	CLEANUP(closedir) DIR *dir = opendir(app->checkpoint_dir);
	CLEANUP(numbers_fini) struct numbers numbers = {0};
	struct set set;
	int r;

	if (!dir)
		return error_errno(err, "cannot read %s", app->checkpoint_dir);
	r = list_numbers(&numbers, dir);
	if (r < 0)
		return error_set(err, r, "cannot read %s: %s",
				 app->checkpoint_dir, strerror(-r));
	r = find(&set, &numbers, input, dirfd(dir), err);
	if (r != 0)
		return r < 0 ? error_wrap(err, r, "%s", app->checkpoint_dir)
			     : 1;
	*number = set.number;
	*out = (struct checkpoint){.mark = set.mark, .files = PARTS};
	for (int i = 0; i < PARTS; i++)
		out->bytes += set.size[i];
	return 0;
}
