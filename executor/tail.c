/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/tail.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "loop/file_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* At first, and then a twentieth of the time since, up to the last. */
#define LOOK_EVERY      MSEC(50)
#define LOOK_EVERY_LAST SECONDS(1)

/* Without an answer of the file system. */
#define BEGIN_AFTER SECONDS(1)
#define END_AFTER   SECONDS(2)

enum {
	CHUNK = 64 * 1024,
	BEHIND_MAX = 1024 * 1024, /* bytes; then the oldest are passed over */
	CHUNKS_AT_END = BEHIND_MAX / CHUNK + 1,
};

/* How far a file was read. */
struct place {
	bool there; /* when it was looked at last; then: */
	dev_t device;
	ino_t inode;
	off_t at;      /* all before it was read, or is old */
	bool skipping; /* up to the end of a line that began before it */
};

/* The thread's while it looks. */
struct look {
	char path[PATH_MAX];
	struct place place;
	size_t n; /* bytes of the chunk, which begins at place.at */
	char chunk[CHUNK];
};

struct tail {
	struct loop *loop;
	struct file_thread *thread;
	const struct tail_events *events;
	void *user;

	unsigned epoch; /* 0: nothing is followed */
	msec_t begun;   /* or told to hurry */
	char path[PATH_MAX];
	struct place place;
	struct file_call *look; /* under way; NULL: none */
	bool owes_begun, owes_ended;
	bool is_stale; /* the look under way is from before the end */
	int chunks;    /* that may be read at the end */

	struct loop_timer again, late;
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
	return n == 0 || tail->events->lines(tail->user, tail->epoch, lines, n);
}

/* Passes on whole lines of the chunk, which begins at the place; false if they
 * were not taken. */
static bool read_lines(struct tail *tail, const char *chunk, size_t size)
{
	struct place *place = &tail->place;
	const char *from = chunk, *end = from + size, *newline;
	bool skipping = place->skipping;
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
		place->skipping = false;
		place->at += from - (end - size);
		size = (size_t)(end - from);
	}
	if (!hand_over(tail, n))
		return false;
	/* a line that fills the chunk is no line */
	if (size == CHUNK && from == end - size) {
		skipping = true;
		from = end;
	}
	place->at += from - (end - size);
	place->skipping = skipping;
	return true;
}

/* ---- the file, on the thread ---- */

/* Old lines end where new ones begin, or else the first is of both. */
static void begin_at(struct place *place, int fd, off_t at)
{
	char before;

	place->at = at;
	place->skipping =
		at > 0 && pread(fd, &before, 1, at - 1) == 1 && before != '\n';
}

/* A descriptor at a file that may be read; -1 if there is none. */
static int open_it(const char *path, struct stat *st)
{
	CLEANUP(close)
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, st) < 0 || !S_ISREG(st->st_mode))
		return -1;
	return STEAL_FD(fd);
}

static void note(struct place *place, const struct stat *st)
{
	place->there = true;
	place->device = st->st_dev;
	place->inode = st->st_ino;
}

static void find_end(void *data)
{
	struct look *look = data;
	struct stat st;
	CLEANUP(close) int fd = open_it(look->path, &st);

	if (fd < 0)
		return;
	note(&look->place, &st);
	begin_at(&look->place, fd, st.st_size);
}

static void read_chunk(void *data)
{
	struct look *look = data;
	struct place *place = &look->place;
	struct stat st;
	CLEANUP(close) int fd = open_it(look->path, &st);
	ssize_t n;

	if (fd < 0)
		return;
	if (!place->there || st.st_dev != place->device ||
	    st.st_ino != place->inode)
		begin_at(place, fd, 0);
	else if (st.st_size < place->at)
		begin_at(place, fd, st.st_size);
	else if (st.st_size - place->at > BEHIND_MAX)
		begin_at(place, fd, st.st_size - CHUNK);
	note(place, &st);
	n = pread(fd, look->chunk, CHUNK, place->at);
	look->n = n > 0 ? (size_t)n : 0;
}

/* ---- looks ---- */

static bool begin_look(struct tail *tail, void (*work)(void *data),
		       void (*done)(void *owner, void *data))
{
	struct look *look = malloc(sizeof(*look));

	if (!look)
		return false;
	memcpy(look->path, tail->path, sizeof(look->path));
	look->place = tail->place;
	look->n = 0;
	tail->look = file_thread_do(tail->thread, work, done, free, tail, look);
	return tail->look != NULL;
}

static void look(void *user);

static void look_later(struct tail *tail)
{
	msec_t pause = (loop_now() - tail->begun) / 20;

	if (pause < LOOK_EVERY)
		pause = LOOK_EVERY;
	if (pause > LOOK_EVERY_LAST)
		pause = LOOK_EVERY_LAST;
	loop_timer_set(tail->loop, &tail->again, pause, look, tail);
}

static void tell_begun(struct tail *tail)
{
	if (!tail->owes_begun)
		return;
	tail->owes_begun = false;
	tail->events->begun(tail->user, tail->epoch);
}

void tail_forget(struct tail *tail)
{
	tail->epoch = 0;
	tail->look = file_call_abandon(tail->look);
	tail->owes_begun = tail->owes_ended = false;
	loop_timer_clear(&tail->again);
	loop_timer_clear(&tail->late);
}

static void stop(struct tail *tail)
{
	unsigned epoch = tail->epoch;
	bool begun = tail->owes_begun, ended = tail->owes_ended;

	tail_forget(tail);
	if (begun)
		tail->events->begun(tail->user, epoch);
	if (ended)
		tail->events->ended(tail->user, epoch);
}

static void on_read(void *owner, void *data)
{
	struct tail *tail = owner;
	const struct look *of = data;
	bool more;

	tail->look = NULL;
	tail->place = of->place;
	more = of->n > 0 && read_lines(tail, of->chunk, of->n) &&
	       of->n == CHUNK;
	if (!tail->owes_ended)
		look_later(tail);
	else if (tail->is_stale || (more && --tail->chunks > 0))
		look(tail);
	else
		stop(tail);
}

static void look(void *user)
{
	struct tail *tail = user;

	tail->is_stale = false;
	if (begin_look(tail, read_chunk, on_read))
		return;
	if (tail->owes_ended)
		stop(tail);
	else
		look_later(tail);
}

static void on_end_found(void *owner, void *data)
{
	struct tail *tail = owner;
	const struct look *of = data;

	tail->look = NULL;
	tail->place = of->place;
	if (tail->owes_ended) {
		look(tail);
		return;
	}
	loop_timer_clear(&tail->late);
	look_later(tail);
	tell_begun(tail); /* last: ranks that it lets run may be gone */
}

/* ---- what waits ---- */

static void on_late_begin(void *user)
{
	struct tail *tail = user;

	log_warn("epoch=%u the log %s does not answer: what is written before "
		 "it does is not read",
		 tail->epoch, tail->path);
	tell_begun(tail);
}

static void on_late_end(void *user)
{
	struct tail *tail = user;

	log_warn("epoch=%u the log %s does not answer: its last lines are not "
		 "read",
		 tail->epoch, tail->path);
	stop(tail);
}

void tail_follow(struct tail *tail, unsigned epoch, const char *path)
{
	if (tail->epoch != epoch && tail->epoch != 0)
		stop(tail);
	if (tail->epoch == epoch || strlen(path) >= sizeof(tail->path)) {
		if (!tail->owes_begun)
			tail->events->begun(tail->user, epoch);
		return;
	}
	tail->epoch = epoch;
	tail->begun = loop_now();
	tail->owes_begun = true;
	snprintf(tail->path, sizeof(tail->path), "%s", path);
	tail->place = (struct place){0};
	loop_timer_set(tail->loop, &tail->late, BEGIN_AFTER, on_late_begin,
		       tail);
	if (!begin_look(tail, find_end, on_end_found))
		stop(tail);
}

void tail_hurry(struct tail *tail, unsigned epoch)
{
	if (tail->epoch != epoch)
		return;
	tail->begun = loop_now();
	if (!loop_timer_is_set(&tail->again))
		return; /* a look is under way, or it ends */
	loop_timer_clear(&tail->again);
	look(tail);
}

void tail_end(struct tail *tail, unsigned epoch)
{
	if (tail->epoch != epoch || epoch == 0) {
		tail->events->ended(tail->user, epoch);
		return;
	}
	if (tail->owes_ended)
		return;
	tail->owes_ended = true;
	tail->chunks = CHUNKS_AT_END;
	loop_timer_clear(&tail->again);
	loop_timer_set(tail->loop, &tail->late, END_AFTER, on_late_end, tail);
	if (tail->look)
		tail->is_stale = true;
	else
		look(tail);
}

int tail_create(struct tail **out, struct loop *loop,
		const struct tail_events *events, void *user, struct error *err)
{
	CLEANUP(tail_destroy) struct tail *tail = calloc(1, sizeof(*tail));
	int r;

	if (!tail)
		return error_set(err, -ENOMEM, "out of memory");
	tail->loop = loop;
	tail->events = events;
	tail->user = user;
	r = file_thread_create(&tail->thread, loop, err);
	if (r < 0)
		return r;
	*out = STEAL(tail);
	return 0;
}

struct tail *tail_destroy(struct tail *tail)
{
	if (!tail)
		return NULL;
	tail_forget(tail);
	file_thread_destroy(tail->thread);
	free(tail);
	return NULL;
}
