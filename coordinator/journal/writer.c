/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/writer.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "coordinator/journal/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct journal_writer {
	struct loop *loop;
	const char *dir;
	struct journal *journal; /* NULL: what happens is not kept */
	bool lost;               /* the job is another coordinator's */
	struct loop_timer stop;
	off_t limit;    /* it is summed up once it is longer */
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

/* ---- one entry ---- */

/* The instant of a line; never before that of the line before. */
static msec_t instant_of(struct journal_writer *writer, msec_t now)
{
	msec_t at = now - writer->history.began;

	if (at > writer->written)
		writer->written = at;
	return writer->written;
}

static void on_lost(void *user)
{
	struct journal_writer *writer = user;

	loop_stop(writer->loop, -EBUSY);
}

/* Stops the loop at once, or, if it does not run yet, when it does. */
static bool lose_job(struct journal_writer *writer, const struct error *err)
{
	writer->journal = journal_close(writer->journal);
	writer->lost = true;
	log_error("%s, and has the job now", err->text);
	loop_stop(writer->loop, -EBUSY);
	loop_timer_set(writer->loop, &writer->stop, 0, on_lost, writer);
	return false;
}

static int replace_by_summary(struct journal_writer *writer, const char *path,
			      struct error *err)
{
	CLEANUP(free)
	struct journal_replay *replay = calloc(1, sizeof(*replay));
	CLEANUP(free) char *lines = NULL;
	struct journal_end end;
	size_t size;
	int r;

	if (!replay)
		return error_set(err, -ENOMEM, "out of memory");
	r = journal_read(path, journal_replay_entry, replay, &end, err);
	if (r == 0 && end.size != journal_size(writer->journal))
		r = error_set(err, -EINVAL, "%s:%u: this line does not fit",
			      path, end.lines + 1);
	if (r == 0)
		r = journal_summary_make(replay, &lines, &size, err);
	return r < 0 ? r : journal_replace(writer->journal, lines, size, err);
}

/* False: this coordinator is no longer the job's. */
static bool sum_up(struct journal_writer *writer)
{
	off_t before = journal_size(writer->journal);
	struct error err;
	char path[4200];
	int r;

	if (before <= writer->limit)
		return true;
	path_of(writer, "", path);
	r = replace_by_summary(writer, path, &err);
	if (r == -EBUSY)
		return lose_job(writer, &err);
	if (r < 0)
		log_warn("the journal stays as long as it is: %s", err.text);
	else
		log_info("the journal of %lld bytes is summed up in %lld",
			 (long long)before,
			 (long long)journal_size(writer->journal));
	writer->limit = journal_size(writer->journal) + JOURNAL_SIZE_MAX;
	return true;
}

static bool write_down(struct journal_writer *writer,
		       struct journal_entry *entry, msec_t now,
		       const char *text)
{
	struct error err;
	int r;

	if (!writer->journal)
		return !writer->lost;
	entry->at = instant_of(writer, now);
	snprintf(entry->text, sizeof(entry->text), "%s", text);
	r = journal_append(writer->journal, entry, &err);
	if (r == 0)
		return sum_up(writer);
	if (r == -EBUSY)
		return lose_job(writer, &err);
	writer->journal = journal_close(writer->journal);
	log_error("what happens from here on is not kept: %s", err.text);
	return true;
}

/* How far the application is, if that has changed. */
static bool write_progress(struct journal_writer *writer, msec_t now)
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
		return true;
	writer->seen = writer->history.step;
	return write_down(writer, &entry, now, "");
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
	return write_progress(writer, event->now) &&
	       write_down(writer, &entry, event->now, reason);
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

void journal_writer_repeated(struct journal_writer *writer, uint64_t steps)
{
	struct journal_entry entry = {
		.kind = JOURNAL_REPEATED,
		.repeated = {steps},
	};

	history_on_repeated(&writer->history, steps);
	write_down(writer, &entry, loop_now(), "");
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

/* What is not believed is kept for people, under another name. */
static int put_right(const char *path, off_t size, struct error *err)
{
	CLEANUP(free) char *text = malloc((size_t)size + 1);
	char damaged[4300];
	size_t n = 0;
	int r;

	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	r = file_read(path, text, (size_t)size, &n, err);
	if (r < 0)
		return r;
	snprintf(damaged, sizeof(damaged), "%s.damaged", path);
	if (rename(path, damaged) < 0)
		return error_errno(err, "%s", damaged);
	return file_keep(path, 0600, text, n, err);
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
		r = put_right(path, end->size, &err);
		believed.inode = 0;
	}
	if (r == 0)
		r = journal_open(&writer->journal, path, &believed, &err);
	if (r == -EBUSY)
		lose_job(writer, &err);
	else if (r < 0)
		log_error("what happens is not kept: %s", err.text);
	writer->seen = writer->history.step;
	writer->limit = JOURNAL_SIZE_MAX;
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
			  const char *dir, struct error *err)
{
	struct journal_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return error_set(err, -ENOMEM, "out of memory");
	writer->loop = loop;
	writer->dir = dir;
	*out = writer;
	return 0;
}

struct journal_writer *journal_writer_destroy(struct journal_writer *writer)
{
	if (!writer)
		return NULL;
	loop_timer_clear(&writer->stop);
	journal_close(writer->journal);
	free(writer);
	return NULL;
}
