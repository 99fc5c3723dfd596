/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/owner_folder.h"

#include "apps/adapter.h"
#include "base/cleanup.h"
#include "base/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define NUMBER_MAX UINT64_C(999999999999999999)

enum { NAME_SIZE = 40, PATH_SIZE = 4300 };

/* ---- the folder ---- */

static const char *folder_of(const char *dir, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "%.4096s/" ADAPTER_OWNER, dir);
	return path;
}

/* Each time anew by its name: then NFS asks the server what is in it. */
static int open_folder(const char *dir, struct error *err)
{
	char path[PATH_SIZE];
	int fd = open(folder_of(dir, path),
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == ELOOP || errno == ENOTDIR)
		return error_set(err, -errno,
				 "%s: it is no directory; remove it", path);
	return error_errno(err, "%s", path);
}

static int make_folder(const char *dir, struct error *err)
{
	char path[PATH_SIZE];

	if (mkdir(folder_of(dir, path), 0700) < 0 && errno != EEXIST)
		return error_errno(err, "cannot make %s", path);
	return open_folder(dir, err);
}

/* A file system may take us for another user, in all that we make. */
static int check_folder(int folder, const struct stat *own, const char *dir,
			struct error *err)
{
	struct stat st;

	if (fstat(folder, &st) < 0)
		return error_errno(err, "%s/" ADAPTER_OWNER, dir);
	if (st.st_uid != own->st_uid)
		return error_set(err, -EPERM,
				 "%s/" ADAPTER_OWNER
				 ": it belongs to another user (%u); remove it "
				 "if no job of that user has this directory",
				 dir, (unsigned)st.st_uid);
	/* where this has no effect, the file system knows one mode for all */
	if (st.st_mode & 077)
		fchmod(folder, 0700);
	return 0;
}

static const char *name_of(uint64_t number, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "owner-%" PRIu64, number);
	return name;
}

/* 0: it is no record. */
static uint64_t number_of(const char *name)
{
	const char *digits = name + 6;

	if (strncmp(name, "owner-", 6) != 0 || *digits < '1' || *digits > '9' ||
	    strlen(digits) > 18 ||
	    strspn(digits, "0123456789") != strlen(digits))
		return 0;
	return strtoull(digits, NULL, 10);
}

/* Calls fn for each record, as long as it returns 0. */
static int each_record(int folder,
		       int (*fn)(int folder, uint64_t number, void *user),
		       void *user)
{
	CLEANUP(closedir) DIR *list = NULL;
	struct dirent *entry;
	int r = 0, fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	list = fdopendir(fd);
	if (!list) {
		close(fd);
		return -ENOMEM;
	}
	errno = 0;
	while (r == 0 && (entry = readdir(list))) {
		uint64_t number = number_of(entry->d_name);

		if (number != 0)
			r = fn(folder, number, user);
		errno = 0;
	}
	return r != 0 ? r : -errno;
}

/* ---- looking ---- */

/* Takes the lock for a moment, beside all others that try it. */
static int try_lock(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB) == 0)
		return OWNERSHIP_LOCK_FREE;
	return errno == EWOULDBLOCK ? OWNERSHIP_LOCK_HELD
				    : OWNERSHIP_LOCK_UNKNOWN;
}

static ssize_t read_text(int fd, char *text, size_t room)
{
	size_t size = 0;

	while (size < room) {
		ssize_t n = pread(fd, text + size, room - size, (off_t)size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		size += (size_t)n;
	}
	return (ssize_t)size;
}

/* -ENOENT: it is gone; other errors of the file system as they are. */
static int read_record(int folder, const struct owner_record *self,
		       struct owner_other *out)
{
	CLEANUP(close) int fd = -1;
	char name[NAME_SIZE], text[OWNER_RECORD_MAX];
	struct ownership_sight sight = {.lock = OWNERSHIP_LOCK_UNKNOWN};
	struct stat st;
	ssize_t n;

	fd = openat(folder, name_of(out->number, name),
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno != ELOOP && errno != EACCES && errno != ENXIO)
		return -errno;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		n = read_text(fd, text, sizeof(text));
		if (n < 0)
			return (int)n;
		sight.readable =
			owner_record_parse(&out->record, text, (size_t)n) == 0;
	}
	sight.left = out->record.left;
	sight.without_rank = out->record.without_rank;
	sight.same_boot =
		*self->boot && strcmp(out->record.boot, self->boot) == 0;
	sight.same_host = strcmp(out->record.host, self->host) == 0;
	if (sight.readable && sight.same_boot)
		sight.lock = try_lock(fd);
	out->readable = sight.readable;
	out->step = ownership_judge(&sight);
	return 0;
}

struct look {
	const struct owner_record *self;
	uint64_t mine;
	struct owner_sight *out;
};

static int look_at(int folder, uint64_t number, void *user)
{
	const struct look *look = user;
	struct owner_sight *out = look->out;
	struct owner_other other = {.number = number};
	int r = read_record(folder, look->self, &other);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	if (number > out->newest)
		out->newest = number;
	/* one that is being written is read whole by the next look */
	if (number == look->mine &&
	    (!other.readable ||
	     other.record.incarnation == look->self->incarnation))
		out->mine = true;
	else if (look->mine != 0 && number >= look->mine) {
		if (number >= out->newer.number)
			out->newer = other;
	} else if (out->before.number == 0 || other.step > out->before.step) {
		out->before = other;
	}
	return 0;
}

int owner_folder_look(const char *dir, const struct owner_record *self,
		      uint64_t mine, struct owner_sight *out, struct error *err)
{
	const struct look look = {self, mine, out};
	CLEANUP(close) int folder = open_folder(dir, err);
	char path[PATH_SIZE];
	int r;

	*out = (struct owner_sight){0};
	if (folder == -ENOENT && access(dir, F_OK) == 0)
		return 0;
	if (folder < 0)
		return folder;
	r = each_record(folder, look_at, (void *)&look);
	return r < 0 ? error_set(err, r, "%s: %s", folder_of(dir, path),
				 strerror(-r))
		     : 0;
}

/* ---- writing ---- */

static int write_text(int fd, const struct owner_record *record)
{
	char text[OWNER_RECORD_MAX];
	size_t size = owner_record_format(record, text);
	ssize_t n = pwrite(fd, text, size, 0);

	if (n != (ssize_t)size)
		return n < 0 ? -errno : -ENOSPC;
	/* some file systems have nothing to sync, and say EINVAL */
	return fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
}

/* Locks the file at fd, which is open for writing, and returns what holds the
 * lock: if possible a descriptor for reading, for one for writing would keep
 * people from mounting the file system read-only.  NFS locks no other.  A file
 * system may have no locks: then others wait for us as for one elsewhere. */
static int lock_it(int folder, const char *name, int fd)
{
	int reads = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (reads >= 0 && flock(reads, LOCK_EX | LOCK_NB) == 0) {
		close(fd);
		return reads;
	}
	if (reads >= 0)
		close(reads);
	flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

/* With the lock taken before others look for it. */
static int write_new(int folder, const char *name,
		     const struct owner_record *record, struct stat *st)
{
	CLEANUP(close)
	int fd = openat(folder, name,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
	int r;

	if (fd < 0)
		return -errno;
	r = fstat(fd, st) < 0 ? -errno : write_text(fd, record);
	if (r < 0) {
		unlinkat(folder, name, 0);
		return r;
	}
	return lock_it(folder, name, STEAL_FD(fd));
}

static const char *new_name(const struct owner_record *self,
			    char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "new-%016" PRIx64, self->incarnation);
	return name;
}

static bool has_no_links(int code)
{
	return code == EPERM || code == EOPNOTSUPP || code == ENOSYS ||
	       code == EMLINK;
}

/* The server may have made the link, and its answer was lost. */
static bool was_linked(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_nlink == 2;
}

/* Gives the record at fd its number: its descriptor, or -errno. */
static int give_number(int folder, const char *from, const char *to, int fd,
		       const struct owner_record *self)
{
	struct stat st;

	if (linkat(folder, from, folder, to, 0) == 0 || was_linked(fd))
		return fd;
	return has_no_links(errno) ? write_new(folder, to, self, &st) : -errno;
}

static int claim(int folder, const char *dir, uint64_t number,
		 const struct owner_record *self, struct error *err)
{
	CLEANUP(close) int fd = -1;
	char from[NAME_SIZE], to[NAME_SIZE];
	struct stat st;
	int r;

	name_of(number, to);
	unlinkat(folder, new_name(self, from),
		 0); /* a call that failed left it */
	fd = write_new(folder, from, self, &st);
	r = fd < 0 ? error_set(err, fd, "%s/" ADAPTER_OWNER ": %s", dir,
			       strerror(-fd))
		   : check_folder(folder, &st, dir, err);
	if (r == 0) {
		r = give_number(folder, from, to, fd, self);
		if (r < 0)
			error_set(err, r, "%s/" ADAPTER_OWNER "/%s: %s", dir,
				  to, strerror(-r));
	}
	unlinkat(folder, from, 0);
	if (r == fd)
		fd = -1; /* it goes on as the lock */
	fsync(folder); /* a record that a power cut takes is one of the dead */
	return r;
}

int owner_folder_claim(const char *dir, uint64_t number,
		       const struct owner_record *self, int *lock,
		       struct error *err)
{
	CLEANUP(close) int folder = -1;
	int r;

	if (number > NUMBER_MAX)
		return error_set(err, -ERANGE,
				 "%s/" ADAPTER_OWNER
				 ": no number is left; remove it if no job has "
				 "this directory",
				 dir);
	folder = make_folder(dir, err);
	if (folder < 0)
		return folder;
	r = claim(folder, dir, number, self, err);
	if (r < 0)
		return r;
	*lock = r;
	return 0;
}

int owner_folder_leave(const char *dir, uint64_t number,
		       const struct owner_record *self, struct error *err)
{
	CLEANUP(close) int folder = open_folder(dir, err);
	CLEANUP(close) int fd = -1;
	char from[NAME_SIZE], to[NAME_SIZE];
	struct stat st;

	if (folder < 0)
		return folder;
	name_of(number, to);
	unlinkat(folder, new_name(self, from), 0);
	fd = write_new(folder, from, self, &st);
	if (fd < 0 || renameat(folder, from, folder, to) < 0) {
		int r = fd < 0 ? fd : -errno;

		unlinkat(folder, from, 0);
		return error_set(err, r, "%s/" ADAPTER_OWNER "/%s: %s", dir, to,
				 strerror(-r));
	}
	fsync(folder); /* or the next one waits, if the power fails now */
	return 0;
}

/* ---- removing ---- */

static int prune(int folder, uint64_t number, void *user)
{
	const uint64_t *mine = user;
	char name[NAME_SIZE];

	if (number < *mine)
		unlinkat(folder, name_of(number, name), 0);
	return 0;
}

void owner_folder_prune(const char *dir, uint64_t mine)
{
	CLEANUP(close) int folder = open_folder(dir, NULL);

	if (folder >= 0)
		each_record(folder, prune, &mine);
}

static int is_older(int folder, uint64_t number, void *user)
{
	const uint64_t *mine = user;

	return number > *mine ? -EBUSY : 0;
}

void owner_folder_remove(const char *dir, uint64_t mine)
{
	CLEANUP(close) int folder = open_folder(dir, NULL);
	char path[PATH_SIZE];

	if (folder >= 0 && each_record(folder, is_older, &mine) == 0)
		tree_remove_path(folder_of(dir, path), NULL);
}
