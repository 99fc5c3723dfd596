/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/scheduler.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"
#include "base/tree.h"
#include "scheduler/after.h"
#include "scheduler/carry_out.h"
#include "scheduler/clock.h"
#include "scheduler/decide.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct queued *scheduler_find(const struct scheduler *scheduler,
			      uint64_t number)
{
	list_for_each (at, &scheduler->jobs) {
		struct queued *queued = CONTAINER(at, struct queued, link);

		if (queued->record.number == number)
			return queued;
	}
	return NULL;
}

/* ---- what has changed ---- */

/* Of those that are over, the one that ended first. */
static struct queued *find_oldest(const struct scheduler *scheduler)
{
	struct queued *oldest = NULL;

	list_for_each (at, &scheduler->jobs) {
		struct queued *queued = CONTAINER(at, struct queued, link);

		if (queued->record.life.over &&
		    (!oldest || queued->record.ended < oldest->record.ended))
			oldest = queued;
	}
	return oldest;
}

/* Jobs that ended long ago are forgotten, with their files. */
static void forget(struct scheduler *scheduler)
{
	struct error err;
	size_t over = 0;

	list_for_each (at, &scheduler->jobs)
		over += CONTAINER(at, struct queued, link)->record.life.over;
	for (; over > OVER_MAX; over--) {
		struct queued *queued = find_oldest(scheduler);

		if (tree_remove_path(queued->programs.dir, &err) < 0)
			log_warn("job=%s its files stay: %s",
				 queued->record.name, err.text);
		queued_destroy(queued);
		scheduler->n--;
	}
}

static void settle(void *user)
{
	struct scheduler *scheduler = user;

	after_settle(scheduler);
	if (decide(scheduler) < 0)
		log_error("no decision is made: out of memory");
	carry_out(scheduler);
	forget(scheduler);
	scheduler->on_change(scheduler->user);
}

void scheduler_settle(struct scheduler *scheduler)
{
	loop_timer_set(scheduler->loop, &scheduler->settle, 0, settle,
		       scheduler);
}

static void on_kept(struct book_entry *entry, int r, const struct error *err)
{
	struct scheduler *scheduler = CONTAINER(entry, struct scheduler, kept);

	if (r == -ECANCELED)
		return;
	if (!book_is_kept(&scheduler->book, book_given(&scheduler->book)))
		book_await(&scheduler->book, entry);
	scheduler_settle(scheduler);
}

void scheduler_write(struct queued *queued, const char *why)
{
	struct scheduler *scheduler = queued->scheduler;
	struct record *record = &queued->record;

	if (why)
		text_make_safe(record->why, sizeof(record->why), why);
	book_record(&scheduler->book, record);
	queued->given = book_given(&scheduler->book);
	if (list_is_empty(&scheduler->kept.link))
		book_await(&scheduler->book, &scheduler->kept);
}

/* ---- the beginning ---- */

static void read_file(struct jobfile **file, const struct scheduler *scheduler,
		      const struct record *record)
{
	char path[PATH_MAX];
	struct error err;

	if (record->life.over)
		return;
	queued_dir(scheduler->dir.path, record->number, path);
	strncat(path, "/job.yaml", sizeof(path) - strlen(path) - 1);
	if (jobfile_read(file, path, record->folder, &err) < 0)
		log_warn("job=%s its file is refused now: %s", record->name,
			 err.text);
}

/* A clock that was wrong before must not make jobs wait for it now. */
static void trim_instants(struct record *record)
{
	msec_t now = clock_wall();

	record->submitted = record->submitted < now ? record->submitted : now;
	record->changed = record->changed < now ? record->changed : now;
}

static int adopt(struct scheduler *scheduler, const struct record *record,
		 struct error *err)
{
	CLEANUP(jobfile_destroy) struct jobfile *file = NULL;
	struct queued *queued;
	int user = usage_find(&scheduler->usage, record->user), r;

	if (user < 0)
		return error_set(err, user, "out of memory");
	r = place_check_begun(&scheduler->place, record, err);
	if (r < 0)
		return r;
	read_file(&file, scheduler, record);
	r = queued_create(&queued, scheduler, record, file, err);
	/* what it runs on has changed: its start will say so */
	if (r == -EINVAL)
		r = queued_create(&queued, scheduler, record, NULL, err);
	if (r < 0)
		return r;
	list_append(&scheduler->jobs, &queued->link);
	queued->sched.user = (unsigned)user;
	queued->written = true;
	/* once is enough, also for many schedulers */
	queued->is_explained = record->decisions > 0;
	queued->record.life.told = record->life.grant;
	trim_instants(&queued->record);
	scheduler->n++;
	scheduler->next = record->number + 1;
	return carry_out_prepare(queued, err);
}

static int read_journal(struct replay *replay, struct journal_end *end,
			const struct scheduler *scheduler, struct error *err)
{
	char path[PATH_MAX + 16];
	int r;

	snprintf(path, sizeof(path), "%s/journal", scheduler->dir.path);
	r = journal_file_read(path, replay_line, replay, end, err);
	if (r == -ENOENT)
		return 0;
	if (replay->failed)
		return error_set(err, -ENOMEM, "out of memory");
	if (r == 0 && end->torn)
		log_warn("%s: the last line is torn, and was not acted upon",
			 path);
	if (r == 0 && end->damaged)
		log_error("%s:%u: damaged; what follows is not believed, and "
			  "kept in %s.damaged",
			  path, end->lines + 1, path);
	return r;
}

static int make_folder(const struct scheduler *scheduler, struct error *err)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s/jobs", scheduler->dir.path);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return error_errno(err, "%s", path);
	return 0;
}

int scheduler_begin(struct scheduler *scheduler, struct error *err)
{
	CLEANUP(replay_fini) struct replay replay = {0};
	struct journal_end end = {0};
	int r = make_folder(scheduler, err);

	list_init(&scheduler->jobs);
	list_init(&scheduler->kept.link);
	scheduler->kept.fn = on_kept;
	scheduler->next = 1;
	scheduler->changed = true;
	scheduler->settle_now = settle;
	scheduler->jobs_lookup = scheduler->config->lookup;
	scheduler->jobs_lookup.state = NULL;
	if (r == 0)
		r = read_journal(&replay, &end, scheduler, err);
	if (r == 0)
		r = book_open(&scheduler->book, scheduler->loop,
			      scheduler->dir.path, &end, err);
	for (size_t i = 0; r == 0 && i < replay.n; i++)
		r = adopt(scheduler, &replay.at[i], err);
	if (r < 0)
		return r;
	scheduler->decisions = replay.decisions;
	replay.decisions = (struct decisions){0};
	scheduler_settle(scheduler);
	return 0;
}

void scheduler_end(struct scheduler *scheduler)
{
	loop_timer_clear(&scheduler->settle);
	loop_timer_clear(&scheduler->again);
	if (scheduler->jobs.next)
		list_for_each (at, &scheduler->jobs)
			queued_destroy(CONTAINER(at, struct queued, link));
	decide_end(scheduler);
	book_close(&scheduler->book);
	decisions_fini(&scheduler->decisions);
	usage_fini(&scheduler->usage);
	spans_fini(&scheduler->spans);
	place_close(&scheduler->place);
}
