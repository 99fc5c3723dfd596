/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/tail.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* At first, and then a twentieth of what the ranks have run, up to the last. */
#define LOOK_EVERY      MSEC(200)
#define LOOK_EVERY_LAST SECONDS(1)

enum {
	CHUNK = 64 * 1024,
	BEHIND_MAX = 1024 * 1024, /* bytes; then the oldest are passed over */
	CHUNKS_AT_END = BEHIND_MAX / CHUNK + 1,
};

struct tail {
	struct loop *loop;
	tail_f fn;
	void *user;

	unsigned epoch; /* 0: nothing is followed */
	msec_t begun;
	char path[PATH_MAX];
	bool there; /* when it was looked at last; then: */
	dev_t device;
	ino_t inode;
	off_t at;      /* all before it was read, or is old */
	bool skipping; /* up to the end of a line that began before it */

	struct loop_timer look;
	char chunk[CHUNK];
	char text[TAIL_LINES_MAX][TAIL_LINE_MAX];
};

DEFINE_CLEANUP(struct tail, tail_destroy)

/* ---- lines ---- */

static void put_line(char out[TAIL_LINE_MAX], const char *line, size_t n)
{
	if (n > 0 && line[n - 1] == '\r')
		n--;
	if (n >= TAIL_LINE_MAX)
		n = TAIL_LINE_MAX - 1;
	for (size_t i = 0; i < n; i++) {
		bool plain =
			(line[i] >= ' ' && line[i] <= '~') || line[i] == '\t';

		out[i] = plain ? line[i] : '?';
	}
	out[n] = '\0';
}

static bool hand_over(struct tail *tail, size_t n)
{
	char *lines[TAIL_LINES_MAX];

	for (size_t i = 0; i < n; i++)
		lines[i] = tail->text[i];
	return n == 0 || tail->fn(tail->user, tail->epoch, lines, n);
}

/* Passes on whole lines of the chunk, which begins at tail->at; false if they
 * were not taken. */
static bool read_lines(struct tail *tail, size_t size)
{
	const char *from = tail->chunk, *end = from + size, *newline;
	bool skipping = tail->skipping;
	size_t n = 0;

	while ((newline = memchr(from, '\n', (size_t)(end - from)))) {
		if (!skipping)
			put_line(tail->text[n++], from,
				 (size_t)(newline - from));
		skipping = false;
		from = newline + 1;
		if (n < TAIL_LINES_MAX)
			continue;
		if (!hand_over(tail, n))
			return false;
		n = 0;
		tail->skipping = false;
		tail->at += from - (end - size);
		size = (size_t)(end - from);
	}
	if (!hand_over(tail, n))
		return false;
	/* a line that fills the chunk is no line */
	if (size == CHUNK && from == end - size) {
		skipping = true;
		from = end;
	}
	tail->at += from - (end - size);
	tail->skipping = skipping;
	return true;
}

/* ---- the file ---- */

/* Old lines end where new ones begin, or else the first is of both. */
static void begin_at(struct tail *tail, int fd, off_t at)
{
	char before;

	tail->at = at;
	tail->skipping =
		at > 0 && pread(fd, &before, 1, at - 1) == 1 && before != '\n';
}

/* A descriptor at a file that may be read; -1 if there is none. */
static int open_it(const struct tail *tail, struct stat *st)
{
	CLEANUP(close)
	int fd = open(tail->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, st) < 0 || !S_ISREG(st->st_mode))
		return -1;
	return STEAL_FD(fd);
}

static void note(struct tail *tail, const struct stat *st)
{
	tail->there = true;
	tail->device = st->st_dev;
	tail->inode = st->st_ino;
}

/* Reads a chunk; true if more may be there. */
static bool read_chunk(struct tail *tail)
{
	struct stat st;
	CLEANUP(close) int fd = open_it(tail, &st);
	ssize_t n;

	if (fd < 0)
		return false;
	if (!tail->there || st.st_dev != tail->device ||
	    st.st_ino != tail->inode)
		begin_at(tail, fd, 0);
	else if (st.st_size < tail->at)
		begin_at(tail, fd, st.st_size);
	else if (st.st_size - tail->at > BEHIND_MAX)
		begin_at(tail, fd, st.st_size - CHUNK);
	note(tail, &st);
	n = pread(fd, tail->chunk, CHUNK, tail->at);
	return n > 0 && read_lines(tail, (size_t)n) && n == CHUNK;
}

static void look(void *user)
{
	struct tail *tail = user;
	msec_t pause = (loop_now() - tail->begun) / 20;

	read_chunk(tail);
	if (pause < LOOK_EVERY)
		pause = LOOK_EVERY;
	if (pause > LOOK_EVERY_LAST)
		pause = LOOK_EVERY_LAST;
	loop_timer_set(tail->loop, &tail->look, pause, look, tail);
}

void tail_follow(struct tail *tail, unsigned epoch, const char *path)
{
	CLEANUP(close) int fd = -1;
	struct stat st;

	if (tail->epoch == epoch || strlen(path) >= sizeof(tail->path))
		return;
	tail->epoch = epoch;
	tail->begun = loop_now();
	snprintf(tail->path, sizeof(tail->path), "%s", path);
	tail->there = tail->skipping = false;
	tail->at = 0;
	fd = open_it(tail, &st);
	if (fd >= 0) {
		note(tail, &st);
		begin_at(tail, fd, st.st_size);
	}
	loop_timer_set(tail->loop, &tail->look, LOOK_EVERY, look, tail);
}

void tail_end(struct tail *tail, unsigned epoch)
{
	if (tail->epoch != epoch || epoch == 0)
		return;
	for (int i = 0; i < CHUNKS_AT_END && read_chunk(tail); i++)
		;
	tail->epoch = 0;
	loop_timer_clear(&tail->look);
}

int tail_create(struct tail **out, struct loop *loop, tail_f fn, void *user,
		struct error *err)
{
	CLEANUP(tail_destroy) struct tail *tail = calloc(1, sizeof(*tail));

	if (!tail)
		return error_set(err, -ENOMEM, "out of memory");
	tail->loop = loop;
	tail->fn = fn;
	tail->user = user;
	*out = STEAL(tail);
	return 0;
}

struct tail *tail_destroy(struct tail *tail)
{
	if (!tail)
		return NULL;
	loop_timer_clear(&tail->look);
	free(tail);
	return NULL;
}
