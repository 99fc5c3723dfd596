/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/record.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct record {
	struct loop *loop;
	const char *dir;
	struct journal *journal; /* NULL: what happens is not kept */
	msec_t written;          /* newest instant that it has */
	uint64_t seen;           /* step that it has */
	struct history history;
	struct requests requests;
};

static void path_of(const struct record *record, const char *folder,
		    char path[4200])
{
	snprintf(path, 4200, "%s/%sjournal", record->dir, folder);
}

/* ---- one entry ---- */

/* Whatever became known when: what is written later is not earlier. */
static msec_t instant_of(struct record *record, msec_t now)
{
	msec_t at = now - record->history.began;

	if (at > record->written)
		record->written = at;
	return record->written;
}

static bool write_down(struct record *record, struct journal_entry *entry,
		       msec_t now, const char *text)
{
	struct error err;
	int r;

	if (!record->journal)
		return true;
	entry->at = instant_of(record, now);
	snprintf(entry->text, sizeof(entry->text), "%s", text);
	r = journal_append(record->journal, entry, &err);
	if (r == 0)
		return true;
	record->journal = journal_close(record->journal);
	if (r != -EBUSY) {
		log_error("what happens from here on is not kept: %s",
			  err.text);
		return true;
	}
	log_error("%s, and has the job now", err.text);
	loop_stop(record->loop, -EBUSY);
	return false;
}

/* How far the application is, if that has changed. */
static bool write_progress(struct record *record, msec_t now)
{
	struct journal_entry entry = {
		.kind = JOURNAL_SEEN,
		.seen = {.step = record->history.step,
			 .total = record->history.total,
			 .when = record->history.last_step,
			 .first = record->history.step ==
				  record->history.first_step},
	};

	if (record->seen == record->history.step)
		return true;
	record->seen = record->history.step;
	return write_down(record, &entry, now, "");
}

bool record_event(struct record *record, const struct job_event *event,
		  const char *reason)
{
	struct journal_entry entry = {
		.kind = JOURNAL_EVENT,
		.event = {event->type, event->epoch, event->size, 0},
	};

	if (event->leave != 0)
		entry.event.leave = event->leave - record->history.began;
	return write_progress(record, event->now) &&
	       write_down(record, &entry, event->now, reason);
}

void record_request(struct record *record, const struct request *request)
{
	struct journal_entry entry = {
		.kind = JOURNAL_REQUEST,
		.request = {request->from, request->to},
	};

	requests_add(&record->requests, request);
	if (*request->id)
		write_down(record, &entry, loop_now(), request->id);
}

void record_repeated(struct record *record, uint64_t steps)
{
	struct journal_entry entry = {
		.kind = JOURNAL_REPEATED,
		.repeated = {steps},
	};

	history_on_repeated(&record->history, steps);
	write_down(record, &entry, loop_now(), "");
}

bool record_notice(struct record *record, Bellows__V1__NoticeKind kind,
		   const char *text)
{
	struct journal_entry entry = {
		.kind = JOURNAL_NOTICE,
		.notice = {kind},
	};
	msec_t now = loop_now();

	if (!history_notice(&record->history, kind, text, now))
		return false;
	write_down(record, &entry, now, text);
	return true;
}

const struct request *record_find_request(const struct record *record,
					  const char *id)
{
	return requests_find(&record->requests, id);
}

struct history *record_history(struct record *record)
{
	return &record->history;
}

/* ---- the beginning ---- */

static void set_aside(const struct record *record)
{
	char path[4200], previous[4200];

	path_of(record, "", path);
	path_of(record, "previous/", previous);
	if (rename(path, previous) < 0 && errno != ENOENT)
		log_warn("%s is not set aside: %s", path, strerror(errno));
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
	return file_replace(path, 0600, text, n, err);
}

static void begin(struct record *record, const struct journal_end *end)
{
	struct error err;
	char path[4200];
	int r = 0;

	path_of(record, "", path);
	if (end->damaged) {
		log_error("%s:%u: damaged; what follows is not believed, and "
			  "kept in %s.damaged",
			  path, end->lines + 1, path);
		r = put_right(path, end->size, &err);
	}
	if (r == 0)
		r = journal_open(&record->journal, path, end->size, &err);
	if (r < 0)
		log_error("what happens is not kept: %s", err.text);
	record->seen = record->history.step;
}

void record_begin(struct record *record, const struct job *job,
		  const char *name)
{
	const struct journal_end nothing = {0};
	struct journal_entry entry = {
		.kind = JOURNAL_BEGUN,
		.begun = {.wall = journal_wall_clock(),
			  .initial = job->want,
			  .retries = job->retries_left,
			  .starts = job->starts,
			  .has_checkpoint = job->has_checkpoint,
			  .proves = job->patience.resume != 0},
	};
	msec_t now = loop_now();

	history_init(&record->history, now);
	set_aside(record);
	begin(record, &nothing);
	write_down(record, &entry, now, name);
}

void record_go_on(struct record *record, const struct journal_replay *replay,
		  const struct job *job, const struct journal_end *end)
{
	struct journal_entry entry = {
		.kind = JOURNAL_LIFE,
		.life = {journal_wall_clock(), job->starts},
	};
	msec_t now = loop_now();

	record->history = replay->history;
	history_shift(&record->history,
		      journal_replay_began(replay, journal_wall_clock(), now));
	record->requests = replay->requests;
	record->written = replay->last;
	begin(record, end);
	write_down(record, &entry, now, "");
}

/* ---- life ---- */

int record_create(struct record **out, struct loop *loop, const char *dir,
		  struct error *err)
{
	struct record *record = calloc(1, sizeof(*record));

	if (!record)
		return error_set(err, -ENOMEM, "out of memory");
	record->loop = loop;
	record->dir = dir;
	*out = record;
	return 0;
}

struct record *record_destroy(struct record *record)
{
	if (!record)
		return NULL;
	journal_close(record->journal);
	free(record);
	return NULL;
}
