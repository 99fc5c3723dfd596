/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/file_names.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

void names_fini(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->at[i]);
	free(names->at);
	*names = (struct names){0};
}

static bool leads_out(const char *name)
{
	if (*name == '/' || *name == '\0')
		return true;
	while (*name) {
		size_t n = strcspn(name, "/");

		if (n == 2 && strncmp(name, "..", 2) == 0)
			return true;
		name += n + (name[n] == '/');
	}
	return false;
}

int names_add(struct names *names, const char *name, struct error *err)
{
	if (leads_out(name))
		return error_set(err, -EINVAL,
				 "'%.80s' is not in the checkpoint directory",
				 name);
	if (ARRAY_RESERVE(names->at, names->n, names->room) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	names->at[names->n] = strdup(name);
	if (!names->at[names->n])
		return error_set(err, -ENOMEM, "out of memory");
	names->n++;
	return 0;
}

static void fts_close_at(FTS **fts)
{
	if (*fts)
		fts_close(*fts);
}

int names_below(struct names *names, const char *dir, struct error *err)
{
	char path[PATH_MAX];
	char *roots[] = {path, NULL};
	CLEANUP(fts_close) FTS *fts = NULL;
	FTSENT *at;
	int r = 0;

	if (snprintf(path, sizeof(path), "%s", dir) >= (int)sizeof(path))
		return error_set(err, -ENAMETOOLONG, "%s: name too long", dir);
	if (access(dir, F_OK) < 0 && errno == ENOENT)
		return 0;
	fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	if (!fts)
		return error_errno(err, "%s", dir);
	while (r == 0 && (errno = 0, at = fts_read(fts)) != NULL) {
		if (at->fts_info == FTS_F)
			r = names_add(names, at->fts_path + strlen(dir) + 1,
				      err);
		if (at->fts_info == FTS_ERR || at->fts_info == FTS_DNR)
			r = error_set(err, -at->fts_errno, "%s: %s",
				      at->fts_path, strerror(at->fts_errno));
	}
	return r == 0 && errno != 0 ? error_errno(err, "%s", dir) : r;
}

/* ---- what is done with them ---- */

static int open_dir(const char *dir, struct error *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 ? fd : error_errno(err, "%s", dir);
}

static bool look(const char *dir, const char *name, struct stat *st)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", dir, name) <
		       (int)sizeof(path) &&
	       stat(path, st) == 0;
}

bool names_any(const struct names *names, const char *dir)
{
	struct stat st;

	for (size_t i = 0; i < names->n; i++)
		if (look(dir, names->at[i], &st))
			return true;
	return false;
}

static bool is_same(const char *dir, const char *other, const char *name)
{
	struct stat one, two;

	return look(dir, name, &one) && look(other, name, &two) &&
	       one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

bool names_shared(const struct names *names, const char *dir, const char *other)
{
	for (size_t i = 0; i < names->n; i++)
		if (is_same(dir, other, names->at[i]))
			return true;
	return false;
}

bool names_same(const struct names *names, const char *dir, const char *other)
{
	for (size_t i = 0; i < names->n; i++)
		if (!is_same(dir, other, names->at[i]))
			return false;
	return names->n > 0;
}

bool names_alike(const struct names *names, const char *dir, const char *other)
{
	struct stat one, two;

	for (size_t i = 0; i < names->n; i++)
		if (!look(dir, names->at[i], &one) ||
		    !look(other, names->at[i], &two) ||
		    one.st_ino == two.st_ino || one.st_size != two.st_size ||
		    one.st_mtim.tv_sec != two.st_mtim.tv_sec ||
		    one.st_mtim.tv_nsec != two.st_mtim.tv_nsec)
			return false;
	return names->n > 0;
}

static FILE *open_file(const char *dir, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", dir, name) <
			       (int)sizeof(path)
		       ? fopen(path, "re")
		       : NULL;
}

static bool has_same_bytes(const char *dir, const char *other, const char *name)
{
	CLEANUP(fclose) FILE *one = open_file(dir, name);
	CLEANUP(fclose) FILE *two = open_file(other, name);
	char a[16384], b[sizeof(a)];
	size_t n;

	if (!one || !two)
		return false;
	do {
		n = fread(a, 1, sizeof(a), one);
		if (fread(b, 1, sizeof(b), two) != n || memcmp(a, b, n) != 0)
			return false;
	} while (n > 0);
	return !ferror(one) && !ferror(two);
}

bool names_equal(const struct names *names, const char *dir, const char *other,
		 uint64_t most)
{
	uint64_t bytes = 0;
	struct stat st;

	for (size_t i = 0; i < names->n; i++)
		if (look(dir, names->at[i], &st))
			bytes += (uint64_t)st.st_size;
	if (bytes > most)
		return false;
	for (size_t i = 0; i < names->n; i++)
		if (!has_same_bytes(dir, other, names->at[i]))
			return false;
	return names->n > 0;
}

/* The folders that are in its name. */
static int make_folders(int dir, const char *name)
{
	char path[PATH_MAX];

	if (strlen(name) >= sizeof(path))
		return -ENAMETOOLONG;
	strcpy(path, name);
	for (char *slash = strchr(path, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdirat(dir, path, 0777) < 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

static int move_one(int from, int to, const char *name)
{
	int r = make_folders(to, name);

	if (r < 0)
		return r;
	return renameat(from, name, to, name) < 0 && errno != ENOENT ? -errno
								     : 0;
}

static int link_one(int from, int to, const char *name)
{
	int r = make_folders(to, name);

	if (r < 0)
		return r;
	if (linkat(from, name, to, name, 0) == 0)
		return 0;
	if (errno == EEXIST && unlinkat(to, name, 0) == 0 &&
	    linkat(from, name, to, name, 0) == 0)
		return 0;
	return errno == ENOENT ? 0 : move_one(from, to, name);
}

static int for_each(const struct names *names, const char *from, const char *to,
		    int (*fn)(int from, int to, const char *name),
		    struct error *err)
{
	CLEANUP(close) int source = open_dir(from, err);
	CLEANUP(close) int target = -1;
	int r = 0;

	if (source < 0)
		return source;
	target = open_dir(to, err);
	if (target < 0)
		return target;
	for (size_t i = 0; r == 0 && i < names->n; i++) {
		r = fn(source, target, names->at[i]);
		if (r < 0)
			error_set(err, r, "cannot move %s/%s to %s: %s", from,
				  names->at[i], to, strerror(-r));
	}
	return r;
}

int names_move(const struct names *names, const char *from, const char *to,
	       struct error *err)
{
	return for_each(names, from, to, move_one, err);
}

int names_link(const struct names *names, const char *from, const char *to,
	       struct error *err)
{
	return for_each(names, from, to, link_one, err);
}

/* How much of a name is its folder. */
static size_t folder_length(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? (size_t)(slash - name) : 0;
}

int names_sync(const struct names *names, const char *dir, struct error *err)
{
	const char *last = NULL; /* whose folder was synced */
	char path[PATH_MAX];
	int r = 0;

	for (size_t i = 0; r == 0 && i < names->n; i++) {
		const char *name = names->at[i];
		size_t n = folder_length(name);

		if (last && folder_length(last) == n &&
		    memcmp(last, name, n) == 0)
			continue;
		last = name;
		if (snprintf(path, sizeof(path), "%s/%s", dir, name) >=
		    (int)sizeof(path))
			return error_set(err, -ENAMETOOLONG,
					 "%s/%s: name too long", dir, name);
		r = file_sync_name(path, err);
		if (r == -ENOENT) /* a name that is not there */
			r = 0;
	}
	return r;
}

int names_remove(const struct names *names, const char *dir, struct error *err)
{
	CLEANUP(close) int fd = open_dir(dir, err);

	if (fd < 0)
		return fd;
	for (size_t i = 0; i < names->n; i++)
		if (unlinkat(fd, names->at[i], 0) < 0 && errno != ENOENT)
			return error_errno(err, "%s/%s", dir, names->at[i]);
	return 0;
}

void names_unlink(const struct names *names, const char *dir, const char *other)
{
	CLEANUP(close) int fd = open_dir(dir, NULL);

	for (size_t i = 0; fd >= 0 && i < names->n; i++)
		if (is_same(dir, other, names->at[i]))
			unlinkat(fd, names->at[i], 0);
}
