/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/save.h"

#include "core/checkpoint_judge.h"

#include <errno.h>

#define LOOK_FOR SECONDS(6) /* at what ranks left, if it cannot be read */

struct save {
	struct loop *loop;
	struct ranks *ranks;
	const struct jobfile *job;
	const struct save_events *events;
	void *user;

	unsigned epoch; /* 0: nothing is ordered */
	struct checkpoint_judge judge;
	msec_t give_up;
	struct loop_timer look;
};

static void report(struct save *save, const struct checkpoint *found,
		   bool taken, const char *failure, bool unread)
{
	unsigned epoch = save->epoch;

	save->epoch = 0;
	loop_timer_clear(&save->look);
	save->events->judged(save->user, epoch, found, taken, failure, unread);
}

static void watch(void *user)
{
	struct save *save = user;
	struct checkpoint found;

	jobfile_find_checkpoint(save->job, &found, NULL);
	if (checkpoint_judge_look(&save->judge, found.mark))
		report(save, &found, false, NULL, false);
	else
		loop_timer_set(save->loop, &save->look, CHECKPOINT_JUDGE_EACH,
			       watch, save);
}

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

void save_order(struct save *save, unsigned epoch, bool take, bool first)
{
	struct checkpoint before = {0};
	int signo;
	enum save_kind kind = save->job->adapter->save(&save->job->app, &signo);
	bool here = ranks_has(save->ranks, epoch, 0);
	struct error err;

	if (first && !here && save->epoch != epoch) {
		save->epoch = epoch;
		report(save, &before, false,
		       "rank 0 was gone before it was told to save", false);
		return;
	}
	first = first && here;
	if (first) {
		int r = jobfile_find_checkpoint(save->job, &before, &err);

		save->epoch = epoch;
		/* the former one might count as new later */
		if (checkpoint_judge_is_unread(r)) {
			report(save, &before, false, err.text, false);
			return;
		}
		checkpoint_judge_init(&save->judge, before.mark);
		save->events->begun(save->user, epoch);
	}
	if (take && before.mark != 0) {
		report(save, &before, true, NULL, false);
		return;
	}
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

/* A disk that fails now may not do so in a moment. */
static void look_at_left(void *user)
{
	struct save *save = user;
	struct checkpoint found;
	struct error err;
	int r = jobfile_find_checkpoint(save->job, &found, &err);
	bool unread = checkpoint_judge_is_unread(r);

	if (unread && loop_now() < save->give_up)
		loop_timer_set(save->loop, &save->look, CHECKPOINT_JUDGE_EACH,
			       look_at_left, save);
	else
		report(save, &found, false,
		       checkpoint_judge_left(&save->judge, r, found.mark, &err),
		       unread);
}

void save_on_gone(struct save *save, unsigned epoch)
{
	if (epoch == 0 || save->epoch != epoch)
		return;
	save->give_up = loop_now() + LOOK_FOR;
	look_at_left(save);
}

void save_cancel(struct save *save, unsigned epoch)
{
	if (save->epoch != epoch)
		return;
	save->epoch = 0;
	loop_timer_clear(&save->look);
}

int save_create(struct save **out, struct loop *loop, struct ranks *ranks,
		const struct jobfile *job, const struct save_events *events,
		void *user, struct error *err)
{
	struct save *save = calloc(1, sizeof(*save));

	if (!save)
		return error_set(err, -ENOMEM, "out of memory");
	save->loop = loop;
	save->ranks = ranks;
	save->job = job;
	save->events = events;
	save->user = user;
	*out = save;
	return 0;
}

struct save *save_destroy(struct save *save)
{
	if (!save)
		return NULL;
	loop_timer_clear(&save->look);
	free(save);
	return NULL;
}
