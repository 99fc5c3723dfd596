/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/owner.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"
#include "coordinator/checkpoint/owner_folder.h"
#include "loop/file_thread.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define LOOK_EVERY SECONDS(1)
#define STANDSTILL SECONDS(5) /* a call that takes longer hangs */

enum { CLAIMS_MAX = 100, SENTENCE_MAX = 640 };

struct checkpoint_owner {
	struct loop *loop;
	const char *dir;
	const struct checkpoint_owner_events *events;
	void *user;
	struct file_thread *thread;
	struct file_call *call; /* the look that is under way */
	msec_t asked;           /* when it was */
	struct loop_timer look;
	struct loop_timer expiry; /* no look has succeeded for too long */

	struct owner_record self;
	uint64_t number;
	int lock;       /* of our record; -1: it is not written yet */
	msec_t claimed; /* when it was; 0: it is not */
	char waits_for[SENTENCE_MAX]; /* "": it does not wait */
	bool fenced;
	bool lost;
	bool expired;
	bool told;           /* that it cannot be looked at */
	bool told_unclaimed; /* that it cannot be claimed */
};

/* ---- one look, on the thread ---- */

struct look {
	char dir[PATH_MAX];
	struct owner_record self;
	uint64_t number;
	bool owns;

	msec_t began;
	int r; /* and err */
	struct owner_sight sight;
	int claimed; /* 1: it was to be claimed anew, and is; 0: it was not;
		      * -errno, and err */
	int lock;
	struct error err;
};

static void look(void *data)
{
	struct look *at = data;

	at->began = loop_now();
	at->r = owner_folder_look(at->dir, &at->self, at->number, &at->sight,
				  &at->err);
	if (at->r < 0 || at->sight.newer.number != 0)
		return;
	if (!at->sight.mine) {
		at->claimed = owner_folder_claim(at->dir, at->number, &at->self,
						 &at->lock, &at->err);
		at->claimed += at->claimed == 0;
	}
	if (at->owns && at->sight.before.number != 0)
		owner_folder_prune(at->dir, at->number);
}

static void free_look(void *data)
{
	struct look *at = data;

	if (at->lock >= 0)
		close(at->lock);
	free(at);
}

/* ---- what comes of it ---- */

static void on_look_due(void *user);

static bool is_full(int r)
{
	return r == -ENOSPC || r == -EDQUOT;
}

static void on_expiry(void *user)
{
	struct checkpoint_owner *owner = user;

	owner->expired = true;
	log_error("checkpoint.dir %s could not be looked at for %s, so another "
		  "coordinator may have it: the ranks stand still until it can "
		  "be",
		  owner->dir, text_duration(OWNERSHIP_LEASE).s);
}

/* Ranks may compute for some time from then on. */
static void renew(struct checkpoint_owner *owner, msec_t looked)
{
	msec_t until = ownership_valid_until(looked);
	msec_t left = until - loop_now();

	if (left <= 0)
		return;
	loop_timer_set(owner->loop, &owner->expiry, left, on_expiry, owner);
	if (owner->expired)
		log_info("checkpoint.dir %s can be looked at again, and is "
			 "still ours",
			 owner->dir);
	owner->expired = false;
	owner->events->seen(owner->user, until);
}

static void lose(struct checkpoint_owner *owner,
		 const struct owner_other *other)
{
	char text[SENTENCE_MAX];

	owner->lost = true;
	loop_timer_clear(&owner->expiry);
	if (other->readable)
		snprintf(text, sizeof(text),
			 "another coordinator, process %u of host %.70s, has "
			 "taken checkpoint.dir %.250s: this one leaves the job "
			 "alone",
			 other->record.pid, other->record.host, owner->dir);
	else
		snprintf(text, sizeof(text),
			 "another coordinator, whose record owner-%llu cannot "
			 "be read, has taken checkpoint.dir %.250s: this one "
			 "leaves the job alone",
			 (unsigned long long)other->number, owner->dir);
	owner->events->lost(owner->user, text);
}

static void tell_unclaimed(struct checkpoint_owner *owner, const char *why)
{
	if (!owner->told_unclaimed)
		log_warn("that this job has checkpoint.dir %s cannot be "
			 "written there, and is tried again: %s",
			 owner->dir, why);
	owner->told_unclaimed = true;
}

static void on_claimed(struct checkpoint_owner *owner, int lock)
{
	if (owner->lock >= 0)
		close(owner->lock);
	owner->lock = lock;
	owner->told_unclaimed = false;
	if (owner->claimed == 0)
		owner->claimed = loop_now();
}

static void judge_wait(struct checkpoint_owner *owner,
		       const struct owner_other *before)
{
	/* a person may have removed the record of a dead one */
	enum ownership_step step =
		before->number != 0 ? before->step : OWNERSHIP_FENCE;
	msec_t since = owner->claimed != 0 ? loop_now() - owner->claimed : 0;

	step = ownership_after_claim(step, since);
	if (step == OWNERSHIP_WAIT)
		return;
	owner->fenced = step == OWNERSHIP_FENCE;
	owner->waits_for[0] = '\0';
	log_info("checkpoint.dir %s is this job's now", owner->dir);
	owner->events->owned(owner->user);
}

static void on_failure(struct checkpoint_owner *owner, const char *why)
{
	if (!owner->told)
		log_warn("whether another coordinator has checkpoint.dir %s "
			 "cannot be looked at, and is tried again: %s",
			 owner->dir, why);
	owner->told = true;
}

static void on_looked(void *user, void *data)
{
	struct checkpoint_owner *owner = user;
	struct look *at = data;

	owner->call = NULL;
	if (at->r < 0) {
		on_failure(owner, at->err.text);
	} else if (at->sight.newer.number != 0) {
		lose(owner, &at->sight.newer);
		return;
	} else {
		owner->told = false;
		if (at->claimed > 0)
			on_claimed(owner, STEAL_FD(at->lock));
		else if (at->claimed < 0 && at->claimed != -EEXIST)
			tell_unclaimed(owner, at->err.text);
		renew(owner, at->began);
		if (*owner->waits_for)
			judge_wait(owner, &at->sight.before);
	}
	loop_timer_set(owner->loop, &owner->look, LOOK_EVERY, on_look_due,
		       owner);
}

static void on_look_due(void *user)
{
	struct checkpoint_owner *owner = user;
	struct look *at = calloc(1, sizeof(*at));

	if (at) {
		snprintf(at->dir, sizeof(at->dir), "%.4090s", owner->dir);
		at->self = owner->self;
		at->number = owner->number;
		at->owns = !*owner->waits_for;
		at->lock = -1;
		owner->asked = loop_now();
		owner->call = file_thread_do(owner->thread, look, on_looked,
					     free_look, owner, at);
	}
	if (!owner->call)
		loop_timer_set(owner->loop, &owner->look, LOOK_EVERY,
			       on_look_due, owner);
}

/* ---- the beginning ---- */

static int refuse(const struct checkpoint_owner *owner,
		  const struct owner_record *other, struct error *err)
{
	return error_set(err, -EBUSY,
			 "checkpoint.dir %.140s belongs to job %s, which runs "
			 "on this machine as process %u (state directory "
			 "%.90s): end that job first, or give this one a "
			 "checkpoint directory of its own",
			 owner->dir, other->job, other->pid, other->state);
}

static void describe_wait(struct checkpoint_owner *owner,
			  const struct owner_other *other)
{
	const msec_t longest = OWNERSHIP_LEASE + OWNERSHIP_SLACK;

	if (other->readable)
		snprintf(owner->waits_for, sizeof(owner->waits_for),
			 "job %s may still run in checkpoint.dir %.200s, as "
			 "process %u of host %s: waiting until it has left, "
			 "%s at the most",
			 other->record.job, owner->dir, other->record.pid,
			 other->record.host, text_duration(longest).s);
	else
		snprintf(owner->waits_for, sizeof(owner->waits_for),
			 "a job may still run in checkpoint.dir %.200s, whose "
			 "record owner-%llu cannot be read: waiting until it "
			 "has left, %s at the most",
			 owner->dir, (unsigned long long)other->number,
			 text_duration(longest).s);
	log_warn("%s", owner->waits_for);
}

/* One try: -EEXIST if another one was first. */
static int claim(struct checkpoint_owner *owner, struct error *err)
{
	struct owner_sight sight;
	const struct owner_other *other = &sight.before;
	int lock, r;

	r = owner_folder_look(owner->dir, &owner->self, 0, &sight, err);
	if (r < 0)
		return error_wrap(err, r, "checkpoint.dir");
	if (other->number != 0 && other->step == OWNERSHIP_REFUSE)
		return refuse(owner, &other->record, err);
	owner->number = sight.newest + 1;
	r = owner_folder_claim(owner->dir, owner->number, &owner->self, &lock,
			       err);
	if (r < 0 && !is_full(r))
		return error_wrap(err, r, "checkpoint.dir");
	if (r < 0)
		tell_unclaimed(owner, err->text);
	else
		on_claimed(owner, lock);
	if (other->number == 0)
		return 0;
	owner->fenced = other->step == OWNERSHIP_FENCE;
	if (other->step == OWNERSHIP_WAIT)
		describe_wait(owner, other);
	return 0;
}

static void destroy(struct checkpoint_owner *owner)
{
	file_call_abandon(owner->call);
	file_thread_destroy(owner->thread);
	loop_timer_clear(&owner->look);
	loop_timer_clear(&owner->expiry);
	if (owner->lock >= 0)
		close(owner->lock);
	free(owner);
}

int checkpoint_owner_create(struct checkpoint_owner **out, struct loop *loop,
			    const char *dir, const char *job, const char *state,
			    const struct checkpoint_owner_events *events,
			    void *user, struct error *err)
{
	struct checkpoint_owner *owner = calloc(1, sizeof(*owner));
	msec_t now = loop_now();
	int r;

	if (!owner)
		return error_set(err, -ENOMEM, "out of memory");
	owner->loop = loop;
	owner->dir = dir;
	owner->events = events;
	owner->user = user;
	owner->lock = -1;
	owner_record_init(&owner->self, job, state);
	r = file_thread_create(&owner->thread, loop, err);
	if (r == 0)
		r = -EEXIST;
	for (int i = 0; i < CLAIMS_MAX && r == -EEXIST; i++)
		r = claim(owner, err);
	if (r < 0) {
		destroy(owner);
		return r;
	}
	renew(owner, now);
	loop_timer_set(loop, &owner->look, LOOK_EVERY, on_look_due, owner);
	*out = owner;
	return 0;
}

/* ---- what it is, and the end ---- */

const char *checkpoint_owner_waits_for(const struct checkpoint_owner *owner)
{
	return owner->waits_for;
}

bool checkpoint_owner_is_fenced(const struct checkpoint_owner *owner)
{
	return owner->fenced;
}

static void say(const struct checkpoint_owner *owner,
		enum checkpoint_owner_end how)
{
	struct owner_record record = owner->self;
	struct error err;
	int r;

	if (how == CHECKPOINT_OWNER_IS_DONE) {
		owner_folder_remove(owner->dir, owner->number);
		return;
	}
	record.left = true;
	record.without_rank = how == CHECKPOINT_OWNER_LEAVES_NO_RANK;
	r = owner_folder_leave(owner->dir, owner->number, &record, &err);
	if (r < 0 && r != -ENOENT)
		log_warn("that this job has left its checkpoint directory is "
			 "not written there: %s",
			 err.text);
}

struct checkpoint_owner *checkpoint_owner_leave(struct checkpoint_owner *owner,
						enum checkpoint_owner_end how)
{
	bool hangs;

	if (!owner)
		return NULL;
	hangs = owner->call && loop_now() - owner->asked > STANDSTILL;
	/* before the record changes, which a look would make anew */
	owner->call = file_call_abandon(owner->call);
	owner->thread = file_thread_destroy(owner->thread);
	/* as long as it is open, NFS keeps the file in the folder, under
	 * another name */
	if (owner->lock >= 0)
		close(owner->lock);
	owner->lock = -1;
	if (!hangs && owner->claimed != 0)
		say(owner, how);
	destroy(owner);
	return NULL;
}
