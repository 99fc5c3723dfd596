/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/recovery.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "core/end_cause.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOTE_EVERY SECONDS(10)

enum {
	ILL_MAX = 150,    /* bytes of a sentence */
	FAILURES_MAX = 2, /* then it is the checkpoint's fault */
};

struct checkpoint_recovery {
	struct loop *loop;
	const struct jobfile *job;
	const struct checkpoint_recovery_events *events;
	void *user;
	struct checkpoint_store *store;
	struct disk *disk;
	struct loop_timer note; /* of what writes without being told to */
	struct disk_visitor visitor;
	unsigned wants; /* set of enum want: once the directory answers */
	bool computes;  /* ranks are proven, and compute */
	struct checkpoint newest;

	unsigned unreadable;    /* epoch whose ranks say that it is */
	struct unreadable none; /* of the checkpoints can be read */
	uint64_t failed;   /* mark of what the last start that ended too soon
			    * was to go on from */
	unsigned failures; /* how many one after the other */

	char *ill[MEMBERS_MAX]; /* what executors cannot write; owned */
};

static void on_disk(void *user, const char *text, bool well)
{
	struct checkpoint_recovery *recovery = user;

	recovery->events->disk(recovery->user, text, well);
}

static void on_unkept(void *user, const char *text)
{
	struct checkpoint_recovery *recovery = user;

	recovery->events->unkept(recovery->user, text);
}

/* newest: what the job was to go on from, as far as that is known. */
static void go_back(struct checkpoint_recovery *recovery,
		    const struct checkpoint *newest,
		    const struct checkpoint *older, const char *why)
{
	recovery->newest = *older;
	recovery->events->went_back(recovery->user, newest, older, why);
}

/* ---- which checkpoint ---- */

const struct checkpoint *
checkpoint_recovery_newest(const struct checkpoint_recovery *recovery)
{
	return &recovery->newest;
}

void checkpoint_recovery_set_step(struct checkpoint_recovery *recovery,
				  uint64_t step)
{
	recovery->newest.step = step;
}

const struct unreadable *
checkpoint_recovery_unreadable(const struct checkpoint_recovery *recovery)
{
	return &recovery->none;
}

static void settle(struct checkpoint_recovery *recovery)
{
	unreadable_settle(&recovery->none, recovery->store, &recovery->newest);
	if (!recovery->none.begins_anew)
		return;
	recovery->newest = (struct checkpoint){0};
	recovery->failures = 0;
}

static void settle_and_tell(struct checkpoint_recovery *recovery)
{
	settle(recovery);
	if (recovery->none.begins_anew)
		recovery->events->begins_anew(recovery->user,
					      recovery->none.text);
}

bool checkpoint_recovery_find(struct checkpoint_recovery *recovery)
{
	const struct jobfile *job = recovery->job;
	struct checkpoint found;
	struct error err;
	int r = jobfile_find_checkpoint(job, &found, &err);
	bool newer = r == 0 && found.mark != recovery->newest.mark;

	if (r < 0)
		log_warn("the checkpoint that is there is not used: %s",
			 err.text);
	if (newer)
		recovery->newest = found;
	return newer;
}

int checkpoint_recovery_repair(struct checkpoint_recovery *recovery,
			       bool goes_on, enum checkpoint_found *out,
			       struct error *err)
{
	const struct jobfile *job = recovery->job;
	struct checkpoint now;
	int r;

	*out = CHECKPOINT_FOUND;
	if (goes_on) { /* its ranks may write; before a start they do not */
		r = jobfile_find_checkpoint(job, &now, err);
		return checkpoint_is_damaged(r) ? 0 : r;
	}
	r = checkpoint_store_repair(recovery->store, err);
	if (r < 0)
		return r;
	*out = (enum checkpoint_found)r;
	if (*out == CHECKPOINT_UNREADABLE)
		settle(recovery);
	if (*out == CHECKPOINT_UNREADABLE && !recovery->none.begins_anew)
		return error_set(err, -EBADMSG, "%s", recovery->none.text);
	return 0;
}

void checkpoint_recovery_on_begun(struct checkpoint_recovery *recovery,
				  enum checkpoint_found state)
{
	const struct checkpoint unknown = {0}, now = recovery->newest;

	if (state == CHECKPOINT_ROLLED_BACK)
		go_back(recovery, &unknown, &now,
			"is damaged, and now in " ADAPTER_KEPT "/damaged");
	if (state == CHECKPOINT_ONLY_KEPT)
		log_warn("there is no checkpoint in %s, so the job begins "
			 "anew; one that was kept is in " ADAPTER_KEPT,
			 checkpoint_recovery_dir(recovery));
	if (state == CHECKPOINT_UNREADABLE)
		recovery->events->begins_anew(recovery->user,
					      recovery->none.text);
}

bool checkpoint_recovery_on_start(struct checkpoint_recovery *recovery)
{
	const struct jobfile *job = recovery->job;
	const struct checkpoint newest = recovery->newest;
	struct checkpoint found;
	int r = jobfile_find_checkpoint(job, &found, NULL), back;

	if (r == 0 && found.mark != recovery->newest.mark &&
	    found.step < recovery->newest.step)
		go_back(recovery, &newest, &found, "is gone, or damaged");
	if (!checkpoint_is_damaged(r))
		return true;
	back = checkpoint_store_roll_back(recovery->store, NULL, false, &found,
					  NULL);
	if (back == 0)
		go_back(recovery, &newest, &found, "is gone, or damaged");
	if (back != -ENOENT || !unreadable_is_there(recovery->store, r))
		return true;
	settle_and_tell(recovery);
	return false;
}

void checkpoint_recovery_on_unreadable(struct checkpoint_recovery *recovery,
				       unsigned epoch)
{
	recovery->unreadable = epoch;
}

static void count_failure(struct checkpoint_recovery *recovery, uint64_t mark)
{
	if (recovery->failed != mark)
		recovery->failures = 0;
	recovery->failed = mark;
	recovery->failures++;
}

enum job_event_type
checkpoint_recovery_judge(struct checkpoint_recovery *recovery,
			  const struct job *job, int status)
{
	const struct checkpoint newest = recovery->newest;
	bool said = recovery->unreadable == job->epoch;
	struct checkpoint older;
	int r;

	if (!job->has_checkpoint || job->stepped ||
	    job->state == JOB_STOPPING || job_is_over(job) ||
	    (!said && !end_is_own(status)))
		return JOB_EV_CRASHED;
	count_failure(recovery, recovery->newest.mark);
	if (!said && (checkpoint_store_has_suspect(recovery->store) ||
		      (job->worked && recovery->failures < FAILURES_MAX)))
		return JOB_EV_CRASHED;
	if (job->retries_left == 0 &&
	    checkpoint_store_may_go_back(recovery->store))
		return JOB_EV_CRASHED;
	r = checkpoint_store_roll_back(recovery->store, &newest, !said, &older,
				       NULL);
	if (said && r == -ENOENT) {
		settle_and_tell(recovery);
		return JOB_EV_NO_CHECKPOINT;
	}
	if (r < 0)
		return JOB_EV_CRASHED;
	go_back(recovery, &newest, &older,
		said ? "cannot be read" : "may be what the start ended for");
	return JOB_EV_UNREADABLE;
}

/* ---- with the job ---- */

enum want {
	WANT_CONFIRM = 1, /* what is suspect is damaged */
	WANT_KEEP = 2,
	WANT_NOTE = 4,
	WANT_ROOM = 8,
	WANT_SAVE = 16,
};

static void want(struct checkpoint_recovery *recovery, enum want what)
{
	recovery->wants |= what;
	disk_visit(recovery->disk, DISK_CHECKPOINT, &recovery->visitor);
}

static void on_note(void *user)
{
	struct checkpoint_recovery *recovery = user;

	want(recovery, WANT_NOTE);
	loop_timer_set(recovery->loop, &recovery->note, NOTE_EVERY, on_note,
		       recovery);
}

/* An application that overwrites its checkpoint may need no more room. */
static void set_room(struct checkpoint_recovery *recovery)
{
	enum former_kind former = recovery->job->adapter->former;

	disk_set_room(recovery->disk,
		      former == FORMER_UNKNOWN ? 0 : recovery->newest.bytes);
}

static void on_proven(struct checkpoint_recovery *recovery)
{
	set_room(recovery);
	want(recovery, WANT_CONFIRM);
	recovery->failures = 0;
}

static void keep(struct checkpoint_recovery *recovery, unsigned wants)
{
	if (wants & WANT_KEEP)
		checkpoint_store_keep(recovery->store);
	if (wants & WANT_NOTE && disk_is_well(recovery->disk, DISK_CHECKPOINT))
		checkpoint_store_keep_settled(recovery->store);
}

static void on_answer(void *user)
{
	struct checkpoint_recovery *recovery = user;
	unsigned wants = recovery->wants;

	recovery->wants = 0;
	if (wants & WANT_CONFIRM)
		checkpoint_store_confirm_damage(recovery->store);
	if (wants & (WANT_ROOM | WANT_SAVE))
		checkpoint_store_make_room(recovery->store,
					   recovery->newest.bytes);
	else if (recovery->computes)
		keep(recovery, wants);
	if (wants & WANT_SAVE) {
		set_room(recovery);
		recovery->events->may_save(recovery->user);
	}
}

static void on_no_ranks(struct checkpoint_recovery *recovery)
{
	loop_timer_clear(&recovery->note);
	checkpoint_store_abandon_copy(recovery->store);
	/* a judgement on what follows goes by it */
	if (recovery->wants & WANT_CONFIRM)
		checkpoint_store_confirm_damage(recovery->store);
	recovery->wants = 0;
}

/* A start that is proven by what it wrote may have ended by then. */
static bool computes_on(const struct job *job)
{
	return job->stepped && job_computes(job);
}

static void on_computing(struct checkpoint_recovery *recovery,
			 const struct job *job)
{
	if (jobfile_saves_unasked(recovery->job)) /* and does not tell when */
		on_note(recovery);
	else if (job->has_checkpoint)
		want(recovery, WANT_KEEP);
}

static void on_failed(struct checkpoint_recovery *recovery,
		      const struct job *job)
{
	struct error err;

	if (!job->has_checkpoint ||
	    !checkpoint_store_has_suspect(recovery->store))
		return;
	if (checkpoint_store_undo_rollback(recovery->store, &err) < 0)
		log_warn("the newest checkpoint is in " ADAPTER_KEPT
			 "/suspect, and was not put back: %s",
			 err.text);
	else
		log_info("the newest checkpoint is put back: it was not for "
			 "its sake");
}

void checkpoint_recovery_on_step(struct checkpoint_recovery *recovery,
				 const struct job *before,
				 const struct job *job)
{
	bool moved = job->state != before->state;
	bool failed = job->state == JOB_STOPPING && !before->stepped;

	recovery->computes = computes_on(job);
	if (!job_computes(job))
		on_no_ranks(recovery);
	if (job->stepped && !before->stepped)
		on_proven(recovery);
	if (computes_on(job) && !computes_on(before))
		on_computing(recovery, job);
	if (job_has_dropped(job, before) ||
	    (moved && failed)) /* it may have been a disk */
		disk_look(recovery->disk);
	if (moved && job->state == JOB_FAILED)
		on_failed(recovery, job);
	if (moved && job->state == JOB_DONE)
		checkpoint_store_clear(recovery->store);
}

int checkpoint_recovery_on_prepare(struct checkpoint_recovery *recovery,
				   struct error *err)
{
	const char *obstacle = disk_obstacle(recovery->disk);

	if (*obstacle)
		return error_set(err, -ENOSPC, "%s", obstacle);
	disk_look(recovery->disk);
	return 0;
}

void checkpoint_recovery_on_order(struct checkpoint_recovery *recovery)
{
	want(recovery, WANT_SAVE);
}

bool checkpoint_recovery_may_save(struct checkpoint_recovery *recovery)
{
	if (disk_is_well(recovery->disk, DISK_CHECKPOINT))
		return true;
	want(recovery, WANT_ROOM);
	disk_look(recovery->disk);
	return false;
}

/* ---- disks ---- */

/* One of them stands for all. */
static void tell_executors(struct checkpoint_recovery *recovery)
{
	char text[DISK_TEXT_MAX] = "", more[48] = "";
	const char *first = "";
	unsigned n = 0;

	for (int i = MEMBERS_MAX - 1; i >= 0; i--)
		if (recovery->ill[i]) {
			first = recovery->ill[i];
			n++;
		}
	if (n > 1)
		snprintf(more, sizeof(more), ", and %u more", n - 1);
	snprintf(text, sizeof(text), "%s%s", first, more);
	disk_set(recovery->disk, DISK_EXECUTORS, text);
}

void checkpoint_recovery_on_report(struct checkpoint_recovery *recovery,
				   int member, const char *name,
				   const char *text)
{
	char **ill = &recovery->ill[member];
	char now[MEMBER_NAME_MAX + ILL_MAX];

	if (!*ill && !*text)
		return;
	snprintf(now, sizeof(now), "%s: %.*s", name, ILL_MAX, text);
	free(*ill);
	*ill = *text ? strdup(now) : NULL;
	tell_executors(recovery);
}

void checkpoint_recovery_on_gone(struct checkpoint_recovery *recovery,
				 int member)
{
	checkpoint_recovery_on_report(recovery, member, "", "");
}

const char *
checkpoint_recovery_obstacle(const struct checkpoint_recovery *recovery)
{
	return disk_obstacle(recovery->disk);
}

const char *
checkpoint_recovery_trouble(const struct checkpoint_recovery *recovery)
{
	return disk_trouble(recovery->disk);
}

const char *checkpoint_recovery_dir(const struct checkpoint_recovery *recovery)
{
	return recovery->job->app.checkpoint_dir;
}

void checkpoint_recovery_on_output(struct checkpoint_recovery *recovery,
				   const char *text)
{
	disk_set(recovery->disk, DISK_OUTPUT, text);
}

/* ---- life ---- */

int checkpoint_recovery_create(struct checkpoint_recovery **out,
			       struct loop *loop, const struct jobfile *job,
			       const char *state_dir, const char *bindir,
			       const struct checkpoint_recovery_events *events,
			       void *user, struct error *err)
{
	CLEANUP(checkpoint_recovery_destroy)
	struct checkpoint_recovery *recovery = calloc(1, sizeof(*recovery));
	int r;

	if (!recovery)
		return error_set(err, -ENOMEM, "out of memory");
	recovery->loop = loop;
	recovery->job = job;
	recovery->events = events;
	recovery->user = user;
	list_init(&recovery->visitor.link);
	recovery->visitor.fn = on_answer;
	recovery->visitor.user = recovery;
	r = checkpoint_store_create(&recovery->store, loop, job, on_unkept,
				    recovery, err);
	if (r == 0)
		r = disk_create(&recovery->disk, loop, job, state_dir, bindir,
				on_disk, recovery, err);
	if (r < 0)
		return r;
	*out = STEAL(recovery);
	return 0;
}

struct checkpoint_recovery *
checkpoint_recovery_destroy(struct checkpoint_recovery *recovery)
{
	if (!recovery)
		return NULL;
	loop_timer_clear(&recovery->note);
	for (int i = 0; i < MEMBERS_MAX; i++)
		free(recovery->ill[i]);
	checkpoint_store_destroy(recovery->store);
	disk_destroy(recovery->disk);
	free(recovery);
	return NULL;
}
