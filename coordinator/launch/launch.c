/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/launch.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "coordinator/launch/launch_ops.h"
#include "coordinator/launch/mpiexec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

DEFINE_CLEANUP(struct launch, launch_destroy)

_Static_assert((int)RANKS_MAX <= (int)LAYOUT_RANKS_MAX,
	       "a layout holds the ranks of any job");

/* ---- for the implementations ---- */

void launch_fail(struct launch *launch, const char *reason, bool by_itself,
		 int status)
{
	if (launch_step(&launch->state, LAUNCH_EV_FAILED))
		launch->room->events->failed(launch->room->user, launch, reason,
					     by_itself, status);
}

void launch_fail_unborn(struct launch *launch, int status)
{
	char reason[128];

	snprintf(
		reason, sizeof(reason),
		"mpiexec ended with %d before its ranks came up; its words are "
		"in epoch-%u.mpiexec",
		WIFEXITED(status) ? WEXITSTATUS(status)
				  : 128 + WTERMSIG(status),
		launch->epoch);
	launch_fail(launch, reason, false, 0);
}

void launch_set_prepared(struct launch *launch)
{
	if (!launch_step(&launch->state, LAUNCH_EV_PREPARED))
		return;
	if (launch->state == LAUNCH_OPENED)
		launch->ops->open(launch);
	else
		launch->room->events->prepared(launch->room->user, launch);
}

void launch_set_up(struct launch *launch)
{
	if (launch_step(&launch->state, LAUNCH_EV_UP))
		launch->room->events->up(launch->room->user, launch);
}

void launch_set_gone(struct launch *launch)
{
	if (launch_step(&launch->state, LAUNCH_EV_GONE))
		launch->room->events->gone(launch->room->user, launch);
}

bool launch_is_gated(const struct launch *launch)
{
	return launch->ops == &launch_gated;
}

int launch_place(const struct launch *launch, int member)
{
	for (int i = 0; i < launch->layout.n; i++)
		if (launch->layout.places[i].member == member)
			return i;
	return -1;
}

int launch_command(const struct launch *launch,
		   const char *argv[ADAPTER_ARGS_MAX], char *text,
		   struct error *err)
{
	const struct jobfile *job = launch->room->job;

	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	return job->adapter->command(&job->app,
				     launch->restarts ? &launch->restart : NULL,
				     argv, text, LAUNCH_TEXT_MAX, err);
}

/* ---- mpiexec ---- */

/* Appends list, which ends with NULL, to words. */
static size_t append(const char **words, size_t n, const char *const *list)
{
	while (*list)
		words[n++] = *list++;
	words[n] = NULL;
	return n;
}

size_t launch_count(const char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

int launch_run_mpiexec(struct launch *launch, const char *const *program,
		       int out, void (*ended)(void *user, int status),
		       struct error *err)
{
	const struct launch_room *room = launch->room;
	const struct ledger *ledger = members_ledger(room->members);
	CLEANUP(free) struct launcher_words *reach = calloc(1, sizeof(*reach));
	CLEANUP(free) const char **argv = NULL;
	struct mpiexec_words words;
	char hostfile[4200], rankfile[4200];
	bool binds = launch->placement.planned != NULL;
	int r;

	argv = calloc(MPIEXEC_ARGS_MAX + launch_count(program), sizeof(*argv));
	if (!reach || !argv)
		return error_set(err, -ENOMEM, "out of memory");
	snprintf(hostfile, sizeof(hostfile), "%s/hostfile-%u", room->dir,
		 launch->epoch);
	snprintf(rankfile, sizeof(rankfile), "%s/rankfile-%u", room->dir,
		 launch->epoch);
	r = mpiexec_write_hostfile(hostfile, ledger, &launch->layout, err);
	if (r == 0 && binds)
		r = placement_write_rankfile(&launch->placement, rankfile,
					     ledger, &launch->layout, err);
	if (r == 0)
		r = room->launcher->ops->words(room->launcher, launch->epoch,
					       &launch->layout, reach, err);
	if (r == 0)
		r = mpiexec_words(&words, room->job, ledger, &launch->layout,
				  room->address, hostfile,
				  binds ? rankfile : NULL, reach->agent, err);
	if (r < 0)
		return r;
	append(argv, append(argv, 0, words.argv), program);
	return mpirun_start(
		&launch->mpirun,
		&(const struct mpirun_config){
			.loop = room->loop,
			.dir = room->dir,
			.epoch = launch->epoch,
			.argv = argv,
			.env =
				(const char *const[]){
					*reach->env ? reach->env : NULL, NULL},
			.out = out,
			.ended = ended,
			.user = launch,
		},
		err);
}

void launch_kill(struct launch *launch)
{
	if (!launch->mpirun)
		return;
	launch->killed = true;
	mpirun_kill(launch->mpirun);
}

bool launch_has_ended(const struct launch *launch)
{
	return !launch->mpirun || mpirun_has_ended(launch->mpirun);
}

void launch_words(const struct launch *launch, char *text, size_t n)
{
	if (launch->mpirun)
		mpirun_words(launch->mpirun, text, n);
	else
		*text = '\0';
}

bool launch_is_dying(const struct launch *launch)
{
	return launch->killed && !launch_has_ended(launch);
}

/* ---- life ---- */

static struct layout_wish layout_wish(const struct jobfile *job)
{
	static const enum layout_policy policies[] = {
		[PROFILE_UNKNOWN] = LAYOUT_FILL,
		[PROFILE_NETWORK] = LAYOUT_PACK,
		[PROFILE_CPU] = LAYOUT_SPREAD,
		[PROFILE_MEMORY] = LAYOUT_SPREAD,
	};

	return (struct layout_wish){.policy = policies[job->profile],
				    .per_member = job->ranks_per_executor,
				    .move_price = job->move_price};
}

int launch_create(struct launch **out, const struct launch_room *room,
		  unsigned epoch, unsigned ranks, const struct layout *now,
		  struct error *err)
{
	const struct ledger *ledger = members_ledger(room->members);
	const struct launch_ops *ops =
		member_all_polled(ledger) ? &launch_bare : &launch_gated;
	CLEANUP(launch_destroy) struct launch *launch = calloc(1, ops->size);
	struct layout_wish wish;
	int r;

	if (!launch)
		return error_set(err, -ENOMEM, "out of memory");
	launch->ops = ops;
	launch->room = room;
	launch->epoch = epoch;
	wish = layout_wish(room->job);
	if (!layout_make(&launch->layout, ledger, now, ranks, &wish))
		return error_set(err, -ENOSPC,
				 "the executors cannot hold %u ranks", ranks);
	launch->moved = now ? layout_moves(now, &launch->layout) : 0;
	r = ops->begin(launch, err);
	if (r < 0)
		return r;
	*out = STEAL(launch);
	return 0;
}

struct launch *launch_destroy(struct launch *launch)
{
	if (!launch)
		return NULL;
	mpirun_destroy(launch->mpirun);
	launch->ops->fini(launch);
	placement_fini(&launch->placement);
	free(launch);
	return NULL;
}

/* ---- what is asked of a start ---- */

int launch_open(struct launch *launch, const struct checkpoint *restart,
		struct error *err)
{
	launch->restarts = restart != NULL;
	if (restart)
		launch->restart = *restart;
	if (!launch_step(&launch->state, LAUNCH_EV_OPEN))
		return error_set(err, -EIO, "the start has failed");
	if (launch->state == LAUNCH_OPENED)
		launch->ops->open(launch);
	return 0;
}

void launch_stop(struct launch *launch, msec_t patience)
{
	if (!launch_step(&launch->state, LAUNCH_EV_STOP) &&
	    (launch->state == LAUNCH_GONE || patience >= launch->patience))
		return;
	launch->patience = patience;
	launch->ops->stop(launch);
}

void launch_forbid(struct launch *launch)
{
	launch->forbidden = true;
}

void launch_save(struct launch *launch, bool first, bool take)
{
	launch->ops->save(launch, first, take);
}

void launch_signal(struct launch *launch, int signo)
{
	launch->ops->signal(launch, signo);
}

void launch_on_lost(struct launch *launch, int member)
{
	launch->ops->on_lost(launch, member);
}

unsigned launch_epoch(const struct launch *launch)
{
	return launch->epoch;
}

bool launch_has_epoch(const struct launch *launch, unsigned epoch)
{
	return launch && launch->epoch == epoch;
}

const struct layout *launch_layout(const struct launch *launch)
{
	return &launch->layout;
}

const struct placement *launch_placement(const struct launch *launch)
{
	return &launch->placement;
}

bool launch_is_prepared(const struct launch *launch)
{
	return launch->state == LAUNCH_PREPARED ||
	       launch->state == LAUNCH_OPENED || launch->state == LAUNCH_UP;
}

bool launch_is_up(const struct launch *launch)
{
	return launch->state == LAUNCH_UP;
}

bool launch_is_gone(const struct launch *launch)
{
	return launch->state == LAUNCH_GONE;
}
