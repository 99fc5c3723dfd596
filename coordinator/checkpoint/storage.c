/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/storage.h"

#include "base/log.h"
#include "coordinator/coordinator.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

enum {
	NOTE_EVERY = 10000,
	ILL_MAX = 150,    /* bytes of a sentence */
	FAILURES_MAX = 2, /* then it is the checkpoint's fault */
};

/* ---- telling ---- */

static void notice(struct coordinator *c, Bellows__V1__NoticeKind kind,
		   const char *text)
{
	if (!job_is_over(&c->job) && record_notice(c->record, kind, text))
		service_publish(c, PUBLISH_SOON);
}

static void on_disk(void *user, const char *text, bool well)
{
	struct coordinator *c = user;

	if (well)
		log_info("%s", text);
	else
		log_warn("%s", text);
	notice(c,
	       well ? BELLOWS__V1__NOTICE_KIND__NOTICE_DISK_WELL
		    : BELLOWS__V1__NOTICE_KIND__NOTICE_DISK,
	       text);
	if (c->job.state == JOB_PREPARING && *disk_obstacle(c->storage.disk))
		coordinator_post(c, JOB_EV_UNPREPARED, c->job.next, 0,
				 disk_obstacle(c->storage.disk));
}

static void tell_checkpoint(struct coordinator *c, const char *text)
{
	log_warn("%s", text);
	notice(c, BELLOWS__V1__NOTICE_KIND__NOTICE_CHECKPOINT, text);
}

static void on_unkept(void *user, const char *text)
{
	tell_checkpoint(user, text);
}

/* As far as its step is known. */
static const char *name_of(const struct checkpoint *which, const char *unnamed,
			   char text[64])
{
	if (which->step > 0)
		snprintf(text, 64, "the one of step %" PRIu64, which->step);
	else
		snprintf(text, 64, "%s", unnamed);
	return text;
}

/* The job goes on from older; newest: what it was to go on from, as far as
 * that is known. */
static void go_on_from(struct coordinator *c, const struct checkpoint *newest,
		       const struct checkpoint *older, const char *why)
{
	uint64_t seen = c->history->step > newest->step ? c->history->step
							: newest->step;
	char bad[64], good[64], text[REASON_MAX], repeated[96] = "";

	if (older->step > 0 && seen > older->step)
		snprintf(repeated, sizeof(repeated),
			 ", and %" PRIu64 " %s are computed again",
			 seen - older->step, jobfile_unit(c->jobfile));
	snprintf(text, sizeof(text),
		 "of the checkpoints, %s %s: going on from %s%s",
		 name_of(newest, "the newest", bad), why,
		 name_of(older, "the one before", good), repeated);
	c->checkpoint = *older;
	c->saved_after = 0;
	tell_checkpoint(c, text);
	if (*repeated)
		record_repeated(c->record, seen - older->step);
}

/* ---- which checkpoint ---- */

int storage_mend(struct coordinator *c, enum keep_state *out, struct error *err)
{
	const struct jobfile *job = c->jobfile;
	struct checkpoint now;
	int r;

	*out = KEEP_FINE;
	if (c->past) { /* its ranks may write; before a start they do not */
		r = job->adapter->checkpoint(&job->app, &now, err);
		return keep_is_damaged(r) ? 0 : r;
	}
	r = keep_mend(c->storage.keep, err);
	if (r < 0)
		return r;
	*out = (enum keep_state)r;
	return 0;
}

void storage_on_begun(struct coordinator *c, enum keep_state state)
{
	const struct checkpoint unknown = {0}, now = c->checkpoint;

	if (state == KEEP_BACK)
		go_on_from(c, &unknown, &now,
			   "is damaged, and now in " ADAPTER_KEPT "/damaged");
	if (state == KEEP_EMPTY)
		log_warn("there is no checkpoint in %s, so the job begins "
			 "anew; one that was kept is in " ADAPTER_KEPT,
			 storage_dir(c));
}

void storage_on_start(struct coordinator *c)
{
	const struct jobfile *job = c->jobfile;
	const struct checkpoint newest = c->checkpoint;
	struct checkpoint found;
	int r;

	if (!c->job.has_checkpoint || c->saved) /* it was seen just now */
		return;
	r = job->adapter->checkpoint(&job->app, &found, NULL);
	if (r == 0 && found.mark != c->checkpoint.mark &&
	    found.step < c->checkpoint.step)
		go_on_from(c, &newest, &found, "is gone, or damaged");
	else if (keep_is_damaged(r) &&
		 keep_go_back(c->storage.keep, NULL, false, &found, NULL) == 0)
		go_on_from(c, &newest, &found, "is gone, or damaged");
}

void storage_on_unreadable(struct coordinator *c, unsigned epoch)
{
	c->storage.unreadable = epoch;
}

/* By itself, and not killed by somebody. */
static bool ended_by_itself(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) != 128 + SIGKILL &&
	       WEXITSTATUS(status) != 128 + SIGTERM;
}

bool storage_left_unsaved(const struct coordinator *c)
{
	if (c->save_ordered != c->job.epoch || c->saved)
		return false;
	if (!c->judged)
		return c->job.state == JOB_SAVING;
	return c->storage.unread ||
	       (c->history->total != 0 && c->history->step < c->history->total);
}

static void count_failure(struct storage *storage, uint64_t mark)
{
	if (storage->failed != mark)
		storage->failures = 0;
	storage->failed = mark;
	storage->failures++;
}

enum job_event_type storage_verdict(struct coordinator *c, int status)
{
	struct storage *storage = &c->storage;
	const struct checkpoint newest = c->checkpoint;
	bool said = storage->unreadable == c->job.epoch;
	struct checkpoint older;

	if (!c->job.has_checkpoint || c->job.stepped ||
	    c->job.state == JOB_STOPPING || job_is_over(&c->job) ||
	    (!said && !ended_by_itself(status)))
		return JOB_EV_CRASHED;
	count_failure(storage, c->checkpoint.mark);
	if (!said && (keep_is_doubted(storage->keep) ||
		      (c->job.worked && storage->failures < FAILURES_MAX)))
		return JOB_EV_CRASHED;
	if (c->job.retries_left == 0 ||
	    keep_go_back(storage->keep, &newest, !said, &older, NULL) < 0)
		return JOB_EV_CRASHED;
	go_on_from(c, &newest, &older,
		   said ? "cannot be read" : "may be what the start ended for");
	return JOB_EV_UNREADABLE;
}

/* ---- with the job ---- */

static void on_note(void *user)
{
	struct coordinator *c = user;

	/* whoever looks there may have to wait */
	if (disk_is_well(c->storage.disk, DISK_CHECKPOINT))
		keep_watch(c->storage.keep);
	loop_timer_set(c->loop, &c->storage.note, NOTE_EVERY, on_note, c);
}

/* Whoever writes over what is there may need none. */
static void set_room(struct coordinator *c)
{
	enum former_kind former = c->jobfile->adapter->former;

	disk_set_room(c->storage.disk,
		      former == FORMER_UNKNOWN ? 0 : c->checkpoint.bytes);
}

static void on_proven(struct coordinator *c)
{
	set_room(c);
	keep_confirm(c->storage.keep);
	c->storage.failures = 0;
}

/* Who is proven by what it wrote may have left by then. */
static bool computes_on(const struct job *job)
{
	return job->stepped && job_computes(job);
}

static void on_computing(struct coordinator *c)
{
	if (jobfile_saves_unasked(c->jobfile)) /* and nobody tells when */
		on_note(c);
	else if (c->job.has_checkpoint)
		keep_note(c->storage.keep);
}

static void on_failed(struct coordinator *c)
{
	struct error err;

	if (!c->job.has_checkpoint || !keep_is_doubted(c->storage.keep))
		return;
	if (keep_undo(c->storage.keep, &err) < 0)
		log_warn("the newest checkpoint is in " ADAPTER_KEPT
			 "/doubted, and was not put back: %s",
			 err.text);
	else
		log_info("the newest checkpoint is put back: it was not for "
			 "its sake");
}

void storage_on_step(struct coordinator *c, const struct job *before)
{
	const struct job *job = &c->job;
	bool moved = job->state != before->state;
	bool failed = job->state == JOB_STOPPING && !before->stepped;

	if (!job_computes(job)) {
		loop_timer_clear(&c->storage.note);
		keep_give_up(c->storage.keep);
	}
	if (job->stepped && !before->stepped)
		on_proven(c);
	if (computes_on(job) && !computes_on(before))
		on_computing(c);
	if (job_has_dropped(job, before) ||
	    (moved && failed)) /* it may have been a disk */
		disk_look(c->storage.disk);
	if (moved && job->state == JOB_FAILED)
		on_failed(c);
	if (moved && job->state == JOB_DONE)
		keep_clear(c->storage.keep);
}

int storage_on_prepare(struct coordinator *c, struct error *err)
{
	const char *obstacle = disk_obstacle(c->storage.disk);

	if (*obstacle)
		return error_set(err, -ENOSPC, "%s", obstacle);
	disk_look(c->storage.disk);
	return 0;
}

void storage_on_order(struct coordinator *c)
{
	keep_yield(c->storage.keep, c->checkpoint.bytes);
	set_room(c);
}

bool storage_may_save(struct coordinator *c)
{
	if (disk_is_well(c->storage.disk, DISK_CHECKPOINT))
		return true;
	keep_yield(c->storage.keep, c->checkpoint.bytes);
	disk_look(c->storage.disk);
	return false;
}

/* ---- disks ---- */

/* One of them stands for all. */
static void tell_executors(struct coordinator *c)
{
	const struct storage *storage = &c->storage;
	char text[DISK_TEXT_MAX] = "", more[48] = "";
	int first = 0;
	unsigned n = 0;

	for (int i = MEMBERS_MAX - 1; i >= 0; i--)
		if (storage->ill[i]) {
			first = i;
			n++;
		}
	if (n > 1)
		snprintf(more, sizeof(more), ", and %u more", n - 1);
	if (n > 0)
		snprintf(text, sizeof(text), "%s: %s%s",
			 members_ledger(c->members)->members[first].name,
			 storage->ill[first], more);
	disk_set(storage->disk, DISK_EXECUTORS, text);
}

static void set_executor(struct coordinator *c, int member, const char *text)
{
	char **ill = &c->storage.ill[member];

	if (!*ill && !*text)
		return;
	free(*ill);
	*ill = *text ? strndup(text, ILL_MAX) : NULL;
	tell_executors(c);
}

void storage_on_report(struct coordinator *c, int member,
		       const Bellows__V1__Disk *report)
{
	set_executor(c, member, report->trouble);
}

void storage_on_gone(struct coordinator *c, int member)
{
	set_executor(c, member, "");
}

const char *storage_dir(const struct coordinator *c)
{
	return c->jobfile->app.checkpoint_dir;
}

void storage_on_output(struct coordinator *c, const char *text)
{
	disk_set(c->storage.disk, DISK_OUTPUT, text);
}

/* ---- life ---- */

int storage_create(struct coordinator *c, const char *bindir, struct error *err)
{
	int r = keep_create(&c->storage.keep, c->loop, c->jobfile, on_unkept, c,
			    err);

	if (r < 0)
		return r;
	return disk_create(&c->storage.disk, c->loop, c->jobfile,
			   c->config->state, bindir, on_disk, c, err);
}

void storage_destroy(struct coordinator *c)
{
	loop_timer_clear(&c->storage.note);
	for (int i = 0; i < MEMBERS_MAX; i++)
		free(c->storage.ill[i]);
	c->storage.keep = keep_destroy(c->storage.keep);
	c->storage.disk = disk_destroy(c->storage.disk);
}
