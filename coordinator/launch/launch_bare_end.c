/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/bare.h"

/*
 * The end of a start on polled executors: mpiexec is told, then made to end;
 * one of the executors that are told of a checkpoint is waited for
 */

#define KILL_AFTER     SECONDS(5)  /* of SIGTERM to mpiexec */
#define CONFIRM_WITHIN SECONDS(20) /* of the ranks' end: two rounds of Kub */

/* One executor is enough: of Kub's workers the first alone confirms. */
static bool awaits_confirmation(const struct bare *bare)
{
	bool any = false;

	for (int i = 0; i < bare->launch.layout.n; i++) {
		if (bare->orders[i] == ORDER_CONFIRMED)
			return false;
		any |= order_is_open(bare->orders[i]);
	}
	return any;
}

static void on_unconfirmed(void *user)
{
	struct bare *bare = user;

	for (int i = 0; i < bare->launch.layout.n; i++)
		order_step(&bare->orders[i], ORDER_EV_PASS);
	bare_look_for_ranks(bare);
}

void bare_look_for_ranks(struct bare *bare)
{
	struct launch *launch = &bare->launch;

	if (launch->state != LAUNCH_STOPPING || !launch_has_ended(launch) ||
	    bare->fallen)
		return;
	if (!awaits_confirmation(bare))
		launch_set_gone(launch);
	else if (!loop_timer_is_set(&bare->confirm))
		loop_timer_set(launch->room->loop, &bare->confirm,
			       CONFIRM_WITHIN, on_unconfirmed, bare);
}

static void on_kill(void *user)
{
	struct bare *bare = user;

	if (launch_has_ended(&bare->launch))
		return;
	bare->fallen = true;
	launch_kill(&bare->launch);
}

static void on_term(void *user)
{
	struct bare *bare = user;
	struct launch *launch = &bare->launch;

	if (launch_has_ended(launch))
		return;
	mpirun_end(launch->mpirun);
	loop_timer_set(launch->room->loop, &bare->kill, KILL_AFTER, on_kill,
		       bare);
}

void bare_stop(struct launch *launch)
{
	struct bare *bare = bare_of(launch);

	bare_reach_no_more(bare);
	if (!launch_has_ended(launch))
		loop_timer_set(launch->room->loop, &bare->term,
			       launch->patience, on_term, bare);
	bare_look_for_ranks(bare);
}

void bare_on_lost(struct launch *launch, int member)
{
	struct bare *bare = bare_of(launch);
	int place = launch_place(launch, member);

	if (place < 0)
		return;
	order_step(&bare->orders[place], ORDER_EV_PASS);
	bare_look_for_ranks(bare);
	launch_fail(launch, "an executor was lost", false, 0);
}
