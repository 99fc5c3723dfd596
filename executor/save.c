/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/save.h"

#include "core/checkpoint_judge.h"
#include "loop/file_thread.h"

#include <errno.h>
#include <stdlib.h>

#define LOOK_FOR SECONDS(6) /* at what ranks left, if it cannot be read */

/* What a look is about, and what it found: the thread's while it looks. */
struct look {
	struct jobfile
		*job; /* shared: a look that hangs may outlive the order */
	int r;
	struct checkpoint found;
	struct error err;
};

enum phase {
	PHASE_IDLE,   /* nothing is ordered */
	PHASE_FORMER, /* the former checkpoint is looked at */
	PHASE_TOLD,   /* ranks save; or what they write unasked is watched */
	PHASE_LEFT,   /* what they left is looked at */
};

struct save {
	struct loop *loop;
	struct ranks *ranks;
	struct jobfile *job;
	const struct save_events *events;
	void *user;
	struct file_thread *thread;

	unsigned epoch; /* 0: nothing is ordered */
	enum phase phase;
	bool take;
	struct checkpoint_judge judge;
	msec_t give_up;
	struct file_call *look; /* under way; NULL: none */
	struct loop_timer again, late;
};

static void rest(struct save *save)
{
	save->look = file_call_abandon(save->look);
	loop_timer_clear(&save->again);
	loop_timer_clear(&save->late);
	save->phase = PHASE_IDLE;
}

static void report(struct save *save, const struct checkpoint *found,
		   bool taken, const char *failure, bool unread)
{
	unsigned epoch = save->epoch;

	rest(save);
	save->epoch = 0;
	save->events->judged(save->user, epoch, found, taken, failure, unread);
}

static void report_failure(struct save *save, const char *failure, bool unread)
{
	const struct checkpoint none = {0};

	report(save, &none, false, failure, unread);
}

static void report_gone(struct save *save)
{
	report_failure(save, "rank 0 was gone before it was told to save",
		       false);
}

/* ---- looks ---- */

static void work(void *data)
{
	struct look *look = data;

	look->r = jobfile_find_checkpoint(look->job, &look->found, &look->err);
}

static void release(void *data)
{
	struct look *look = data;

	jobfile_destroy(look->job);
	free(look);
}

/* None is under way. */
static void look_for(struct save *save, void (*done)(void *owner, void *data))
{
	struct look *look = calloc(1, sizeof(*look));

	if (look) {
		look->job = jobfile_share(save->job);
		save->look = file_thread_do(save->thread, work, done, release,
					    save, look);
	}
	if (!save->look)
		report_failure(save, "out of memory", true);
}

/* ---- what the application writes when it likes ---- */

static void watch(void *user);

static void on_watched(void *owner, void *data)
{
	struct save *save = owner;
	const struct look *look = data;

	save->look = NULL;
	if (checkpoint_judge_look(&save->judge, look->found.mark))
		report(save, &look->found, false, NULL, false);
	else
		loop_timer_set(save->loop, &save->again, CHECKPOINT_JUDGE_EACH,
			       watch, save);
}

static void watch(void *user)
{
	look_for(user, on_watched);
}

/* ---- an order ---- */

static void call_ranks(struct save *save, unsigned epoch, int signo,
		       bool first_only)
{
	const struct ranks_call call = {
		.signo = signo,
		.first_only = first_only,
		.once = save->job->adapter->signal_once,
		.patience = save->job->checkpoint_deadline,
	};

	ranks_set_nodelay(save->ranks, epoch);
	ranks_call(save->ranks, epoch, &call);
}

static void tell_ranks(struct save *save, unsigned epoch, bool first)
{
	int signo;
	enum save_kind kind = save->job->adapter->save(&save->job->app, &signo);

	switch (kind) {
	case SAVE_SIGNAL_ALL:
	case SAVE_SIGNAL_FIRST:
		call_ranks(save, epoch, signo, kind == SAVE_SIGNAL_FIRST);
		return;
	case SAVE_WATCH:
		if (first)
			watch(save);
		return;
	}
}

static void on_former(void *owner, void *data)
{
	struct save *save = owner;
	const struct look *look = data;

	save->look = NULL;
	if (!ranks_has(save->ranks, save->epoch, 0)) {
		report_gone(save);
		return;
	}
	/* the former one might count as new later */
	if (checkpoint_judge_is_unread(look->r)) {
		report_failure(save, look->err.text, false);
		return;
	}
	loop_timer_clear(&save->late);
	save->phase = PHASE_TOLD;
	checkpoint_judge_init(&save->judge, look->found.mark);
	save->events->begun(save->user, save->epoch);
	if (save->take && look->found.mark != 0)
		report(save, &look->found, true, NULL, false);
	else
		tell_ranks(save, save->epoch, true);
}

/* The coordinator has dropped the order by then; ranks that were told now would
 * leave for nothing. */
static void on_no_former(void *user)
{
	struct save *save = user;
	struct error err;

	error_set(&err, -ETIMEDOUT,
		  "ranks are not told to save: the checkpoint that is there "
		  "could not be looked at within %lld s",
		  (long long)save->job->checkpoint_deadline / 1000);
	report_failure(save, err.text, false);
}

void save_order(struct save *save, unsigned epoch, bool take, bool first)
{
	bool here = ranks_has(save->ranks, epoch, 0);

	if (first && (here || save->epoch != epoch)) {
		rest(save);
		save->epoch = epoch;
		if (!here) {
			report_gone(save);
			return;
		}
		save->phase = PHASE_FORMER;
		save->take = take;
		loop_timer_set(save->loop, &save->late,
			       save->job->checkpoint_deadline, on_no_former,
			       save);
		look_for(save, on_former);
		return;
	}
	tell_ranks(save, epoch, false);
}

/* ---- what ranks left ---- */

static void look_at_left(void *user);

/* A disk that fails now may not do so in a moment. */
static void on_left(void *owner, void *data)
{
	struct save *save = owner;
	const struct look *look = data;
	bool unread = checkpoint_judge_is_unread(look->r);

	save->look = NULL;
	if (unread && loop_now() < save->give_up)
		loop_timer_set(save->loop, &save->again, CHECKPOINT_JUDGE_EACH,
			       look_at_left, save);
	else
		report(save, &look->found, false,
		       checkpoint_judge_left(&save->judge, look->r,
					     look->found.mark, &look->err),
		       unread);
}

static void look_at_left(void *user)
{
	look_for(user, on_left);
}

static void on_no_answer(void *user)
{
	struct save *save = user;
	struct error err;

	error_set(&err, -ETIMEDOUT,
		  "the checkpoint that ranks left could not be looked at: %s "
		  "does not answer",
		  save->job->app.checkpoint_dir);
	report_failure(save, err.text, true);
}

void save_on_gone(struct save *save, unsigned epoch)
{
	if (epoch == 0 || save->epoch != epoch || save->phase == PHASE_LEFT)
		return;
	if (save->phase == PHASE_FORMER) {
		report_gone(save);
		return;
	}
	rest(save);
	save->phase = PHASE_LEFT;
	save->give_up = loop_now() + LOOK_FOR;
	/* later than the last look that fails at once */
	loop_timer_set(save->loop, &save->late,
		       LOOK_FOR + CHECKPOINT_JUDGE_EACH, on_no_answer, save);
	look_at_left(save);
}

void save_cancel(struct save *save, unsigned epoch)
{
	if (save->epoch != epoch)
		return;
	rest(save);
	save->epoch = 0;
}

int save_create(struct save **out, struct loop *loop, struct ranks *ranks,
		struct jobfile *job, const struct save_events *events,
		void *user, struct error *err)
{
	struct save *save = calloc(1, sizeof(*save));
	int r;

	if (!save)
		return error_set(err, -ENOMEM, "out of memory");
	r = file_thread_create(&save->thread, loop, err);
	if (r < 0) {
		free(save);
		return r;
	}
	save->loop = loop;
	save->ranks = ranks;
	save->job = jobfile_share(job);
	save->events = events;
	save->user = user;
	*out = save;
	return 0;
}

struct save *save_destroy(struct save *save)
{
	if (!save)
		return NULL;
	rest(save);
	file_thread_destroy(save->thread);
	jobfile_destroy(save->job);
	free(save);
	return NULL;
}
