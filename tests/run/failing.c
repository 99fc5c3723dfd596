/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Preloaded into a program: a disk that fails, or does not answer
 *
 * While the file that FAILING names is there, pwrite() fails with the errno
 * that the file says.
 *
 * The file that HANGING names has lines of a program, a call and a path:
 *
 *     bellows-executor open /tmp/b-x/some.log
 *
 * While it is there and has such a line, this call of this program hangs if its
 * path begins with that one.  A line of each call that hangs is appended to a
 * file beside it, whose name ends with ".met".
 */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef ssize_t (*pwrite_f)(int fd, const void *data, size_t n, off_t at);
typedef ssize_t (*pread_f)(int fd, void *data, size_t n, off_t at);
typedef int (*open_f)(const char *path, int flags, ...);
typedef int (*stat_f)(const char *path, struct stat *st);
typedef int (*access_f)(const char *path, int mode);
typedef ssize_t (*write_f)(int fd, const void *data, size_t n);
typedef int (*sync_f)(int fd);

/* ---- what hangs: with system calls alone, for all others are replaced ---- */

static const char *hanging(void)
{
	return getenv("HANGING");
}

/* The text of what HANGING names; false if it is not there. */
static bool read_lines(char *text, size_t size)
{
	long fd =
		syscall(SYS_openat, AT_FDCWD, hanging(), O_RDONLY | O_CLOEXEC);
	long n;

	if (fd < 0)
		return false;
	n = syscall(SYS_read, fd, text, size - 1);
	syscall(SYS_close, fd);
	text[n > 0 ? n : 0] = '\0';
	return true;
}

static bool is_named(const char *call, const char *path)
{
	char text[4096], *save, program[64], name[32], below[PATH_MAX];

	if (!read_lines(text, sizeof(text)))
		return false;
	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (sscanf(line, "%63s %31s %4095s", program, name, below) ==
			    3 &&
		    strcmp(program, program_invocation_short_name) == 0 &&
		    strcmp(name, call) == 0 &&
		    strncmp(path, below, strlen(below)) == 0)
			return true;
	return false;
}

static void tell_met(const char *call, const char *path)
{
	char name[PATH_MAX], line[PATH_MAX + 128];
	long fd;
	int n;

	snprintf(name, sizeof(name), "%s.met", hanging());
	n = snprintf(line, sizeof(line), "%s %s %s\n",
		     program_invocation_short_name, call, path);
	fd = syscall(SYS_openat, AT_FDCWD, name,
		     O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	syscall(SYS_write, fd, line, (size_t)n);
	syscall(SYS_close, fd);
}

static void hang(const char *call, const char *path)
{
	const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
	int error = errno;

	if (hanging() && is_named(call, path)) {
		tell_met(call, path);
		while (is_named(call, path))
			nanosleep(&moment, NULL);
	}
	errno = error;
}

/* Of an open file. */
static void hang_at(const char *call, int fd)
{
	char link[64], path[PATH_MAX];
	long n;

	if (!hanging())
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	hang(call, path);
}

/* ---- what fails ---- */

static int failure(void)
{
	const char *path = getenv("FAILING");
	FILE *f = path ? fopen(path, "r") : NULL;
	int error = 0;

	if (f && fscanf(f, "%d", &error) != 1)
		error = 0;
	if (f)
		fclose(f);
	return error;
}

/* ---- the calls ---- */

/* Puts the function that is replaced here into a pointer to functions. */
static void find(void *real, const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	memcpy(real, &symbol, sizeof(symbol));
}

/* Two names of one function: 64 is what a large off_t makes of a name. */
#define BOTH(result, call, ...)                                                \
	result call##_32(__VA_ARGS__) __asm__(#call);                          \
	result call##_64(__VA_ARGS__) __asm__(#call "64")

#undef pwrite
#undef pwrite64
BOTH(ssize_t, pwrite, int fd, const void *data, size_t n, off_t at);
BOTH(ssize_t, pread, int fd, void *data, size_t n, off_t at);
BOTH(int, open, const char *path, int flags, mode_t mode);
BOTH(int, stat, const char *path, struct stat *st);
int access_1(const char *path, int mode) __asm__("access");
ssize_t write_1(int fd, const void *data, size_t n) __asm__("write");
int fdatasync_1(int fd) __asm__("fdatasync");

static ssize_t write_at(const char *name, int fd, const void *data, size_t n,
			off_t at)
{
	int error = failure();
	pwrite_f real;

	hang_at("pwrite", fd);
	find(&real, name);
	if (error == 0)
		return real(fd, data, n, at);
	errno = error;
	return -1;
}

ssize_t pwrite_32(int fd, const void *data, size_t n, off_t at)
{
	return write_at("pwrite", fd, data, n, at);
}

ssize_t pwrite_64(int fd, const void *data, size_t n, off_t at)
{
	return write_at("pwrite64", fd, data, n, at);
}

ssize_t pread_32(int fd, void *data, size_t n, off_t at)
{
	pread_f real;

	hang_at("pread", fd);
	find(&real, "pread");
	return real(fd, data, n, at);
}

ssize_t pread_64(int fd, void *data, size_t n, off_t at)
{
	pread_f real;

	hang_at("pread", fd);
	find(&real, "pread64");
	return real(fd, data, n, at);
}

int open_32(const char *path, int flags, mode_t mode)
{
	open_f real;

	hang("open", path);
	find(&real, "open");
	return real(path, flags, mode);
}

int open_64(const char *path, int flags, mode_t mode)
{
	open_f real;

	hang("open", path);
	find(&real, "open64");
	return real(path, flags, mode);
}

int stat_32(const char *path, struct stat *st)
{
	stat_f real;

	hang("stat", path);
	find(&real, "stat");
	return real(path, st);
}

int stat_64(const char *path, struct stat *st)
{
	stat_f real;

	hang("stat", path);
	find(&real, "stat64");
	return real(path, st);
}

int access_1(const char *path, int mode)
{
	access_f real;

	hang("access", path);
	find(&real, "access");
	return real(path, mode);
}

ssize_t write_1(int fd, const void *data, size_t n)
{
	write_f real;

	hang_at("write", fd);
	find(&real, "write");
	return real(fd, data, n);
}

int fdatasync_1(int fd)
{
	sync_f real;

	hang_at("fdatasync", fd);
	find(&real, "fdatasync");
	return real(fd);
}
