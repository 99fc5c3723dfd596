/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/hosts.h"

#include "base/file.h"
#include "base/utf8.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 63 };

#define BLANKS " \t\r"
#define NAME_CHARACTERS                                                        \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
#define RIGHT_ADDRESS                                                          \
	"after the name the host's address in digits, as 10.0.0.7 or fd00::7"

/* Where in the file something is wrong. */
struct file_line {
	const char *path;
	unsigned line;
};

static int refuse_line(const struct file_line *where, struct error *err,
		       const char *what, const char *value, const char *right)
{
	return error_set(err, -EINVAL, "%s:%u: %s%.64s%s; %s", where->path,
			 where->line, what, value, *value ? "'" : "", right);
}

/* ---- one line ---- */

static int check_name(const struct file_line *where, const char *name,
		      struct error *err)
{
	size_t n = strlen(name);

	if (n <= NAME_MAX_LENGTH && strspn(name, NAME_CHARACTERS) == n)
		return 0;
	return refuse_line(where, err, "'", name,
			   "a host's name: 1 to 63 of A-Z a-z 0-9 . _ -");
}

/* Returns the family, or -EINVAL. */
static int check_address(const struct file_line *where, const char *address,
			 struct error *err)
{
	struct in6_addr v6;
	struct in_addr v4;

	if (!address)
		return refuse_line(where, err, "there is no address", "",
				   RIGHT_ADDRESS);
	if (inet_pton(AF_INET, address, &v4) == 1 && v4.s_addr != 0)
		return AF_INET;
	if (inet_pton(AF_INET6, address, &v6) == 1 &&
	    !IN6_IS_ADDR_UNSPECIFIED(&v6) && !IN6_IS_ADDR_LINKLOCAL(&v6))
		return AF_INET6;
	return refuse_line(where, err, "'", address, RIGHT_ADDRESS);
}

static int check_word(const struct file_line *where, const char *word,
		      struct error *err)
{
	if (!strpbrk(word, "'\"\\"))
		return 0;
	return refuse_line(
		where, err, "'", word,
		"no shell reads the command: words without quotes and "
		"backslashes");
}

static int read_words(struct host *host, const struct file_line *where,
		      char **rest, struct error *err)
{
	const char *word;
	size_t n = 0;
	int r;

	while ((word = strtok_r(NULL, BLANKS, rest))) {
		if (n == HOST_WORDS_MAX)
			return refuse_line(where, err,
					   "the command is too long", "",
					   "at most 64 words");
		r = check_word(where, word, err);
		if (r < 0)
			return r;
		host->words[n++] = word;
	}
	return 0;
}

static int check_once(const struct hosts *hosts, const struct file_line *where,
		      const char *name, struct error *err)
{
	for (size_t i = 0; i < hosts->n; i++)
		if (strcmp(hosts->at[i].name, name) == 0)
			return refuse_line(where, err,
					   "there is another host '", name,
					   "each name once");
	return 0;
}

static int check_family(struct hosts *hosts, const struct file_line *where,
			int family, struct error *err)
{
	if (hosts->n == 0)
		hosts->family = family;
	if (hosts->family == family)
		return 0;
	return refuse_line(
		where, err, "IPv4 and IPv6 in one file", "",
		"addresses of one kind, by which the hosts reach each "
		"other");
}

/* A # within a word is a part of it. */
static void cut_comment(char *line)
{
	char *c = line;

	while (*c && (*c != '#' || (c > line && !strchr(BLANKS, c[-1]))))
		c++;
	*c = '\0';
}

static int read_line(struct hosts *hosts, const struct file_line *where,
		     char *line, struct error *err)
{
	struct host *host = &hosts->at[hosts->n];
	char *rest;
	int r;

	cut_comment(line);
	for (const char *c = line; *c; c++)
		if (((unsigned char)*c < ' ' && !strchr(BLANKS, *c)) ||
		    *c == 0x7f)
			return refuse_line(where, err, "a control character",
					   "", "plain text, one host a line");
	host->name = strtok_r(line, BLANKS, &rest);
	if (!host->name)
		return 0;
	host->address = strtok_r(NULL, BLANKS, &rest);
	r = check_name(where, host->name, err);
	if (r == 0)
		r = check_once(hosts, where, host->name, err);
	if (r == 0)
		r = check_address(where, host->address, err);
	if (r > 0)
		r = check_family(hosts, where, r, err);
	if (r == 0)
		r = read_words(host, where, &rest, err);
	if (r == 0)
		hosts->n++;
	return r;
}

/* ---- the file ---- */

static int check_text(const char *path, const char *text, size_t size,
		      struct error *err)
{
	if (size > HOSTS_BYTES_MAX)
		return error_set(err, -EINVAL, "%s: larger than 1 MiB", path);
	if (memchr(text, '\0', size))
		return error_set(err, -EINVAL,
				 "%s: a NUL byte; plain text, one host a line",
				 path);
	return 0;
}

static int read_lines(struct hosts *hosts, const char *path, struct error *err)
{
	struct file_line where = {.path = path};
	char *rest = hosts->text + utf8_mark(hosts->text, strlen(hosts->text));
	char *line;
	int r;

	while ((line = strsep(&rest, "\n"))) {
		where.line++;
		r = read_line(hosts, &where, line, err);
		if (r < 0)
			return r;
		if (hosts->n > HOSTS_MAX)
			return refuse_line(&where, err, "too many hosts", "",
					   "at most 4096");
	}
	if (hosts->n == 0)
		return error_set(err, -EINVAL,
				 "%s names no host; a line is NAME ADDRESS "
				 "[COMMAND...]",
				 path);
	return 0;
}

struct hosts *hosts_destroy(struct hosts *hosts)
{
	if (!hosts)
		return NULL;
	free(hosts->at);
	free(hosts->text);
	free(hosts);
	return NULL;
}

int hosts_parse(struct hosts **out, const char *path, const char *text,
		size_t size, struct error *err)
{
	CLEANUP(hosts_destroy) struct hosts *hosts = calloc(1, sizeof(*hosts));
	int r = check_text(path, text, size, err);

	if (r < 0)
		return r;
	if (hosts)
		hosts->at = calloc(HOSTS_MAX + 2, sizeof(*hosts->at));
	if (hosts && hosts->at)
		hosts->text = strndup(text, size);
	if (!hosts || !hosts->text)
		return error_set(err, -ENOMEM, "out of memory");
	r = read_lines(hosts, path, err);
	if (r < 0)
		return r;
	*out = STEAL(hosts);
	return 0;
}

int hosts_read(struct hosts **out, const char *path, struct error *err)
{
	CLEANUP(free) char *text = malloc(HOSTS_BYTES_MAX + 1);
	size_t size;
	int r;

	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	/* one byte more than is allowed, so that too large a file is seen */
	r = file_read(path, text, HOSTS_BYTES_MAX + 1, &size, err);
	return r < 0 ? r : hosts_parse(out, path, text, size, err);
}
