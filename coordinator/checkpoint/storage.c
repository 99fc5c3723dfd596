/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/storage.h"

#include "base/cleanup.h"
#include "base/log.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum {
	NOTE_EVERY = 10000,
	ILL_MAX = 150,    /* bytes of a sentence */
	FAILURES_MAX = 2, /* then it is the checkpoint's fault */
};

struct storage {
	struct loop *loop;
	const struct jobfile *job;
	const struct storage_events *events;
	void *user;
	struct checkpoint_store *store;
	struct disk *disk;
	struct loop_timer note; /* of what writes without being told to */
	struct checkpoint newest;

	unsigned unreadable; /* epoch whose ranks say that it is */
	uint64_t failed;     /* mark of what the last start that ended too soon
			      * was to go on from */
	unsigned failures;   /* how many one after the other */

	char *ill[MEMBERS_MAX]; /* what executors cannot write; owned */
};

static void on_disk(void *user, const char *text, bool well)
{
	struct storage *storage = user;

	storage->events->disk(storage->user, text, well);
}

static void on_unkept(void *user, const char *text)
{
	struct storage *storage = user;

	storage->events->unkept(storage->user, text);
}

/* newest: what the job was to go on from, as far as that is known. */
static void go_back(struct storage *storage, const struct checkpoint *newest,
		    const struct checkpoint *older, const char *why)
{
	storage->newest = *older;
	storage->events->went_back(storage->user, newest, older, why);
}

/* ---- which checkpoint ---- */

const struct checkpoint *storage_newest(const struct storage *storage)
{
	return &storage->newest;
}

void storage_set_step(struct storage *storage, uint64_t step)
{
	storage->newest.step = step;
}

bool storage_find(struct storage *storage)
{
	const struct jobfile *job = storage->job;
	struct checkpoint found;
	struct error err;
	int r = job->adapter->checkpoint(&job->app, &found, &err);
	bool newer = r == 0 && found.mark != storage->newest.mark;

	if (r < 0)
		log_warn("the checkpoint that is there is not used: %s",
			 err.text);
	if (newer)
		storage->newest = found;
	return newer;
}

int storage_mend(struct storage *storage, bool goes_on,
		 enum checkpoint_found *out, struct error *err)
{
	const struct jobfile *job = storage->job;
	struct checkpoint now;
	int r;

	*out = CHECKPOINT_FOUND;
	if (goes_on) { /* its ranks may write; before a start they do not */
		r = job->adapter->checkpoint(&job->app, &now, err);
		return checkpoint_is_damaged(r) ? 0 : r;
	}
	r = checkpoint_store_repair(storage->store, err);
	if (r < 0)
		return r;
	*out = (enum checkpoint_found)r;
	return 0;
}

void storage_on_begun(struct storage *storage, enum checkpoint_found state)
{
	const struct checkpoint unknown = {0}, now = storage->newest;

	if (state == CHECKPOINT_ROLLED_BACK)
		go_back(storage, &unknown, &now,
			"is damaged, and now in " ADAPTER_KEPT "/damaged");
	if (state == CHECKPOINT_ONLY_KEPT)
		log_warn("there is no checkpoint in %s, so the job begins "
			 "anew; one that was kept is in " ADAPTER_KEPT,
			 storage_dir(storage));
}

void storage_on_start(struct storage *storage)
{
	const struct jobfile *job = storage->job;
	const struct checkpoint newest = storage->newest;
	struct checkpoint found;
	int r = job->adapter->checkpoint(&job->app, &found, NULL);

	if (r == 0 && found.mark != storage->newest.mark &&
	    found.step < storage->newest.step)
		go_back(storage, &newest, &found, "is gone, or damaged");
	else if (checkpoint_is_damaged(r) &&
		 checkpoint_store_roll_back(storage->store, NULL, false, &found,
					    NULL) == 0)
		go_back(storage, &newest, &found, "is gone, or damaged");
}

void storage_on_unreadable(struct storage *storage, unsigned epoch)
{
	storage->unreadable = epoch;
}

/* By itself, and not killed by somebody. */
static bool ended_by_itself(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) != 128 + SIGKILL &&
	       WEXITSTATUS(status) != 128 + SIGTERM;
}

static void count_failure(struct storage *storage, uint64_t mark)
{
	if (storage->failed != mark)
		storage->failures = 0;
	storage->failed = mark;
	storage->failures++;
}

enum job_event_type storage_verdict(struct storage *storage,
				    const struct job *job, int status)
{
	const struct checkpoint newest = storage->newest;
	bool said = storage->unreadable == job->epoch;
	struct checkpoint older;

	if (!job->has_checkpoint || job->stepped ||
	    job->state == JOB_STOPPING || job_is_over(job) ||
	    (!said && !ended_by_itself(status)))
		return JOB_EV_CRASHED;
	count_failure(storage, storage->newest.mark);
	if (!said && (checkpoint_store_has_suspect(storage->store) ||
		      (job->worked && storage->failures < FAILURES_MAX)))
		return JOB_EV_CRASHED;
	if (job->retries_left == 0 ||
	    checkpoint_store_roll_back(storage->store, &newest, !said, &older,
				       NULL) < 0)
		return JOB_EV_CRASHED;
	go_back(storage, &newest, &older,
		said ? "cannot be read" : "may be what the start ended for");
	return JOB_EV_UNREADABLE;
}

/* ---- with the job ---- */

static void on_note(void *user)
{
	struct storage *storage = user;

	/* A look into a directory that does not answer may block. */
	if (disk_is_well(storage->disk, DISK_CHECKPOINT))
		checkpoint_store_keep_settled(storage->store);
	loop_timer_set(storage->loop, &storage->note, NOTE_EVERY, on_note,
		       storage);
}

/* An application that overwrites its checkpoint may need no more room. */
static void set_room(struct storage *storage)
{
	enum former_kind former = storage->job->adapter->former;

	disk_set_room(storage->disk,
		      former == FORMER_UNKNOWN ? 0 : storage->newest.bytes);
}

static void on_proven(struct storage *storage)
{
	set_room(storage);
	checkpoint_store_confirm_damage(storage->store);
	storage->failures = 0;
}

/* A start that is proven by what it wrote may have ended by then. */
static bool computes_on(const struct job *job)
{
	return job->stepped && job_computes(job);
}

static void on_computing(struct storage *storage, const struct job *job)
{
	if (jobfile_saves_unasked(storage->job)) /* and nobody tells when */
		on_note(storage);
	else if (job->has_checkpoint)
		checkpoint_store_keep(storage->store);
}

static void on_failed(struct storage *storage, const struct job *job)
{
	struct error err;

	if (!job->has_checkpoint ||
	    !checkpoint_store_has_suspect(storage->store))
		return;
	if (checkpoint_store_undo_rollback(storage->store, &err) < 0)
		log_warn("the newest checkpoint is in " ADAPTER_KEPT
			 "/doubted, and was not put back: %s",
			 err.text);
	else
		log_info("the newest checkpoint is put back: it was not for "
			 "its sake");
}

void storage_on_step(struct storage *storage, const struct job *before,
		     const struct job *job)
{
	bool moved = job->state != before->state;
	bool failed = job->state == JOB_STOPPING && !before->stepped;

	if (!job_computes(job)) {
		loop_timer_clear(&storage->note);
		checkpoint_store_abandon_copy(storage->store);
	}
	if (job->stepped && !before->stepped)
		on_proven(storage);
	if (computes_on(job) && !computes_on(before))
		on_computing(storage, job);
	if (job_has_dropped(job, before) ||
	    (moved && failed)) /* it may have been a disk */
		disk_look(storage->disk);
	if (moved && job->state == JOB_FAILED)
		on_failed(storage, job);
	if (moved && job->state == JOB_DONE)
		checkpoint_store_clear(storage->store);
}

int storage_on_prepare(struct storage *storage, struct error *err)
{
	const char *obstacle = disk_obstacle(storage->disk);

	if (*obstacle)
		return error_set(err, -ENOSPC, "%s", obstacle);
	disk_look(storage->disk);
	return 0;
}

void storage_on_order(struct storage *storage)
{
	checkpoint_store_make_room(storage->store, storage->newest.bytes);
	set_room(storage);
}

bool storage_may_save(struct storage *storage)
{
	if (disk_is_well(storage->disk, DISK_CHECKPOINT))
		return true;
	checkpoint_store_make_room(storage->store, storage->newest.bytes);
	disk_look(storage->disk);
	return false;
}

/* ---- disks ---- */

/* One of them stands for all. */
static void tell_executors(struct storage *storage)
{
	char text[DISK_TEXT_MAX] = "", more[48] = "";
	const char *first = "";
	unsigned n = 0;

	for (int i = MEMBERS_MAX - 1; i >= 0; i--)
		if (storage->ill[i]) {
			first = storage->ill[i];
			n++;
		}
	if (n > 1)
		snprintf(more, sizeof(more), ", and %u more", n - 1);
	snprintf(text, sizeof(text), "%s%s", first, more);
	disk_set(storage->disk, DISK_EXECUTORS, text);
}

void storage_on_report(struct storage *storage, int member, const char *name,
		       const char *text)
{
	char **ill = &storage->ill[member];
	char now[MEMBER_NAME_MAX + ILL_MAX];

	if (!*ill && !*text)
		return;
	snprintf(now, sizeof(now), "%s: %.*s", name, ILL_MAX, text);
	free(*ill);
	*ill = *text ? strdup(now) : NULL;
	tell_executors(storage);
}

void storage_on_gone(struct storage *storage, int member)
{
	storage_on_report(storage, member, "", "");
}

const char *storage_obstacle(const struct storage *storage)
{
	return disk_obstacle(storage->disk);
}

const char *storage_trouble(const struct storage *storage)
{
	return disk_trouble(storage->disk);
}

const char *storage_dir(const struct storage *storage)
{
	return storage->job->app.checkpoint_dir;
}

void storage_on_output(struct storage *storage, const char *text)
{
	disk_set(storage->disk, DISK_OUTPUT, text);
}

/* ---- life ---- */

int storage_create(struct storage **out, struct loop *loop,
		   const struct jobfile *job, const char *state_dir,
		   const char *bindir, const struct storage_events *events,
		   void *user, struct error *err)
{
	CLEANUP(storage_destroy)
	struct storage *storage = calloc(1, sizeof(*storage));
	int r;

	if (!storage)
		return error_set(err, -ENOMEM, "out of memory");
	storage->loop = loop;
	storage->job = job;
	storage->events = events;
	storage->user = user;
	r = checkpoint_store_create(&storage->store, loop, job, on_unkept,
				    storage, err);
	if (r == 0)
		r = disk_create(&storage->disk, loop, job, state_dir, bindir,
				on_disk, storage, err);
	if (r < 0)
		return r;
	*out = STEAL(storage);
	return 0;
}

struct storage *storage_destroy(struct storage *storage)
{
	if (!storage)
		return NULL;
	loop_timer_clear(&storage->note);
	for (int i = 0; i < MEMBERS_MAX; i++)
		free(storage->ill[i]);
	checkpoint_store_destroy(storage->store);
	disk_destroy(storage->disk);
	free(storage);
	return NULL;
}
