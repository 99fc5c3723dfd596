/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/identity.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/secret.h"
#include "base/time.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Identities on their way: as a folder, and as one text
 */

#define INPUT_PATIENCE SECONDS(10)

/* A line of its own before each part of a text; the rest of it is the name. */
#define MARK "--- "

enum part { CA, CERT, KEY, PARTS };

static const char *const names[PARTS] = {
	[CA] = "ca.crt",
	[CERT] = "tls.crt",
	[KEY] = "tls.key",
};

/* Room for one part and the byte behind it. */
struct room {
	char text[TLS_TEXT_MAX + 1];
};

static void wipe_at(struct room **room)
{
	if (*room)
		explicit_bzero(*room, sizeof(**room));
	free(*room);
}

/* ---- folders ---- */

static int put_path(char path[PATH_MAX], const char *folder, const char *name,
		    struct error *err)
{
	if (snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX)
		return 0;
	return error_set(err, -ENAMETOOLONG, "%s: name too long", folder);
}

static int read_key(char *text, size_t room, size_t *n, const char *path,
		    struct error *err)
{
	CLEANUP(close) int fd = secret_open(path, "a private key", err);
	ssize_t k;

	if (fd < 0)
		return fd;
	k = read(fd, text, room);
	if (k < 0)
		return error_errno(err, "%s", path);
	*n = (size_t)k;
	return 0;
}

/* *out is the caller's, also after a failure. */
static int read_part(struct room **out, const char *folder, enum part part,
		     struct error *err)
{
	char path[PATH_MAX];
	size_t n = 0;
	int r = put_path(path, folder, names[part], err);

	if (r < 0)
		return r;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return error_set(err, -ENOMEM, "out of memory");
	r = part == KEY ? read_key((*out)->text, TLS_TEXT_MAX, &n, path, err)
			: file_read(path, (*out)->text, TLS_TEXT_MAX, &n, err);
	if (r == 0 && n == TLS_TEXT_MAX)
		return error_set(err, -EINVAL, "%s: longer than %d bytes", path,
				 TLS_TEXT_MAX - 1);
	return r;
}

static int read_folder(struct tls_identity *id, const char *folder,
		       struct error *err)
{
	CLEANUP(wipe) struct room *ca = NULL;
	CLEANUP(wipe) struct room *cert = NULL;
	CLEANUP(wipe) struct room *key = NULL;
	int r = read_part(&ca, folder, CA, err);

	if (r == 0)
		r = read_part(&cert, folder, CERT, err);
	if (r == 0)
		r = read_part(&key, folder, KEY, err);
	return r < 0 ? r
		     : tls_identity_set(id, ca->text, cert->text, key->text,
					folder, time(NULL), err);
}

int64_t tls_identity_changed(const char *folder)
{
	char path[PATH_MAX];
	struct stat status;
	int64_t newest = 0, at;

	for (enum part part = CA; part < PARTS; part++) {
		if (put_path(path, folder, names[part], NULL) < 0 ||
		    stat(path, &status) != 0)
			return 0;
		at = (int64_t)status.st_ctim.tv_sec * 1000000000 +
		     status.st_ctim.tv_nsec;
		if (at > newest)
			newest = at;
	}
	return newest;
}

static int write_part(const char *folder, enum part part, const char *text,
		      struct error *err)
{
	char path[PATH_MAX];
	int r = put_path(path, folder, names[part], err);

	return r < 0 ? r : file_replace(path, 0600, text, strlen(text), err);
}

int tls_identity_write(const struct tls_identity *id, const char *folder,
		       struct error *err)
{
	int r;

	if (mkdir(folder, 0700) < 0)
		return error_errno(err, "cannot make %s", folder);
	r = write_part(folder, CA, id->ca, err);
	if (r == 0)
		r = write_part(folder, CERT, id->cert, err);
	if (r == 0)
		r = write_part(folder, KEY, id->key, err);
	return r;
}

/* ---- one text ---- */

void tls_identity_print(const struct tls_identity *id, FILE *to)
{
	const char *const texts[PARTS] = {
		[CA] = id->ca, [CERT] = id->cert, [KEY] = id->key};

	for (enum part part = 0; part < PARTS; part++)
		fprintf(to, MARK "%s\n%s", names[part], texts[part]);
}

static int read_input(char *text, size_t room, struct error *err)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	size_t n = 0;
	ssize_t k = 1;

	while (k > 0 && n < room) {
		if (poll(&input, 1, INPUT_PATIENCE) == 0)
			return error_set(err, -ETIMEDOUT,
					 "no certificate came on standard "
					 "input within 10 s");
		k = read(STDIN_FILENO, text + n, room - n);
		if (k < 0)
			return error_errno(err, "standard input");
		n += (size_t)k;
	}
	return 0;
}

/* Cuts the text at its marks; what is of no such name is passed over. */
static int cut(char *text, const char *parts[PARTS], struct error *err)
{
	char *at = strncmp(text, MARK, strlen(MARK)) == 0 ? text : NULL;

	while (at) {
		char *line = at + strlen(MARK);
		char *end = strstr(line, "\n" MARK);
		size_t n = strcspn(line, "\n");

		if (end)
			*++end = '\0';
		for (enum part part = 0; part < PARTS; part++)
			if (strlen(names[part]) == n && line[n] &&
			    memcmp(names[part], line, n) == 0)
				parts[part] = line + n + 1;
		at = end;
	}
	for (enum part part = 0; part < PARTS; part++)
		if (!parts[part])
			return error_set(err, -EINVAL,
					 "standard input: there is no %s in it",
					 names[part]);
	return 0;
}

static int read_text(struct tls_identity *id, struct error *err)
{
	CLEANUP(wipe) struct room *all = calloc(1, sizeof(*all));
	const char *parts[PARTS] = {NULL};
	int r;

	if (!all)
		return error_set(err, -ENOMEM, "out of memory");
	r = read_input(all->text, TLS_TEXT_MAX, err);
	if (r == 0)
		r = cut(all->text, parts, err);
	return r < 0 ? r
		     : tls_identity_set(id, parts[CA], parts[CERT], parts[KEY],
					"standard input", time(NULL), err);
}

int tls_identity_read(struct tls_identity *id, const char *folder,
		      struct error *err)
{
	return strcmp(folder, "-") == 0 ? read_text(id, err)
					: read_folder(id, folder, err);
}
