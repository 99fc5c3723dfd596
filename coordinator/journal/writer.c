/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/writer.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "coordinator/journal/summary.h"
#include "loop/file_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct journal_writer {
	struct loop *loop;
	const char *dir;
	void (*fn)(void *user);
	void *user;
	struct file_queue *queue; /* of a struct shelf */
	bool ended; /* what happens is not kept any more, or never was */
	bool lost;  /* the job is another coordinator's */
	uint64_t given, kept; /* bytes, of all lines */
	uint64_t awaited;     /* fn is called once so many are kept; 0: it is
			       * not */
	struct loop_timer stop;
	msec_t written; /* newest instant that it has */
	uint64_t seen;  /* step that it has */
	struct history history;
	struct requests requests;
};

static void path_of(const struct journal_writer *writer, const char *folder,
		    char path[4200])
{
	snprintf(path, 4200, "%s/%sjournal", writer->dir, folder);
}

/* ---- on the thread ---- */

/* What is written to, and what came of the last call. */
struct shelf {
	char path[4200];
	struct journal_file *file; /* NULL after a failure */
	off_t limit;               /* it is summed up once it is longer */
	int written, summed;       /* 0 or -errno, with a sentence */
	struct error err;
	off_t before, after; /* bytes; alike: it was not summed up */
};

static int replace_by_summary(struct shelf *shelf, struct error *err)
{
	CLEANUP(free)
	struct journal_replay *replay = calloc(1, sizeof(*replay));
	CLEANUP(free) char *lines = NULL;
	struct journal_end end;
	size_t size;
	int r;

	if (!replay)
		return error_set(err, -ENOMEM, "out of memory");
	r = journal_read(shelf->path, journal_replay_entry, replay, &end, err);
	if (r == 0 && end.size != journal_file_size(shelf->file))
		r = error_set(err, -EINVAL, "%s:%u: this line does not fit",
			      shelf->path, end.lines + 1);
	if (r == 0)
		r = journal_summary_make(replay, &lines, &size, err);
	return r < 0 ? r : journal_file_replace(shelf->file, lines, size, err);
}

static void sum_up(struct shelf *shelf)
{
	if (shelf->before <= shelf->limit)
		return;
	shelf->summed = replace_by_summary(shelf, &shelf->err);
	shelf->after = journal_file_size(shelf->file);
	shelf->limit = shelf->after + JOURNAL_SIZE_MAX;
}

static bool write_lines(void *state, const char *lines, size_t n)
{
	struct shelf *shelf = state;

	if (!shelf->file)
		return false;
	shelf->summed = 0;
	shelf->written =
		journal_file_append(shelf->file, lines, n, &shelf->err);
	shelf->before = shelf->after = journal_file_size(shelf->file);
	if (shelf->written == 0)
		sum_up(shelf);
	if (shelf->written < 0 || shelf->summed == -EBUSY)
		shelf->file = journal_file_close(shelf->file);
	return shelf->written == 0;
}

static void free_shelf(void *state)
{
	struct shelf *shelf = state;

	journal_file_close(shelf->file);
	free(shelf);
}

/* ---- what came of it ---- */

static void on_lost(void *user)
{
	struct journal_writer *writer = user;

	loop_stop(writer->loop, -EBUSY);
}

/* Stops the loop at once, or, if it does not run yet, when it does. */
static void lose_job(struct journal_writer *writer, const struct error *err)
{
	writer->ended = writer->lost = true;
	log_error("%s, and has the job now", err->text);
	loop_stop(writer->loop, -EBUSY);
	loop_timer_set(writer->loop, &writer->stop, 0, on_lost, writer);
}

static void tell_summary(const struct shelf *shelf)
{
	if (shelf->summed < 0)
		log_warn("the journal stays as long as it is: %s",
			 shelf->err.text);
	else if (shelf->after != shelf->before)
		log_info("the journal of %lld bytes is summed up in %lld",
			 (long long)shelf->before, (long long)shelf->after);
}

/* All that fn waits for is. */
static bool is_written(const struct journal_writer *writer)
{
	return !writer->lost &&
	       (writer->ended || writer->kept >= writer->awaited);
}

static void on_written(void *owner, void *state, size_t n)
{
	struct journal_writer *writer = owner;
	const struct shelf *shelf = state;

	if (writer->ended)
		return;
	if (shelf->written == -EBUSY || shelf->summed == -EBUSY) {
		lose_job(writer, &shelf->err);
		return;
	}
	if (shelf->written < 0) {
		writer->ended = true;
		log_error("what happens from here on is not kept: %s",
			  shelf->err.text);
	} else {
		tell_summary(shelf);
	}
	writer->kept += n;
	if (writer->awaited == 0 || !is_written(writer))
		return;
	writer->awaited = 0;
	writer->fn(writer->user);
}

static const struct file_queue_ops shelf_ops = {
	write_lines,
	on_written,
	free_shelf,
};

/* ---- one entry ---- */

/* The instant of a line; never before that of the line before. */
static msec_t instant_of(struct journal_writer *writer, msec_t now)
{
	msec_t at = now - writer->history.began;

	if (at > writer->written)
		writer->written = at;
	return writer->written;
}

static void write_down(struct journal_writer *writer,
		       struct journal_entry *entry, msec_t now,
		       const char *text)
{
	char line[JOURNAL_LINE_MAX];
	size_t n;

	if (writer->ended)
		return;
	entry->at = instant_of(writer, now);
	snprintf(entry->text, sizeof(entry->text), "%s", text);
	n = journal_format(entry, line);
	writer->given += n;
	if (file_queue_put(writer->queue, line, n, NULL, 0) == 0)
		return;
	writer->ended = true;
	log_error("what happens from here on is not kept: out of memory");
}

/* How far the application is, if that has changed. */
static void write_progress(struct journal_writer *writer, msec_t now)
{
	struct journal_entry entry = {
		.kind = JOURNAL_SEEN,
		.seen = {.step = writer->history.step,
			 .total = writer->history.total,
			 .when = writer->history.last_step,
			 .first = writer->history.step ==
				  writer->history.first_step},
	};

	if (writer->seen == writer->history.step)
		return;
	writer->seen = writer->history.step;
	write_down(writer, &entry, now, "");
}

bool journal_writer_event(struct journal_writer *writer,
			  const struct job_event *event, const char *reason)
{
	struct journal_entry entry = {
		.kind = JOURNAL_EVENT,
		.event = {event->type, event->epoch, event->size, 0},
	};

	if (event->leave != 0)
		entry.event.leave = event->leave - writer->history.began;
	write_progress(writer, event->now);
	write_down(writer, &entry, event->now, reason);
	writer->awaited = writer->given;
	if (!is_written(writer))
		return false;
	writer->awaited = 0;
	return true;
}

void journal_writer_request(struct journal_writer *writer,
			    const struct request *request)
{
	struct journal_entry entry = {
		.kind = JOURNAL_REQUEST,
		.request = {request->from, request->to},
	};

	requests_add(&writer->requests, request);
	if (*request->id)
		write_down(writer, &entry, loop_now(), request->id);
}

void journal_writer_checkpoint(struct journal_writer *writer, uint64_t step)
{
	struct journal_entry entry = {
		.kind = JOURNAL_CHECKPOINT,
		.checkpoint = {step},
	};

	if (history_on_checkpoint(&writer->history, step))
		write_down(writer, &entry, loop_now(), "");
}

bool journal_writer_repeated(struct journal_writer *writer, uint64_t steps)
{
	struct journal_entry entry = {
		.kind = JOURNAL_REPEATED,
		.repeated = {steps},
	};

	if (!history_on_repeated(&writer->history, steps))
		return false;
	write_down(writer, &entry, loop_now(), "");
	return true;
}

bool journal_writer_notice(struct journal_writer *writer,
			   Bellows__V1__NoticeKind kind, const char *text)
{
	struct journal_entry entry = {
		.kind = JOURNAL_NOTICE,
		.notice = {kind},
	};
	msec_t now = loop_now();

	if (!history_notice(&writer->history, kind, text, now))
		return false;
	write_down(writer, &entry, now, text);
	return true;
}

const struct request *
journal_writer_find_request(const struct journal_writer *writer, const char *id)
{
	return requests_find(&writer->requests, id);
}

struct history *journal_writer_history(struct journal_writer *writer)
{
	return &writer->history;
}

/* ---- the beginning ---- */

static void set_aside(const struct journal_writer *writer)
{
	char path[4200], previous[4200];
	struct error err;

	path_of(writer, "", path);
	path_of(writer, "previous/", previous);
	if (rename(path, previous) < 0) {
		if (errno != ENOENT)
			log_warn("%s is not set aside: %s", path,
				 strerror(errno));
		return;
	}
	/* its old name leaves the disk when the new journal is opened */
	if (file_sync_name(previous, &err) < 0)
		log_warn("%s may be lost by a power cut: %s", previous,
			 err.text);
}

static int open_shelf(struct journal_writer *writer, const char *path,
		      const struct journal_end *believed, struct error *err)
{
	struct shelf *shelf = calloc(1, sizeof(*shelf));
	int r;

	if (!shelf)
		return error_set(err, -ENOMEM, "out of memory");
	snprintf(shelf->path, sizeof(shelf->path), "%s", path);
	shelf->limit = JOURNAL_SIZE_MAX;
	r = journal_file_open(&shelf->file, path, "coordinator", believed, err);
	if (r < 0) {
		free(shelf);
		return r;
	}
	return file_queue_create(&writer->queue, writer->loop, &shelf_ops,
				 writer, shelf, err);
}

static void open_journal(struct journal_writer *writer,
			 const struct journal_end *end)
{
	struct journal_end believed = *end;
	struct error err;
	char path[4200];
	int r = 0;

	path_of(writer, "", path);
	if (end->damaged) {
		log_error("%s:%u: damaged; what follows is not believed, and "
			  "kept in %s.damaged",
			  path, end->lines + 1, path);
		r = journal_file_put_right(path, &believed, &err);
	}
	if (r == 0)
		r = open_shelf(writer, path, &believed, &err);
	writer->ended = r < 0;
	if (r == -EBUSY)
		lose_job(writer, &err);
	else if (r < 0)
		log_error("what happens is not kept: %s", err.text);
	writer->seen = writer->history.step;
}

void journal_writer_begin(struct journal_writer *writer, const struct job *job,
			  const char *name)
{
	const struct journal_end nothing = {0};
	struct journal_entry entry = {
		.kind = JOURNAL_BEGUN,
		.begun = {.version = JOURNAL_VERSION,
			  .wall = journal_wall_clock(),
			  .initial = job->want,
			  .retries = job->retries_left,
			  .starts = job->starts,
			  .has_checkpoint = job->has_checkpoint,
			  .proves = job->patience.resume != 0},
	};
	msec_t now = loop_now();

	history_init(&writer->history, now);
	set_aside(writer);
	open_journal(writer, &nothing);
	write_down(writer, &entry, now, name);
}

void journal_writer_go_on(struct journal_writer *writer,
			  const struct journal_replay *replay,
			  const struct job *job, const struct journal_end *end)
{
	struct journal_entry entry = {
		.kind = JOURNAL_LIFE,
		.life = {journal_wall_clock(), job->starts},
	};
	msec_t now = loop_now();

	writer->history = replay->history;
	history_shift(&writer->history,
		      journal_replay_began(replay, journal_wall_clock(), now));
	writer->requests = replay->requests;
	writer->written = replay->last;
	open_journal(writer, end);
	write_down(writer, &entry, now, "");
}

/* ---- life ---- */

int journal_writer_create(struct journal_writer **out, struct loop *loop,
			  const char *dir, void (*fn)(void *user), void *user,
			  struct error *err)
{
	struct journal_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return error_set(err, -ENOMEM, "out of memory");
	writer->loop = loop;
	writer->dir = dir;
	writer->fn = fn;
	writer->user = user;
	writer->ended = true;
	*out = writer;
	return 0;
}

struct journal_writer *journal_writer_destroy(struct journal_writer *writer)
{
	if (!writer)
		return NULL;
	loop_timer_clear(&writer->stop);
	file_queue_destroy(writer->queue);
	free(writer);
	return NULL;
}
