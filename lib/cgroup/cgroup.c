/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup/cgroup.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	PERIOD = 10000,      /* us: short beside a step, long beside a tick */
	QUOTA_MIN = 1000,    /* us, that the kernel grants */
	PROCS_MAX = 1 << 20, /* bytes of a list of processes */
	ENDS_WITHIN = 500,   /* times 10 ms, of processes that were killed */
	TAKES_WITHIN = 100,  /* times, while others remove it */
	CLEARS_WITHIN = 100, /* times 10 ms, of another program */
};

static const struct timespec PAUSE = {.tv_nsec = 10000000};

/* ---- files ---- */

struct file_name {
	char text[PATH_MAX + 64];
};

static struct file_name file_of(const struct cgroup *group,
				enum cgroup_tree tree, const char *name)
{
	struct file_name file;

	snprintf(file.text, sizeof(file.text), "%s/%s", group->dirs[tree],
		 name);
	return file;
}

static int write_file(const struct cgroup *group, enum cgroup_tree tree,
		      const char *name, struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

static int write_file(const struct cgroup *group, enum cgroup_tree tree,
		      const char *name, struct error *err, const char *fmt, ...)
{
	struct file_name file = file_of(group, tree, name);
	CLEANUP(close) int fd = open(file.text, O_WRONLY | O_CLOEXEC);
	char text[64];
	va_list args;
	int n;

	if (fd < 0)
		return error_errno(err, "%s", file.text);
	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* a file of a control group takes a value whole or not at all */
	if (write(fd, text, (size_t)n) < 0)
		return error_errno(err, "cannot write %s to %s", text,
				   file.text);
	return 0;
}

static int read_file(const struct cgroup *group, enum cgroup_tree tree,
		     const char *name, char *text, size_t room,
		     struct error *err)
{
	struct file_name file = file_of(group, tree, name);
	size_t n;
	int r = file_read(file.text, text, room - 1, &n, err);

	text[r < 0 ? 0 : n] = '\0';
	return r;
}

/* The number behind "KEY " in a file of such lines; 0: it is not there. */
static uint64_t value_of(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *at = text; *at; at += strspn(at, "\n")) {
		if (strncmp(at, key, n) == 0 && at[n] == ' ')
			return strtoull(at + n, NULL, 10);
		at += strcspn(at, "\n");
	}
	return 0;
}

/* A folder that is another tree's as well counts once. */
static bool is_first(const struct cgroup *group, int tree)
{
	if (!*group->dirs[tree])
		return false;
	for (int i = 0; i < tree; i++)
		if (strcmp(group->dirs[i], group->dirs[tree]) == 0)
			return false;
	return true;
}

/* ---- making and removing ---- */

static int remove_folder(const char *folder, struct error *err)
{
	/* the kernel lets go of a process a moment after it has ended */
	for (int i = 0; i < ENDS_WITHIN; i++) {
		if (rmdir(folder) == 0 || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			break;
		nanosleep(&PAUSE, NULL);
	}
	return error_errno(err, "cannot remove the control group %s", folder);
}

/* The one that is locked goes last. */
static int remove_folders(const struct cgroup *group, struct error *err)
{
	int r = 0;

	for (int i = CGROUP_TREES - 1; i >= 0; i--)
		if (is_first(group, i) && r == 0)
			r = remove_folder(group->dirs[i], err);
	return r;
}

static int open_folder(struct cgroup *group, int tree, struct error *err)
{
	const char *folder = group->dirs[tree];
	struct file_name file = file_of(group, tree, "cgroup.procs");
	int fd;

	if (tree != CGROUP_CPU && mkdir(folder, 0755) < 0 && errno != EEXIST)
		return error_errno(err, "cannot make the control group %s",
				   folder);
	fd = open(file.text, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(err, "%s", file.text);
	group->joins[group->n_joins++] = fd;
	return 0;
}

/* A process may fork while the others are killed, so that it is done until
 * none is left; what is not left at once is not waited for here. */
static int kill_listed(const struct cgroup *group, enum cgroup_tree tree,
		       struct error *err)
{
	CLEANUP(free) char *text = malloc(PROCS_MAX);
	int r;

	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	for (int i = 0; i < 10; i++) {
		char *at = text;

		r = read_file(group, tree, "cgroup.procs", text, PROCS_MAX,
			      err);
		if (r < 0 || !*text)
			return r;
		while (*at) {
			long pid = strtol(at, &at, 10);

			if (pid > 0)
				kill((pid_t)pid, SIGKILL);
			at += strspn(at, "\n");
		}
	}
	return 0;
}

int cgroup_kill(const struct cgroup *group, struct error *err)
{
	struct error ignored;

	if (group->version == 2 &&
	    write_file(group, CGROUP_CPU, "cgroup.kill", &ignored, "1") == 0)
		return 0;
	return kill_listed(group, CGROUP_CPU, err);
}

/* pauses: at most so many, while another program has it.  1: its folder was
 * removed meanwhile; -EBUSY: a program that lives has it. */
static int lock_folder(struct cgroup *group, int pauses, struct error *err)
{
	const char *folder = group->dirs[CGROUP_CPU];
	struct stat mine, there;

	group->lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (group->lock < 0)
		return errno == ENOENT ? 1 : error_errno(err, "%s", folder);
	for (; flock(group->lock, LOCK_EX | LOCK_NB) < 0; pauses--) {
		if (pauses == 0)
			return error_set(
				err, -EBUSY,
				"the control group %s is another program's",
				folder);
		nanosleep(&PAUSE, NULL);
	}
	return fstat(group->lock, &mine) < 0 || stat(folder, &there) < 0 ||
	       mine.st_ino != there.st_ino;
}

static int take_folder(struct cgroup *group, struct error *err)
{
	const char *folder = group->dirs[CGROUP_CPU];
	int r = 1;

	for (int i = 0; r == 1 && i < TAKES_WITHIN; i++) {
		bool is_made = mkdir(folder, 0755) == 0;

		if (!is_made && errno != EEXIST)
			return error_errno(err,
					   "cannot make the control group %s",
					   folder);
		r = lock_folder(group, CLEARS_WITHIN, err);
		if (r == 0 && !is_made) {
			r = cgroup_kill(group, err);
			r = r < 0 ? r : remove_folders(group, err);
			r = r < 0 ? r : 1;
		}
		if (r != 0)
			cgroup_fini(group);
	}
	return r == 1 ? error_set(err, -EBUSY,
				  "the control group %s is removed all the "
				  "time by another program",
				  folder)
		      : r;
}

static int name_folders(struct cgroup *group, const struct cgroup_base *base,
			const char *name, struct error *err)
{
	*group = (struct cgroup){.version = base->version, .lock = -1};
	/* what is in a group is killed, and not what is in the base */
	if (!*name || *name == '.' || strchr(name, '/'))
		return error_set(err, -EINVAL,
				 "'%s' is no name of a control group", name);
	for (int i = 0; i < CGROUP_TREES; i++)
		if (*base->dirs[i] &&
		    snprintf(group->dirs[i], PATH_MAX, "%s/%s", base->dirs[i],
			     name) >= PATH_MAX)
			return error_set(err, -ENAMETOOLONG,
					 "the name of the control group %s is "
					 "too long",
					 name);
	return 0;
}

int cgroup_create(struct cgroup *group, const struct cgroup_base *base,
		  const char *name, struct error *err)
{
	int r = name_folders(group, base, name, err);

	if (r == 0)
		r = take_folder(group, err);
	for (int i = 0; i < CGROUP_TREES && r == 0; i++)
		if (is_first(group, i))
			r = open_folder(group, i, err);
	return r;
}

int cgroup_remove(struct cgroup *group, struct error *err)
{
	int r = remove_folders(group, err);

	cgroup_fini(group);
	return r;
}

void cgroup_fini(struct cgroup *group)
{
	while (group->n_joins > 0)
		close(group->joins[--group->n_joins]);
	if (group->lock >= 0)
		close(group->lock);
	group->lock = -1;
}

static bool clear_one(const struct cgroup_base *base, const char *name)
{
	struct cgroup *group = malloc(sizeof(*group));
	struct error ignored;
	bool is_cleared = group &&
			  name_folders(group, base, name, &ignored) == 0 &&
			  lock_folder(group, 0, &ignored) == 0 &&
			  cgroup_kill(group, &ignored) == 0 &&
			  remove_folders(group, &ignored) == 0;

	if (group)
		cgroup_fini(group);
	free(group);
	return is_cleared;
}

unsigned cgroup_clear(const struct cgroup_base *base, const char *prefix)
{
	DIR *dir = opendir(base->dirs[CGROUP_CPU]);
	struct dirent *entry;
	unsigned n = 0;

	while (dir && (entry = readdir(dir)))
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
			n += clear_one(base, entry->d_name);
	if (dir)
		closedir(dir);
	return n;
}

/* ---- limits ---- */

int cgroup_set_processors(struct cgroup *group, double processors,
			  struct error *err)
{
	long period = PERIOD, quota;
	int r;

	if (processors * PERIOD < QUOTA_MIN)
		period = lround(QUOTA_MIN / processors);
	quota = lround(processors * (double)period);
	if (group->version == 2)
		return write_file(group, CGROUP_CPU, "cpu.max", err, "%ld %ld",
				  quota, period);
	r = write_file(group, CGROUP_CPU, "cpu.cfs_period_us", err, "%ld",
		       period);
	return r < 0 ? r
		     : write_file(group, CGROUP_CPU, "cpu.cfs_quota_us", err,
				  "%ld", quota);
}

int cgroup_set_memory(struct cgroup *group, uint64_t bytes, struct error *err)
{
	if (!*group->dirs[CGROUP_MEMORY])
		return error_set(err, -ENOTSUP,
				 "this machine has no control groups that "
				 "limit memory");
	return write_file(group, CGROUP_MEMORY,
			  group->version == 2 ? "memory.max"
					      : "memory.limit_in_bytes",
			  err, "%" PRIu64, bytes);
}

/* ---- usage ---- */

static int read_account(const struct cgroup *group, struct cgroup_usage *usage,
			struct error *err)
{
	char text[4096];
	int r = read_file(group, CGROUP_CPU, "cpu.stat", text, sizeof(text),
			  err);

	if (r < 0)
		return r;
	if (group->version == 2) {
		usage->processor_us = value_of(text, "usage_usec");
		usage->throttled_us = value_of(text, "throttled_usec");
		return 0;
	}
	usage->throttled_us = value_of(text, "throttled_time") / 1000;
	if (!*group->dirs[CGROUP_ACCOUNT])
		return 0;
	r = read_file(group, CGROUP_ACCOUNT, "cpuacct.usage", text,
		      sizeof(text), err);
	usage->processor_us = strtoull(text, NULL, 10) / 1000;
	return r;
}

int cgroup_read(const struct cgroup *group, struct cgroup_usage *usage,
		struct error *err)
{
	char text[64];
	struct error ignored;
	int r;

	*usage = (struct cgroup_usage){.processor_us = 0};
	r = read_account(group, usage, err);
	/* kernels before 5.19 do not know the peak of version 2 */
	if (*group->dirs[CGROUP_MEMORY] &&
	    read_file(group, CGROUP_MEMORY,
		      group->version == 2 ? "memory.peak"
					  : "memory.max_usage_in_bytes",
		      text, sizeof(text), &ignored) == 0)
		usage->memory_peak = strtoull(text, NULL, 10);
	return r;
}
