/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/bare.h"

/* failure: NULL if found is complete; unread: it could not be looked at. */
static void report(struct bare *bare, const struct checkpoint *found,
		   bool taken, const char *failure, bool unread)
{
	struct launch *launch = &bare->launch;
	Bellows__V1__CheckpointReport report =
		BELLOWS__V1__CHECKPOINT_REPORT__INIT;

	bare->saving = false;
	loop_timer_clear(&bare->look);
	report.epoch = launch->epoch;
	report.complete = report.newer = !failure;
	report.taken = taken;
	report.unread = unread;
	report.step = found->step;
	report.files = found->files;
	report.bytes = found->bytes;
	if (failure)
		report.failure = (char *)failure;
	launch->room->events->judged(launch->room->user, &report);
}

void bare_judge_at_end(struct bare *bare)
{
	struct checkpoint found;
	struct error err;
	int r = jobfile_find_checkpoint(bare->launch.room->job, &found, &err);
	const char *failure =
		checkpoint_judge_left(&bare->judge, r, found.mark, &err);

	for (int i = 0;
	     !failure && bare->signalled && i < bare->launch.layout.n; i++)
		order_step(&bare->orders[i], ORDER_EV_SAVED);
	report(bare, &found, false, failure, checkpoint_judge_is_unread(r));
}

static void watch(void *user)
{
	struct bare *bare = user;
	struct checkpoint found;

	jobfile_find_checkpoint(bare->launch.room->job, &found, NULL);
	if (checkpoint_judge_look(&bare->judge, found.mark))
		report(bare, &found, false, NULL, false);
	else
		loop_timer_set(bare->launch.room->loop, &bare->look,
			       CHECKPOINT_JUDGE_EACH, watch, bare);
}

static void signal_ranks(struct bare *bare, int signo)
{
	const struct launch *launch = &bare->launch;

	if (!bare->signalled || !launch->room->job->adapter->signal_once)
		mpirun_signal(launch->mpirun, signo);
	bare->signalled = true;
}

/* Tells all ranks at once: "first" is the executor of rank 0, which would
 * report. */
void bare_save(struct launch *launch, bool first, bool take)
{
	const struct jobfile *job = launch->room->job;
	struct bare *bare = bare_of(launch);
	struct checkpoint before;
	struct error err;
	int signo, r;

	if (!first)
		return;
	bare->saving = true;
	r = jobfile_find_checkpoint(job, &before, &err);
	/* the former one might count as new later */
	if (checkpoint_judge_is_unread(r)) {
		report(bare, &before, false, err.text, false);
		return;
	}
	checkpoint_judge_init(&bare->judge, before.mark);
	if (take && before.mark != 0) {
		report(bare, &before, true, NULL, false);
		return;
	}
	switch (job->adapter->save(&job->app, &signo)) {
	case SAVE_SIGNAL_ALL:
	case SAVE_SIGNAL_FIRST: /* refused with the job file */
		signal_ranks(bare, signo);
		return;
	case SAVE_WATCH:
		watch(bare);
		return;
	}
}

/* Index in the layout; -1: the member gets no order of this start. */
static int find_place(const struct launch *launch, int member)
{
	return launch_is_gated(launch) ? -1 : launch_place(launch, member);
}

bool launch_asks(struct launch *launch, int member)
{
	struct bare *bare = bare_of(launch);
	int place = find_place(launch, member);

	if (place < 0 || launch->state != LAUNCH_STOPPING ||
	    !order_step(&bare->orders[place], ORDER_EV_ASKED))
		return false;
	if (bare->orders[place] == ORDER_TOLD)
		return true;
	bare_look_for_ranks(bare);
	return false;
}

void launch_on_confirmed(struct launch *launch, int member)
{
	struct bare *bare = bare_of(launch);
	int place = find_place(launch, member);

	if (place < 0)
		return;
	order_step(&bare->orders[place], ORDER_EV_CONFIRMED);
	bare_look_for_ranks(bare);
}
