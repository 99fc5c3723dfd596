/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_LAUNCH_LAUNCH_H
#define COORDINATOR_LAUNCH_LAUNCH_H

/*
 * One start of the application: its layout, its mpiexec, its ranks
 *
 *     wiring up -> at the gates -> opened -> up -> gone
 *
 * There are two kinds.  Ours (launch_gated.c) is wired up first and waits at
 * gates, so that opening it is all that is left to do.  That of polled
 * executors (launch_bare.c) has no program of ours on the hosts: opening it is
 * running mpiexec on the application itself.  A start never changes its size
 * or place: another one is made.
 */

#include "coordinator/launch/launcher.h"
#include "coordinator/launch/placement.h"
#include "coordinator/members/members.h"
#include "core/layout.h"
#include "jobfile/jobfile.h"

struct launch;

struct launch_events {
	void (*prepared)(void *user, struct launch *launch);
	void (*up)(void *user, struct launch *launch);
	/* It will not come up.  by_itself: the application could not be run
	 * (then status is as of a shell: 126 or 127). */
	void (*failed)(void *user, struct launch *launch, const char *reason,
		       bool by_itself, int status);
	/* mpiexec has ended after the gates were opened; as of waitpid(). */
	void (*ended)(void *user, struct launch *launch, int status);
	/* No rank is left on any executor of it that is alive. */
	void (*gone)(void *user, struct launch *launch);

	/* Bare starts only, whose executors report neither: whole lines of a
	 * rank, and what came of the checkpoint that was ordered. */
	void (*printed)(void *user, unsigned epoch, unsigned rank, bool error,
			const char *text, size_t n);
	void (*judged)(void *user, const Bellows__V1__CheckpointReport *report);
};

/* What is the same for all starts; borrowed. */
struct launch_room {
	struct loop *loop;
	struct members *members;
	struct launcher *launcher;
	const struct jobfile *job;
	const char *dir;     /* for its files */
	const char *address; /* as the coordinator listens on it, for hosts */
	const struct launch_events *events;
	void *user;
};

/* now: the layout that runs, or NULL.  -ENOSPC if the ready executors cannot
 * hold so many ranks. */
int launch_create(struct launch **out, const struct launch_room *room,
		  unsigned epoch, unsigned ranks, const struct layout *now,
		  struct error *err);

/* Kills mpiexec if it still runs; orders to close the gates. Returns NULL. */
struct launch *launch_destroy(struct launch *launch);

/* restart: checkpoint to go on from, or NULL. */
int launch_open(struct launch *launch, const struct checkpoint *restart,
		struct error *err);

/* Answered by gone(), once and maybe before this returns.  patience: for ranks
 * that leave by themselves. */
void launch_stop(struct launch *launch, msec_t patience);

/* Its ranks must not write a checkpoint any more: they are killed, not told to
 * leave. */
void launch_forbid(struct launch *launch);

/* To the executor of rank 0, or to the others.  take: the newest checkpoint
 * that is there will do. */
void launch_save(struct launch *launch, bool first, bool take);
void launch_signal(struct launch *launch, int signo);

void launch_on_lost(struct launch *launch, int member);

/* launch_gated.c: what our executors report; of a bare start, or of an executor
 * without ranks of it, nothing is done. */
void launch_on_arrived(struct launch *launch, int member,
		       const Bellows__V1__GateArrived *gate);
void launch_on_ranks_up(struct launch *launch, int member,
			const Bellows__V1__RanksUp *up);
void launch_on_ranks_gone(struct launch *launch, int member);

/* launch_bare_save.c: a polled executor calls; is a checkpoint there, so that
 * it must do what a restart of the application needs?  One executor is waited
 * for that confirms.  Never of a gated start. */
bool launch_asks(struct launch *launch, int member);
void launch_on_confirmed(struct launch *launch, int member);

/* launch_bare_run.c: what ranks print is not to be read for a while, or again.
 * The output of a gated start comes from its executors. */
void launch_hold_back(struct launch *launch, bool yes);

unsigned launch_epoch(const struct launch *launch);
/* launch may be NULL, which has none. */
bool launch_has_epoch(const struct launch *launch, unsigned epoch);
const struct layout *launch_layout(const struct launch *launch);
/* Once it is prepared, its ranks are bound so; that of a bare start binds none.
 */
const struct placement *launch_placement(const struct launch *launch);
bool launch_is_prepared(const struct launch *launch);
bool launch_is_up(const struct launch *launch);
/* Its mpiexec has ended. */
bool launch_has_ended(const struct launch *launch);
bool launch_is_gone(const struct launch *launch);

/* What its mpiexec printed last, of less than n bytes. */
void launch_words(const struct launch *launch, char *text, size_t n);

/* Its mpiexec was killed, and has not ended: it waits for a disk, say. */
bool launch_is_dying(const struct launch *launch);

/* Kills mpiexec and what it started. */
void launch_kill(struct launch *launch);

#endif
