/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/launch_bare.h"

#include "base/log.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
	KILL_AFTER = 5000,      /* of SIGTERM to mpiexec */
	CONFIRM_WITHIN = 20000, /* of the ranks' end: two of Kub's rounds */
};

/* ---- the end ---- */

static int find_unconfirmed(const struct bare *bare)
{
	for (int i = 0; i < bare->launch.layout.n; i++)
		if (bare->orders[i] == ORDER_TOLD)
			return i;
	return -1;
}

static void give_up_unconfirmed(void *user)
{
	struct bare *bare = user;
	struct launch *launch = &bare->launch;
	int place;

	while ((place = find_unconfirmed(bare)) >= 0) {
		order_step(&bare->orders[place], ORDER_EV_LOST);
		members_part(launch->room->members,
			     launch->layout.places[place].member,
			     "it never confirmed that its ranks were told to "
			     "save");
	}
}

void bare_look_for_ranks(struct bare *bare)
{
	struct launch *launch = &bare->launch;

	if (launch->state != LAUNCH_STOPPING || !launch_has_ended(launch) ||
	    bare->fallen)
		return;
	if (find_unconfirmed(bare) < 0)
		launch_set_gone(launch);
	else if (!loop_timer_is_set(&bare->confirm))
		loop_timer_set(launch->room->loop, &bare->confirm,
			       CONFIRM_WITHIN, give_up_unconfirmed, bare);
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

static void bare_stop(struct launch *launch)
{
	struct bare *bare = bare_of(launch);

	bare_reach_no_more(bare);
	if (!launch_has_ended(launch))
		loop_timer_set(launch->room->loop, &bare->term,
			       launch->patience, on_term, bare);
	bare_look_for_ranks(bare);
}

static void bare_on_lost(struct launch *launch, int member)
{
	struct bare *bare = bare_of(launch);
	int place = launch_place(launch, member);

	if (place < 0)
		return;
	order_step(&bare->orders[place], ORDER_EV_LOST);
	bare_look_for_ranks(bare);
	launch_fail(launch, "an executor was lost", false, 0);
}

static void bare_signal(struct launch *launch, int signo)
{
	/* others mpiexec takes for itself */
	if (launch->mpirun && (signo == SIGUSR1 || signo == SIGUSR2))
		mpirun_signal(launch->mpirun, signo);
	else
		log_warn("epoch=%u mpiexec passes no %s on to its ranks",
			 launch->epoch, strsignal(signo));
}

static void bare_open(struct launch *launch)
{
	struct error err;

	if (bare_run(bare_of(launch), &err) < 0)
		launch_fail(launch, err.text, false, 0);
	else
		log_info("epoch=%u running ranks=%u executors=%d",
			 launch->epoch, launch->layout.ranks, launch->layout.n);
}

static int bare_begin(struct launch *launch, struct error *err)
{
	struct bare *bare = bare_of(launch);
	int r;

	bare->out = -1;
	bare->here = calloc(launch->layout.ranks, sizeof(*bare->here));
	if (!bare->here)
		return error_set(err, -ENOMEM, "out of memory");
	r = xmlout_create(&bare->xmlout, launch->layout.ranks, bare_on_line,
			  bare, err);
	return r < 0 ? r : bare_reach(bare, err);
}

static void bare_fini(struct launch *launch)
{
	struct bare *bare = bare_of(launch);

	bare_reach_no_more(bare);
	bare_drop_output(bare);
	xmlout_destroy(bare->xmlout);
	loop_timer_clear(&bare->begin);
	loop_timer_clear(&bare->term);
	loop_timer_clear(&bare->kill);
	loop_timer_clear(&bare->confirm);
	loop_timer_clear(&bare->look);
	free(bare->here);
}

const struct launch_ops launch_bare = {
	.size = sizeof(struct bare),
	.begin = bare_begin,
	.fini = bare_fini,
	.open = bare_open,
	.stop = bare_stop,
	.save = bare_save,
	.signal = bare_signal,
	.on_lost = bare_on_lost,
};
