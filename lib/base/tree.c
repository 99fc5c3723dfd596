/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tree.h"

#include "base/cleanup.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

/* Each level holds a descriptor open. */
enum { DEPTH_MAX = 200 };

static int remove_below(int parent, const char *name, dev_t device, int depth,
			struct error *err);

static bool is_itself_or_parent(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Empties a directory; fd is consumed. */
static int empty(int fd, const char *name, dev_t device, int depth,
		 struct error *err)
{
	CLEANUP(closedir) DIR *dir = fdopendir(fd);
	struct dirent *entry;
	int failed = 0;

	if (!dir) {
		int r = error_errno(err, "%s", name);

		close(fd);
		return r;
	}
	while ((entry = readdir(dir))) {
		int r;

		if (is_itself_or_parent(entry->d_name))
			continue;
		r = remove_below(dirfd(dir), entry->d_name, device, depth, err);
		if (r < 0)
			failed = r;
	}
	return failed;
}

static int remove_directory(int parent, const char *name, dev_t device,
			    int depth, struct error *err)
{
	struct stat st;
	int fd, r;

	if (depth > DEPTH_MAX)
		return error_set(err, -ELOOP, "%s: too deep", name);

	fd = openat(parent, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : error_errno(err, "%s", name);
	if (fstat(fd, &st) < 0 || st.st_dev != device) {
		close(fd);
		return error_set(err, -EXDEV, "%s: another file system", name);
	}

	r = empty(fd, name, device, depth, err);
	if (r < 0)
		return r;
	if (unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return error_errno(err, "%s", name);
	return 0;
}

static int remove_below(int parent, const char *name, dev_t device, int depth,
			struct error *err)
{
	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return error_errno(err, "%s", name);
	return remove_directory(parent, name, device, depth + 1, err);
}

int tree_remove(int parent, const char *name, struct error *err)
{
	struct stat st;

	assert(!strchr(name, '/') && !is_itself_or_parent(name));

	if (fstat(parent, &st) < 0)
		return error_errno(err, "%s", name);
	return remove_below(parent, name, st.st_dev, 0, err);
}

int tree_remove_path(const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	CLEANUP(close) int parent = -1;
	CLEANUP(free) char *above = NULL;

	if (*path == '\0')
		return 0;
	above = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
	if (!above)
		return error_set(err, -ENOMEM, "out of memory");
	parent = open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (parent < 0)
		return errno == ENOENT ? 0 : error_errno(err, "%s", above);
	return tree_remove(parent, name, err);
}
