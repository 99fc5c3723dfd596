/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/writer.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "coordinator/journal/summary.h"
#include "journal/journal_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct journal_writer {
	struct loop *loop;
	const char *dir;
	void (*fn)(void *user);
	void *user;
	struct journal_queue *queue; /* NULL: the journal was not opened */
	bool ended;       /* what happens is not kept any more, or never was */
	bool lost;        /* the job is another coordinator's */
	uint64_t awaited; /* bytes: fn is called once so many are kept; 0: it is
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

static int make_summary(const char *path, off_t size, char **lines, size_t *n,
			struct error *err)
{
	CLEANUP(free)
	struct journal_replay *replay = calloc(1, sizeof(*replay));
	struct journal_end end;
	int r;

	if (!replay)
		return error_set(err, -ENOMEM, "out of memory");
	r = journal_read(path, journal_replay_entry, replay, &end, err);
	if (r == 0 && end.size != size)
		r = error_set(err, -EINVAL, "%s:%u: this line does not fit",
			      path, end.lines + 1);
	return r < 0 ? r : journal_summary_make(replay, lines, n, err);
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

/* All that fn waits for is. */
static bool is_written(const struct journal_writer *writer)
{
	return !writer->lost &&
	       (writer->ended ||
		journal_queue_kept(writer->queue) >= writer->awaited);
}

static void tell(struct journal_writer *writer)
{
	if (writer->awaited == 0 || !is_written(writer))
		return;
	writer->awaited = 0;
	writer->fn(writer->user);
}

static void on_kept(void *user)
{
	struct journal_writer *writer = user;

	if (!writer->ended)
		tell(writer);
}

static void on_failed(void *user, int code, const struct error *err)
{
	struct journal_writer *writer = user;

	if (writer->ended)
		return;
	if (code == -EBUSY) {
		lose_job(writer, err);
		return;
	}
	writer->ended = true;
	log_error("what happens from here on is not kept: %s", err->text);
	tell(writer);
}

static const struct journal_queue_ops ops = {
	.program = "coordinator",
	.kept = on_kept,
	.failed = on_failed,
	.size_max = JOURNAL_SIZE_MAX,
	.sum_up = make_summary,
};

/* ---- one entry ---- */

msec_t journal_writer_instant(const struct journal_writer *writer, msec_t now)
{
	msec_t last = writer->history.began + writer->written;

	return now > last ? now : last;
}

static void write_down(struct journal_writer *writer,
		       struct journal_entry *entry, msec_t now,
		       const char *text)
{
	char line[JOURNAL_LINE_MAX];
	size_t n;

	if (writer->ended)
		return;
	writer->written =
		journal_writer_instant(writer, now) - writer->history.began;
	entry->at = writer->written;
	snprintf(entry->text, sizeof(entry->text), "%s", text);
	n = journal_format(entry, line);
	if (journal_queue_put(writer->queue, line, n) == 0)
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
	if (!writer->ended)
		writer->awaited = journal_queue_given(writer->queue);
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

void journal_writer_binding(struct journal_writer *writer, unsigned epoch,
			    const char *text)
{
	struct journal_entry entry = {
		.kind = JOURNAL_BINDING,
		.binding = {epoch},
	};

	write_down(writer, &entry, loop_now(), text);
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

static void open_journal(struct journal_writer *writer,
			 const struct journal_end *end)
{
	struct error err;
	char path[4200];
	int r;

	path_of(writer, "", path);
	r = journal_queue_create(&writer->queue, writer->loop, path, end, &ops,
				 writer, &err);
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
	journal_queue_destroy(writer->queue);
	free(writer);
	return NULL;
}
