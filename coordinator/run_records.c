/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/run_records.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

static int open_own(const char *dir, struct error *err)
{
	CLEANUP(close) int fd = -1;
	struct stat st;

	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return error_errno(err, "cannot make %s", dir);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno(err, "%s", dir);
	if (st.st_uid != getuid() || (st.st_mode & 022))
		return error_set(err, -EPERM,
				 "%s: others can write to it; the state "
				 "directory, and the journal's, must be yours "
				 "alone",
				 dir);
	return STEAL_FD(fd);
}

int run_records_lock(const char *dir, struct error *err)
{
	CLEANUP(close) int at = open_own(dir, err);
	CLEANUP(close) int fd = -1;
	int r;

	if (at < 0)
		return at;
	fd = openat(at, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	if (fd < 0)
		return error_errno(err, "%s/lock", dir);
	r = lock_take(fd);
	if (r == -EBUSY)
		return error_set(err, r,
				 "%s: another coordinator runs this job", dir);
	if (r < 0)
		return error_set(err, r, "%s/lock: %s", dir, strerror(-r));
	if (ftruncate(fd, 0) < 0)
		return error_errno(err, "%s/lock", dir);
	return STEAL_FD(fd);
}

void run_records_mark_ending(const char *dir)
{
	static const char text[] = "ending";
	char path[4200];
	CLEANUP(close) int fd = -1;

	snprintf(path, sizeof(path), "%s/lock", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	/* or the next run is refused, and not made to wait */
	if (fd < 0 || pwrite(fd, text, strlen(text), 0) < 0)
		return;
}

int run_records_tell(const char *dir, const char *address, struct error *err)
{
	char path[4200], text[300];
	int n = snprintf(text, sizeof(text), "%s\n", address);

	if (n >= (int)sizeof(text))
		return error_set(err, -ENAMETOOLONG, "%s: address too long",
				 address);
	snprintf(path, sizeof(path), "%s/address", dir);
	return file_keep(path, 0600, text, (size_t)n, err);
}

void run_records_tell_wait(const char *dir, const char *text)
{
	struct error err;
	char path[4200];

	snprintf(path, sizeof(path), "%s/waiting", dir);
	if (file_replace(path, 0600, text, strlen(text), &err) < 0)
		log_warn("%s", err.text);
}

void run_records_end_wait(const char *dir)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/waiting", dir);
	unlink(path);
}

static bool is_record(const char *name)
{
	return strncmp(name, "epoch-", 6) == 0 ||
	       strncmp(name, "hostfile-", 9) == 0 ||
	       strncmp(name, "rankfile-", 9) == 0;
}

static unsigned last_start(const char *dir)
{
	DIR *list = opendir(dir);
	struct dirent *entry;
	unsigned last = 0, n;

	while (list && (entry = readdir(list)))
		if ((sscanf(entry->d_name, "hostfile-%9u", &n) == 1 ||
		     sscanf(entry->d_name, "epoch-%9u", &n) == 1) &&
		    n > last)
			last = n;
	if (list)
		closedir(list);
	return last;
}

unsigned run_records_former_starts(const char *dir)
{
	char path[4200];
	unsigned here, before;

	/* a coordinator that ends by itself removes the file */
	snprintf(path, sizeof(path), "%s/address", dir);
	if (access(path, F_OK) < 0)
		return 0;
	/* or it was killed twice, and made no start between */
	snprintf(path, sizeof(path), "%s/previous", dir);
	before = last_start(path);
	here = last_start(dir);
	return here > before ? here : before;
}

typedef int (*journal_writer_f)(int dir, int previous, const char *name);

static int drop(int dir, int previous, const char *name)
{
	return unlinkat(previous, name, 0);
}

static int move(int dir, int previous, const char *name)
{
	return renameat(dir, name, previous, name);
}

static int each_record(const char *path, int dir, int previous,
		       journal_writer_f fn, struct error *err)
{
	DIR *list = opendir(path);
	struct dirent *entry;
	int r = 0;

	if (!list)
		return error_errno(err, "%s", path);
	while (r == 0 && (entry = readdir(list)))
		if (is_record(entry->d_name) &&
		    fn(dir, previous, entry->d_name) < 0)
			r = error_errno(err, "%s/%s", path, entry->d_name);
	closedir(list);
	return r;
}

/* What the mpiexec of a coordinator that was killed could not remove. */
static void remove_leftovers(const char *dir)
{
	DIR *list = opendir(dir);
	struct dirent *entry;
	char path[4200];

	while (list && (entry = readdir(list))) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		if (strncmp(entry->d_name, "mpi-", 4) == 0 ||
		    strcmp(entry->d_name, "ssh") == 0)
			tree_remove_path(path, NULL);
	}
	if (list)
		closedir(list);
}

int run_records_set_aside(const char *dir, struct error *err)
{
	CLEANUP(close) int at = open_own(dir, err);
	CLEANUP(close) int previous = -1;
	char path[4200];
	int r;

	if (at < 0)
		return at;
	snprintf(path, sizeof(path), "%s/previous", dir);
	previous = open_own(path, err);
	if (previous < 0)
		return previous;
	r = each_record(path, at, previous, drop, err);
	if (r == 0)
		r = each_record(dir, at, previous, move, err);
	if (r == 0)
		remove_leftovers(dir);
	return r;
}

int run_records_make_journal(const char *dir, struct error *err)
{
	CLEANUP(close) int at = open_own(dir, err);
	CLEANUP(close) int previous = -1;
	char path[4200];

	if (at < 0)
		return at;
	snprintf(path, sizeof(path), "%s/previous", dir);
	previous = open_own(path, err);
	return previous < 0 ? previous : 0;
}

void run_records_clear(const char *dir)
{
	static const char *const names[] = {"address", "agent", "waiting"};
	char path[4200];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
}
