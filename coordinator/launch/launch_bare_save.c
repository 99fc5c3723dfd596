/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/bare.h"

#include <errno.h>

#define LOOK_EVERY MSEC(200)

static int find_checkpoint(const struct bare *bare, struct checkpoint *out,
			   struct error *err)
{
	const struct jobfile *job = bare->launch.room->job;

	return job->adapter->checkpoint(&job->app, out, err);
}

static bool is_newer(const struct bare *bare, const struct checkpoint *found)
{
	return found->mark != bare->before.mark;
}

/* failure: "" if found is complete; unread: it could not be looked at. */
static void judge(struct bare *bare, const struct checkpoint *found, bool taken,
		  const char *failure, bool unread)
{
	struct launch *launch = &bare->launch;
	Bellows__V1__CheckpointReport report =
		BELLOWS__V1__CHECKPOINT_REPORT__INIT;

	bare->saving = false;
	loop_timer_clear(&bare->look);
	report.epoch = launch->epoch;
	report.complete = report.newer = !*failure;
	report.taken = taken;
	report.unread = unread;
	report.step = found->step;
	report.files = found->files;
	report.bytes = found->bytes;
	report.failure = (char *)failure;
	launch->room->events->judged(launch->room->user, &report);
}

void bare_judge_at_end(struct bare *bare)
{
	struct checkpoint found = {0};
	struct error err;
	int r = find_checkpoint(bare, &found, &err);

	if (r == 0 && is_newer(bare, &found))
		judge(bare, &found, false, "", false);
	else
		judge(bare, &found, false,
		      r < 0 ? err.text
			    : "the ranks left without a new checkpoint",
		      r < 0 && r != -EBADMSG);
}

/* A mark that stays is of one that is whole. */
static void watch(void *user)
{
	struct bare *bare = user;
	struct checkpoint found;

	if (find_checkpoint(bare, &found, NULL) == 0 &&
	    is_newer(bare, &found)) {
		if (found.mark == bare->seen) {
			judge(bare, &found, false, "", false);
			return;
		}
		bare->seen = found.mark;
	}
	loop_timer_set(bare->launch.room->loop, &bare->look, LOOK_EVERY, watch,
		       bare);
}

static void order_saves(struct bare *bare, bool first_only)
{
	const struct launch *launch = &bare->launch;
	bool once = launch->room->job->adapter->signal_once;

	for (int i = 0; i < launch->layout.n; i++) {
		if (first_only && launch->layout.places[i].first != 0)
			continue;
		if (bare->orders[i] == ORDER_NONE || !once)
			order_step(&bare->orders[i], ORDER_EV_SAVE);
	}
}

/* Tells all executors at once: "first" is the executor of rank 0, which would
 * report. */
void bare_save(struct launch *launch, bool first, bool take)
{
	const struct jobfile *job = launch->room->job;
	struct bare *bare = bare_of(launch);
	int signo;

	if (!first)
		return;
	if (find_checkpoint(bare, &bare->before, NULL) < 0)
		bare->before = (struct checkpoint){0};
	bare->seen = 0;
	bare->saving = true;
	if (take && bare->before.mark != 0) {
		judge(bare, &bare->before, true, "", false);
		return;
	}
	switch (job->adapter->save(&job->app, &signo)) {
	case SAVE_SIGNAL_ALL:
		order_saves(bare, false);
		return;
	case SAVE_SIGNAL_FIRST:
		order_saves(bare, true);
		return;
	case SAVE_WATCH:
		watch(bare);
		return;
	}
}

/* Index in the layout; -1: the member has nothing to save for this start. */
static int find_place(const struct launch *launch, int member)
{
	return launch_is_gated(launch) ? -1 : launch_place(launch, member);
}

bool launch_asks(struct launch *launch, int member)
{
	struct bare *bare = bare_of(launch);
	int place = find_place(launch, member);

	/* once the ranks leave, an executor that was not told needs no order */
	return place >= 0 && !launch_has_ended(launch) &&
	       order_step(&bare->orders[place], ORDER_EV_ASKED);
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
