/* SPDX-License-Identifier: Apache-2.0 */
#include "journal/journal_file.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "journal/journal_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct journal_file {
	int fd;
	ino_t inode;
	off_t size; /* a file of another size was written by another program */
	size_t failed; /* bytes that a failed append may have left; 0: none */
	const char *program;
	char path[4200];
};

DEFINE_CLEANUP(struct journal_file, journal_file_close)

/* ---- reading ---- */

static bool take_line(char *line, size_t n, journal_file_read_f fn, void *user)
{
	const char *text;

	if (line[n - 1] != '\n')
		return false;
	line[--n] = '\0';
	text = journal_line_open(line, n);
	return text && fn(user, text, n - JOURNAL_LINE_HEAD);
}

int journal_file_read(const char *path, journal_file_read_f fn, void *user,
		      struct journal_end *end, struct error *err)
{
	CLEANUP(fclose) FILE *file = NULL;
	CLEANUP(free) char *line = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	size_t room = 0;
	ssize_t n;

	*end = (struct journal_end){0};
	if (fd >= 0)
		file = fdopen(fd, "r");
	if (!file || fstat(fd, &st) < 0)
		return error_errno(err, "cannot read %s", path);
	end->inode = st.st_ino;
	while ((n = getline(&line, &room, file)) > 0) {
		if (!take_line(line, (size_t)n, fn, user)) {
			end->damaged = getline(&line, &room, file) > 0;
			end->torn = !end->damaged;
			break;
		}
		end->size += n;
		end->lines++;
	}
	return ferror(file) ? error_set(err, -EIO, "cannot read %s", path) : 0;
}

int journal_file_put_right(const char *path, struct journal_end *end,
			   struct error *err)
{
	CLEANUP(free) char *text = malloc((size_t)end->size + 1);
	char damaged[4300];
	size_t n = 0;
	int r;

	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	r = file_read(path, text, (size_t)end->size, &n, err);
	if (r < 0)
		return r;
	snprintf(damaged, sizeof(damaged), "%s.damaged", path);
	if (rename(path, damaged) < 0)
		return error_errno(err, "%s", damaged);
	end->inode = 0;
	return file_keep(path, 0600, text, n, err);
}

/* ---- writing ---- */

static int open_end(const char *path, int flags)
{
	return open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | flags,
		    0600);
}

static int disown(const struct journal_file *file, struct error *err)
{
	return error_set(err, -EBUSY, "%s: another %s has written to it",
			 file->path, file->program);
}

/* Cuts off what is not believed, of the file that was read. */
static int cut(struct journal_file *file, const struct journal_end *end,
	       struct error *err)
{
	struct stat st;

	if (fstat(file->fd, &st) < 0)
		return error_errno(err, "cannot write %s", file->path);
	if (end->inode != 0 && st.st_ino != end->inode)
		return disown(file, err);
	if (ftruncate(file->fd, end->size) < 0)
		return error_errno(err, "cannot write %s", file->path);
	file->inode = st.st_ino;
	return 0;
}

int journal_file_open(struct journal_file **out, const char *path,
		      const char *program, const struct journal_end *end,
		      struct error *err)
{
	CLEANUP(journal_file_close)
	struct journal_file *file = calloc(1, sizeof(*file));
	int r;

	if (!file)
		return error_set(err, -ENOMEM, "out of memory");
	snprintf(file->path, sizeof(file->path), "%s", path);
	file->program = program;
	file->size = end->size;
	file->fd = open_end(path, O_CREAT);
	if (file->fd < 0)
		return error_errno(err, "cannot write %s", path);
	r = cut(file, end, err);
	if (r == 0)
		r = file_sync_name(path, err);
	if (r < 0)
		return r;
	*out = STEAL(file);
	return 0;
}

off_t journal_file_size(const struct journal_file *file)
{
	return file->size;
}

/* 0, or -EBUSY: another program has the journal. */
static int check_owner(const struct journal_file *file, struct error *err)
{
	struct stat st;

	if (fstat(file->fd, &st) < 0)
		return error_errno(err, "cannot write %s", file->path);
	if (st.st_size != file->size || st.st_nlink == 0)
		return disown(file, err);
	return 0;
}

/* A line that is not whole must not stand before another. */
static int take_back(const struct journal_file *file, int code,
		     struct error *err)
{
	if (ftruncate(file->fd, file->size) < 0)
		code = -errno;
	return error_set(err, code, "cannot write %s: %s", file->path,
			 strerror(-code));
}

/* 1: behind the lines that it has is the beginning of these and no more, which
 * an append that failed has left.  0: it is not so. */
static int has_remains(const struct journal_file *file, int fd, off_t size,
		       const char *lines, size_t n, struct error *err)
{
	CLEANUP(free) char *remains = NULL;
	size_t left = (size_t)(size - file->size);

	if (size <= file->size || left > file->failed || left > n)
		return 0;
	remains = malloc(left);
	if (!remains)
		return error_set(err, -ENOMEM, "out of memory");
	if (pread(fd, remains, left, file->size) != (ssize_t)left)
		return error_set(err, -EIO, "cannot read %s", file->path);
	return memcmp(remains, lines, left) == 0;
}

/* After an append that failed: the descriptor may be of no use any more, and
 * remains of these lines may be there. */
static int open_again(struct journal_file *file, const char *lines, size_t n,
		      struct error *err)
{
	CLEANUP(close) int fd = open_end(file->path, 0);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno(err, "cannot write %s", file->path);
	if (st.st_ino != file->inode)
		return disown(file, err);
	r = has_remains(file, fd, st.st_size, lines, n, err);
	if (r < 0)
		return r;
	if (r > 0 && ftruncate(fd, file->size) < 0)
		return error_errno(err, "cannot write %s", file->path);
	close(file->fd);
	file->fd = STEAL_FD(fd);
	return 0;
}

static int write_lines(struct journal_file *file, const char *lines, size_t n,
		       struct error *err)
{
	ssize_t k = write(file->fd, lines, n);

	if (k != (ssize_t)n)
		return take_back(file, k < 0 ? -errno : -ENOSPC, err);
	if (fdatasync(file->fd) < 0)
		return take_back(file, -errno, err);
	file->size += k;
	return 0;
}

int journal_file_append(struct journal_file *file, const char *lines,
			size_t size, struct error *err)
{
	int r = file->failed > 0 ? open_again(file, lines, size, err) : 0;

	if (r == 0)
		r = check_owner(file, err);
	if (r == 0)
		r = write_lines(file, lines, size, err);
	file->failed = r < 0 ? size : 0;
	return r;
}

/* The new file takes the place of the old one, which is looked at before and
 * after: a program that has it open too is noticed here if it has written,
 * or else notices that its file has no name any more. */
static int take_place(struct journal_file *file, const char *beside, off_t size,
		      struct error *err)
{
	CLEANUP(close) int fd = open_end(beside, 0);
	int old = file->fd, r;
	struct stat st;
	ino_t inode;

	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno(err, "cannot write %s", beside);
	inode = st.st_ino;
	r = check_owner(file, err);
	if (r == 0 && rename(beside, file->path) < 0)
		r = error_errno(err, "cannot replace %s", file->path);
	if (r < 0)
		return r;
	file->fd = fd;
	file->inode = inode;
	fd = old;
	if (fstat(old, &st) < 0 || st.st_size != file->size)
		r = disown(file, err);
	file->size = size;
	return r < 0 ? r : file_sync_name(file->path, err);
}

int journal_file_replace(struct journal_file *file, const char *lines,
			 size_t size, struct error *err)
{
	char beside[4300];
	int r;

	snprintf(beside, sizeof(beside), "%s.summary", file->path);
	r = file_keep(beside, 0600, lines, size, err);
	if (r == 0)
		r = take_place(file, beside, (off_t)size, err);
	if (r < 0)
		unlink(beside);
	return r;
}

struct journal_file *journal_file_close(struct journal_file *file)
{
	if (!file)
		return NULL;
	if (file->fd >= 0)
		close(file->fd);
	free(file);
	return NULL;
}
