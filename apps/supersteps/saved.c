/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/supersteps/saved.h"

#include "base/cleanup.h"
#include "base/crc32.h"
#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HEAD "bellows-supersteps 1\n"

enum {
	BYTES_MAX = SAVED_TASKS_MAX * (SAVED_TASK_NAME_MAX + 8) + 512,
	END_BYTES = 13, /* "end 01234567\n" */
};

struct place {
	char path[PATH_MAX];
};

static struct place place_of(const char *folder)
{
	struct place place;

	snprintf(place.path, sizeof(place.path), "%s/" SAVED_NAME, folder);
	return place;
}

/* "done NAME" lines and nothing else. */
static bool parse_done(struct saved *saved, const char *text)
{
	while (*text) {
		char *name = saved->done[saved->n_done];
		int n = 0;

		if (saved->n_done == SAVED_TASKS_MAX ||
		    sscanf(text, "done %63s%n", name, &n) != 1 ||
		    text[n] != '\n')
			return false;
		saved->n_done++;
		text += n + 1;
	}
	return true;
}

static void make_end(const char *text, size_t n, char end[END_BYTES + 1])
{
	snprintf(end, END_BYTES + 1, "end %08x\n", crc32_of(text, n));
}

/* Cuts the last line off; false: it is not that of this text. */
static bool open_seal(char *text, size_t size)
{
	char end[END_BYTES + 1];

	if (size < END_BYTES || strlen(text) != size)
		return false;
	size -= END_BYTES;
	make_end(text, size, end);
	if (strcmp(text + size, end) != 0)
		return false;
	text[size] = '\0';
	return true;
}

bool saved_parse(struct saved *saved, char *text, size_t size)
{
	int n = 0;

	*saved = (struct saved){.bytes = size};
	if (!open_seal(text, size) || strncmp(text, HEAD, strlen(HEAD)) != 0)
		return false;
	text += strlen(HEAD);
	if (sscanf(text, "next %u of %u\nchange %lf\nwritten %" SCNu64 "%n",
		   &saved->next, &saved->steps, &saved->change, &saved->written,
		   &n) != 4 ||
	    text[n] != '\n')
		return false;
	return parse_done(saved, text + n + 1) && saved->next <= saved->steps &&
	       isfinite(saved->change) && saved->change >= 0;
}

int saved_read(struct saved *saved, const char *folder, struct error *err)
{
	struct place place = place_of(folder);
	CLEANUP(free) char *text = malloc(BYTES_MAX + 2);
	struct error why;
	size_t size;
	int r;

	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	r = file_read(place.path, text, BYTES_MAX + 1, &size, &why);
	if (r == -ENOENT)
		return 1;
	if (r < 0)
		return error_set(err, r, "cannot read checkpoint: %.300s",
				 why.text);
	text[size] = '\0';
	if (size > BYTES_MAX || !saved_parse(saved, text, size))
		return error_set(err, -EBADMSG,
				 "checkpoint %s is damaged: it is not what "
				 "bellows-supersteps has written",
				 place.path);
	return 0;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int saved_write(struct saved *saved, const char *folder, struct error *err)
{
	struct place place = place_of(folder);
	CLEANUP(free) char *text = NULL;
	FILE *to = open_memstream(&text, &saved->bytes);
	uint64_t instant = now();
	char end[END_BYTES + 1];
	int r;

	if (!to)
		return error_set(err, -ENOMEM, "out of memory");
	saved->written =
		instant > saved->written ? instant : saved->written + 1;
	fprintf(to, HEAD "next %u of %u\nchange %.9g\nwritten %" PRIu64 "\n",
		saved->next, saved->steps, saved->change, saved->written);
	for (unsigned i = 0; i < saved->n_done; i++)
		fprintf(to, "done %s\n", saved->done[i]);
	fflush(to);
	make_end(text, saved->bytes, end);
	fputs(end, to);
	if (fclose(to) != 0)
		return error_set(err, -ENOMEM, "out of memory");
	r = file_keep(place.path, 0644, text, saved->bytes, err);
	return r < 0 ? error_wrap(err, r, "cannot write checkpoint") : 0;
}

bool saved_is_done(const struct saved *saved, const char *task)
{
	for (unsigned i = 0; i < saved->n_done; i++)
		if (strcmp(saved->done[i], task) == 0)
			return true;
	return false;
}
