/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/state_dir.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_LENGTH = 40 };

bool state_dir_is_name(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return n > 0 && n <= NAME_LENGTH && name[n] == '\0';
}

int state_dir_check_name(const char *name, struct error *err)
{
	if (name && state_dir_is_name(name))
		return 0;
	return error_set(err, -EINVAL,
			 "'%s' is no name of a job: 1 to 40 of a-z, 0-9 and -",
			 text_safe(name).s);
}

static int put(struct state_dir *out, struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int put(struct state_dir *out, struct error *err, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(out->path, sizeof(out->path), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(out->path))
		return error_set(err, -ENAMETOOLONG,
				 "the path of the state directory is too long");
	return 0;
}

/* ---- which folders are trusted ---- */

/* Opens a folder that belongs to this user and has none of these mode bits;
 * what: they let others do.  -ENOENT without a sentence if there is none. */
static int open_own(const char *path, mode_t bits, const char *what,
		    struct error *err)
{
	CLEANUP(close)
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return error_set(err, -EPERM,
				 "%s is not a folder of its own: a symbolic "
				 "link or a file is not trusted",
				 path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno(err, "%s", path);
	if (st.st_uid != geteuid())
		return error_set(err, -EPERM, "%s belongs to another user (%u)",
				 path, (unsigned)st.st_uid);
	if (st.st_mode & bits)
		return error_set(err, -EPERM, "%s %s (mode %04o): chmod 700 it",
				 path, what, (unsigned)st.st_mode & 07777);
	return STEAL_FD(fd);
}

static int open_job(const char *path, struct error *err)
{
	return open_own(path, 077, "is open to others", err);
}

int state_dir_check(const char *path, struct error *err)
{
	CLEANUP(close) int fd = open_job(path, err);

	return fd < 0 ? fd : 0;
}

/* ---- names ---- */

static int name_root(struct state_dir *out, const struct lookup *lookup,
		     struct error *err)
{
	if (lookup->state_root && lookup->state_root[0])
		return put(out, err, "%s", lookup->state_root);
	if (lookup->runtime_dir && lookup->runtime_dir[0])
		return put(out, err, "%s/bellows", lookup->runtime_dir);
	return put(out, err, "/tmp/bellows-%u", (unsigned)geteuid());
}

int state_dir_root(struct state_dir *out, const struct lookup *lookup,
		   struct error *err)
{
	CLEANUP(close) int fd = -1;
	int r = name_root(out, lookup, err);

	if (r < 0)
		return r;
	fd = open_own(out->path, 022, "can be written by others", err);
	if (fd >= 0 || fd == -ENOENT)
		return 0;
	return error_wrap(err, fd, "the folder of all jobs (BELLOWS_STATE)");
}

int state_dir_of(struct state_dir *out, const struct lookup *lookup,
		 const char *name, struct error *err)
{
	struct state_dir root;
	int r;

	if (lookup->state)
		return put(out, err, "%s", lookup->state);
	r = state_dir_check_name(name, err);
	if (r == 0)
		r = state_dir_root(&root, lookup, err);
	return r < 0 ? r : put(out, err, "%s/%s", root.path, name);
}

int state_dir_of_queue(struct state_dir *out, const struct lookup *lookup,
		       struct error *err)
{
	if (lookup->state)
		return put(out, err, "%s", lookup->state);
	if (lookup->state_root && lookup->state_root[0])
		return put(out, err, "%s/_queue", lookup->state_root);
	if (lookup->state_home && lookup->state_home[0])
		return put(out, err, "%s/bellows", lookup->state_home);
	if (lookup->home && lookup->home[0])
		return put(out, err, "%s/.local/state/bellows", lookup->home);
	return error_set(err, -ENOENT,
			 "the folder of the queue is not known: HOME is not "
			 "set; --state DIR names it");
}

static int make(const char *path, struct error *err)
{
	int r = mkdir(path, 0700);

	if (r < 0 && errno != EEXIST)
		return error_errno(err, "cannot make %s", path);
	r = state_dir_check(path, err);
	return r == -ENOENT ? error_set(err, r, "%s is gone", path) : r;
}

int state_dir_make(const struct state_dir *dir, struct error *err)
{
	struct state_dir parent = *dir;
	char *slash = strrchr(parent.path, '/');
	int r = 0;

	if (slash && slash != parent.path) {
		*slash = '\0';
		if (access(parent.path, F_OK) < 0)
			r = make(parent.path, err);
	}
	return r < 0 ? r : make(dir->path, err);
}

static int read_line(int fd, const char *path, char *line, size_t n,
		     struct error *err)
{
	ssize_t k = read(fd, line, n - 1);

	if (k < 0)
		return error_errno(err, "%s", path);
	line[k] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

static bool is_address(const char *line)
{
	const char *at = line;

	while (*at > ' ' && *at <= '~')
		at++;
	return at > line && *at == '\0';
}

/* Reads the one line of DIR/name. */
static int read_file(const struct state_dir *dir, const char *name, char *line,
		     size_t n, struct stamp *stamp, struct error *err)
{
	CLEANUP(close) int folder = open_job(dir->path, err);
	CLEANUP(close) int fd = -1;
	struct state_dir path;
	struct stat st;
	int r;

	if (folder < 0)
		return folder;
	r = put(&path, err, "%s/%s", dir->path, name);
	if (r < 0)
		return r;
	fd = openat(folder, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno(err, "%s", path.path);
	*stamp = (struct stamp){st.st_ino, st.st_ctim.tv_sec,
				st.st_ctim.tv_nsec};
	return read_line(fd, path.path, line, n, err);
}

int state_dir_address(const struct state_dir *dir, char *address, size_t n,
		      struct stamp *stamp, struct error *err)
{
	int r = read_file(dir, "address", address, n, stamp, err);

	if (r < 0 || is_address(address))
		return r;
	return error_set(err, -EINVAL, "%s/address holds no address",
			 dir->path);
}

int state_dir_waiting(const struct state_dir *dir, char *text, size_t n,
		      struct error *err)
{
	struct stamp stamp;
	int r = read_file(dir, "waiting", text, n, &stamp, err);

	if (r == 0)
		text_make_safe(text, n, text);
	return r;
}

int state_dir_token(const struct state_dir *dir, struct token *token,
		    struct error *err)
{
	struct state_dir path;
	int r = put(&path, err, "%s/token", dir->path);

	*token->text = '\0';
	if (r < 0 || access(path.path, F_OK) < 0)
		return r;
	return token_read(token, path.path, err);
}

int state_dir_identity(const struct state_dir *dir, enum role role,
		       struct tls_identity *identity, struct error *err)
{
	struct state_dir path;
	int r = put(&path, err, "%s/tls/%s", dir->path, role_name(role));

	if (r < 0 || (access(path.path, F_OK) < 0 && errno == ENOENT))
		return r;
	return tls_identity_read(identity, path.path, err);
}

int state_dir_write(const struct state_dir *dir, const char *name,
		    const char *text, size_t size, struct error *err)
{
	CLEANUP(close) int folder = open_job(dir->path, err);
	int r;

	if (folder == -ENOENT)
		return error_set(err, folder, "%s is gone", dir->path);
	if (folder < 0)
		return folder;
	r = file_replace_at(folder, name, 0600, text, size, err);
	return r < 0 ? error_wrap(err, r, "%s", dir->path) : 0;
}
