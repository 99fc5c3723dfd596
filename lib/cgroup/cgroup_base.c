/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Where this machine has its control groups, and which one is this program's
 */

#include "cgroup/cgroup.h"

#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of version 2: where the processes of this program's group are put, for a
 * group with groups in it has no processes. */
#define OWN "/bellows-ranks"

enum { TEXT_MAX = 1 << 18 };

static const char *const controllers[CGROUP_TREES] = {
	[CGROUP_CPU] = "cpu",
	[CGROUP_ACCOUNT] = "cpuacct",
	[CGROUP_MEMORY] = "memory",
};

struct search {
	struct cgroup_base *base;
	const char *group, *root;
	char *groups, *mounts; /* of /proc/self */
	struct error *err;
};

static int read_text(const struct search *search, const char *name, char *text)
{
	char path[PATH_MAX];
	size_t n;
	int r;

	snprintf(path, sizeof(path), "%s/proc/self/%s", search->root, name);
	r = file_read(path, text, TEXT_MAX - 1, &n, search->err);
	text[r < 0 ? 0 : n] = '\0';
	return r;
}

/* Whether a word is in a list such as "rw,cpu,cpuacct". */
static bool has_word(const char *list, const char *separators, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = list; *at; at += strspn(at, separators)) {
		size_t length = strcspn(at, separators);

		if (length == n && strncmp(at, word, n) == 0)
			return true;
		at += length;
	}
	return false;
}

/* ---- /proc/self/cgroup ---- */

/* "4:memory:/a/b", or "0::/a/b" of version 2: the path; false: no such line. */
static bool own_group(const struct search *search, const char *controller,
		      char path[PATH_MAX])
{
	char line[PATH_MAX + 256];

	for (const char *at = search->groups; *at;) {
		size_t n = strcspn(at, "\n");
		char *names, *group;

		snprintf(line, sizeof(line), "%.*s", (int)n, at);
		at += n + (at[n] == '\n');
		names = strchr(line, ':');
		group = names ? strchr(names + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		names++;
		if (controller ? !has_word(names, ",", controller) : *names)
			continue;
		snprintf(path, PATH_MAX, "%s", group);
		return true;
	}
	return false;
}

/* ---- /proc/self/mountinfo ---- */

struct mount {
	char root[PATH_MAX], at[PATH_MAX], type[32], options[1024];
};

static bool read_mount(const char *line, struct mount *mount)
{
	const char *behind = strstr(line, " - ");

	return behind &&
	       sscanf(line, "%*s %*s %*s %4095s %4095s", mount->root,
		      mount->at) == 2 &&
	       sscanf(behind, " - %31s %*s %1023s", mount->type,
		      mount->options) == 2;
}

/* The mount of a controller of version 1, or of version 2 if that is NULL. */
static bool find_mount(const struct search *search, const char *controller,
		       struct mount *mount)
{
	char line[2 * PATH_MAX + 2048];

	for (const char *at = search->mounts; *at;) {
		size_t n = strcspn(at, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)n, at);
		at += n + (at[n] == '\n');
		if (!read_mount(line, mount))
			continue;
		if (controller
			    ? strcmp(mount->type, "cgroup") == 0 &&
				      has_word(mount->options, ",", controller)
			    : strcmp(mount->type, "cgroup2") == 0)
			return true;
	}
	return false;
}

/* The folder of a group, or of this program's; false: there is no such tree.
 * What a container sees of a tree may begin within it. */
static bool find_folder(const struct search *search, const char *controller,
			char folder[PATH_MAX])
{
	struct mount mount;
	char group[PATH_MAX];
	size_t n;

	if (!find_mount(search, controller, &mount))
		return false;
	if (search->group)
		snprintf(group, sizeof(group), "%s", search->group);
	else if (!own_group(search, controller, group))
		return false;
	n = strcmp(mount.root, "/") == 0 ? 0 : strlen(mount.root);
	if (n > 0 && strncmp(group, mount.root, n) == 0)
		memmove(group, group + n, strlen(group + n) + 1);
	n = strlen(group);
	if (n > 0 && group[n - 1] == '/')
		group[n - 1] = '\0';
	return snprintf(folder, PATH_MAX, "%s%s%s", search->root, mount.at,
			group) < PATH_MAX;
}

/* ---- version 2 ---- */

static int write_file(const struct search *search, const char *folder,
		      const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;
	int r = 0;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= PATH_MAX)
		return error_set(search->err, -ENAMETOOLONG,
				 "the name of the control group %s is too long",
				 folder);
	file = fopen(path, "we");
	if (!file)
		return error_errno(search->err, "%s", path);
	if (fputs(text, file) < 0 || fflush(file) < 0)
		r = error_errno(search->err, "%s", path);
	fclose(file);
	return r;
}

/* A process that has just ended is no longer there to be moved. */
static int move_processes(const struct search *search, const char *from,
			  const char *to)
{
	char path[PATH_MAX + 16], pid[32];
	FILE *file;
	int r = 0;

	snprintf(path, sizeof(path), "%s/cgroup.procs", from);
	file = fopen(path, "re");
	if (!file)
		return error_errno(search->err, "%s", path);
	while (r == 0 && fgets(pid, sizeof(pid), file)) {
		r = write_file(search, to, "cgroup.procs", pid);
		if (r == -ESRCH)
			r = 0;
	}
	fclose(file);
	return r;
}

/* The root of the tree alone may have processes beside groups. */
static bool is_root(const char *folder)
{
	char path[PATH_MAX + 16];
	struct stat st;

	snprintf(path, sizeof(path), "%s/cgroup.type", folder);
	return stat(path, &st) < 0;
}

static int empty_own(const struct search *search, char folder[PATH_MAX])
{
	char own[PATH_MAX + sizeof(OWN)];
	size_t n = strlen(folder), tail = strlen(OWN);

	if (n > tail && strcmp(folder + n - tail, OWN) == 0) {
		folder[n - tail] = '\0';
		return 0;
	}
	if (is_root(folder))
		return 0;
	snprintf(own, sizeof(own), "%s%s", folder, OWN);
	if (mkdir(own, 0755) < 0 && errno != EEXIST)
		return error_errno(search->err,
				   "cannot make the control group %s", own);
	return move_processes(search, folder, own);
}

static int set_up_v2(const struct search *search, char folder[PATH_MAX])
{
	int r = search->group ? 0 : empty_own(search, folder);

	if (r == 0)
		r = write_file(search, folder, "cgroup.subtree_control",
			       "+cpu");
	if (r < 0)
		return error_wrap(
			search->err, r,
			"no right to share out processors; "
			"'systemd-run --user --scope -p Delegate=yes COMMAND' "
			"gives it");
	/* not each tree that has cpu has memory */
	if (write_file(search, folder, "cgroup.subtree_control", "+memory") ==
	    0)
		strcpy(search->base->dirs[CGROUP_MEMORY], folder);
	strcpy(search->base->dirs[CGROUP_CPU], folder);
	strcpy(search->base->dirs[CGROUP_ACCOUNT], folder);
	search->base->version = 2;
	return 0;
}

static bool has_cpu(const char *folder)
{
	char path[PATH_MAX + 32], text[1024];
	struct error err;
	size_t n;

	snprintf(path, sizeof(path), "%s/cgroup.controllers", folder);
	if (file_read(path, text, sizeof(text) - 1, &n, &err) < 0)
		return false;
	text[n] = '\0';
	return has_word(text, " \n", "cpu");
}

/* ---- the whole ---- */

static int find(const struct search *search)
{
	struct cgroup_base *base = search->base;
	char folder[PATH_MAX];

	base->version = 1;
	for (int i = 0; i < CGROUP_TREES; i++)
		if (find_folder(search, controllers[i], folder))
			strcpy(base->dirs[i], folder);
	if (*base->dirs[CGROUP_CPU])
		return 0;
	if (find_folder(search, NULL, folder) && has_cpu(folder))
		return set_up_v2(search, folder);
	return error_set(search->err, -ENOENT,
			 "this machine has no control groups that limit "
			 "processors%s%s",
			 search->group ? " for " : "",
			 search->group ? search->group : "");
}

/* search_end() in each case. */
static int search_begin(struct search *search)
{
	int r;

	search->groups = malloc(TEXT_MAX);
	search->mounts = malloc(TEXT_MAX);
	if (!search->groups || !search->mounts)
		return error_set(search->err, -ENOMEM, "out of memory");
	r = read_text(search, "cgroup", search->groups);
	return r < 0 ? r : read_text(search, "mountinfo", search->mounts);
}

static void search_end(struct search *search)
{
	free(search->groups);
	free(search->mounts);
}

int cgroup_base_find(struct cgroup_base *base, const char *group,
		     const char *root, struct error *err)
{
	struct search search = {
		.base = base, .group = group, .root = root, .err = err};
	int r;

	*base = (struct cgroup_base){.version = 0};
	r = search_begin(&search);
	if (r == 0)
		r = find(&search);
	search_end(&search);
	return r;
}

/* ---- the limit of this program's own group ---- */

static int read_limit(const struct search *search, const char *folder,
		      const char *name, char text[64])
{
	char path[PATH_MAX + 32];
	size_t n;
	int r;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	r = file_read(path, text, 63, &n, search->err);
	text[r < 0 ? 0 : n] = '\0';
	return r;
}

/* "max 100000" and -1 are no limit. */
static double ratio(const char *quota, const char *period)
{
	double part = strtod(quota, NULL), whole = strtod(period, NULL);

	return part > 0 && whole > 0 ? part / whole : INFINITY;
}

static int read_own_v2(const struct search *search, double *processors)
{
	char folder[PATH_MAX], text[64];
	int r;

	if (!find_folder(search, NULL, folder))
		return error_set(search->err, -ENOENT,
				 "this machine has no control groups");
	r = read_limit(search, folder, "cpu.max", text);
	/* the root of the tree has no limit */
	*processors =
		r == 0 ? ratio(text, text + strcspn(text, " ")) : INFINITY;
	return r == -ENOENT ? 0 : r;
}

static int read_own(const struct search *search, double *processors)
{
	char folder[PATH_MAX], quota[64], period[64];
	int r;

	if (!find_folder(search, controllers[CGROUP_CPU], folder))
		return read_own_v2(search, processors);
	r = read_limit(search, folder, "cpu.cfs_quota_us", quota);
	if (r == 0)
		r = read_limit(search, folder, "cpu.cfs_period_us", period);
	*processors = r == 0 ? ratio(quota, period) : INFINITY;
	return r;
}

int cgroup_own_processors(double *processors, const char *root,
			  struct error *err)
{
	struct search search = {.root = root, .err = err};
	int r = search_begin(&search);

	if (r == 0)
		r = read_own(&search, processors);
	search_end(&search);
	return r;
}
