/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/coordinator.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"

#include <errno.h>
#include <string.h>

/*
 * What happens, written down before anything is done about it
 *
 * A journal that cannot be written does not hold up the job: its ranks compute
 * on, it is said once, and the journal ends there.  A coordinator that takes
 * over then knows the job as it was at that time, and the checkpoint as it is.
 */

static void path_of(const struct coordinator *c, const char *folder,
		    char path[4200])
{
	snprintf(path, 4200, "%s/%sjournal", c->config->state, folder);
}

/* ---- one entry ---- */

/* Whatever became known when: what is written later is not earlier. */
static msec_t instant_of(struct coordinator *c, msec_t now)
{
	msec_t at = now - c->history.began;

	if (at > c->written)
		c->written = at;
	return c->written;
}

static bool write_down(struct coordinator *c, struct journal_entry *entry,
		       msec_t now, const char *text)
{
	struct error err;
	int r;

	if (!c->journal)
		return true;
	entry->at = instant_of(c, now);
	snprintf(entry->text, sizeof(entry->text), "%s", text);
	r = journal_append(c->journal, entry, &err);
	if (r == 0)
		return true;
	c->journal = journal_close(c->journal);
	if (r != -EBUSY) {
		log_error("what happens from here on is not kept: %s",
			  err.text);
		return true;
	}
	log_error("%s, and has the job now", err.text);
	loop_stop(c->loop, -EBUSY);
	return false;
}

/* How far the application is, if that has changed. */
static bool write_progress(struct coordinator *c, msec_t now)
{
	struct journal_entry entry = {
		.kind = JOURNAL_SEEN,
		.seen = {.step = c->history.step,
			 .total = c->history.total,
			 .when = c->history.last_step,
			 .first = c->history.step == c->history.first_step},
	};

	if (c->seen == c->history.step)
		return true;
	c->seen = c->history.step;
	return write_down(c, &entry, now, "");
}

bool record_event(struct coordinator *c, const struct job_event *event,
		  const char *reason)
{
	struct journal_entry entry = {
		.kind = JOURNAL_EVENT,
		.event = {event->type, event->epoch, event->size, 0},
	};

	if (event->leave != 0)
		entry.event.leave = event->leave - c->history.began;
	return write_progress(c, event->now) &&
	       write_down(c, &entry, event->now, reason);
}

void record_request(struct coordinator *c, const struct request *request)
{
	struct journal_entry entry = {
		.kind = JOURNAL_REQUEST,
		.request = {request->from, request->to},
	};

	requests_add(&c->requests, request);
	if (*request->id)
		write_down(c, &entry, loop_now(), request->id);
}

void record_repeated(struct coordinator *c, uint64_t steps)
{
	struct journal_entry entry = {
		.kind = JOURNAL_REPEATED,
		.repeated = {steps},
	};

	history_on_repeated(&c->history, steps);
	write_down(c, &entry, loop_now(), "");
}

bool record_notice(struct coordinator *c, Bellows__V1__NoticeKind kind,
		   const char *text)
{
	struct journal_entry entry = {
		.kind = JOURNAL_NOTICE,
		.notice = {kind},
	};
	msec_t now = loop_now();

	if (!history_notice(&c->history, kind, text, now))
		return false;
	write_down(c, &entry, now, text);
	return true;
}

/* ---- the beginning ---- */

static void set_aside(const struct coordinator *c)
{
	char path[4200], previous[4200];

	path_of(c, "", path);
	path_of(c, "previous/", previous);
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

static int open_it(struct coordinator *c, const struct journal_end *end,
		   struct error *err)
{
	char path[4200];
	int r = 0;

	path_of(c, "", path);
	if (c->past && end->damaged) {
		log_error("%s:%u: damaged; what follows is not believed, and "
			  "kept in %s.damaged",
			  path, end->lines + 1, path);
		r = put_right(path, end->size, err);
	}
	return r < 0 ? r
		     : journal_open(&c->journal, path, c->past ? end->size : 0,
				    err);
}

static bool write_first(struct coordinator *c)
{
	struct journal_entry begun = {
		.kind = JOURNAL_BEGUN,
		.begun = {.wall = journal_wall_clock(),
			  .initial = c->job.want,
			  .retries = c->job.retries_left,
			  .starts = c->job.starts,
			  .has_checkpoint = c->job.has_checkpoint,
			  .proves = c->job.patience.resume != 0},
	};
	struct journal_entry life = {
		.kind = JOURNAL_LIFE,
		.life = {journal_wall_clock(), c->job.starts},
	};

	msec_t now = loop_now();

	return c->past ? write_down(c, &life, now, "")
		       : write_down(c, &begun, now, c->jobfile->name);
}

void record_begin(struct coordinator *c, const struct journal_end *end)
{
	struct error err;

	if (!c->past)
		set_aside(c);
	c->seen = c->history.step;
	c->written = c->past ? c->past->last : 0;
	if (open_it(c, end, &err) < 0)
		log_error("what happens is not kept: %s", err.text);
	else
		write_first(c);
}
