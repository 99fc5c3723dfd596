/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_LAUNCH_BARE_H
#define COORDINATOR_LAUNCH_BARE_H

/*
 * A start on polled executors
 *
 * No program of ours is on their hosts, so all is known through mpiexec.  It is
 * begun when a gated start would be opened: prepared means only that every host
 * lets us in.  What it runs is a line of shell that says which rank it is and
 * where, and becomes the application:
 *
 *     up     every rank has said so, from the host where it belongs: sshd puts
 *            the address it was reached at into SSH_CONNECTION
 *     gone   mpiexec, which waits for its ranks, has ended
 *
 * mpiexec passes the signal to save on to the ranks.  Once they have left, and
 * their checkpoint is there, the executors are told: Kub's launcher does then
 * what a restart of its application needs, changes input files, say.  So the
 * start is not gone before one of them has confirmed, or it is plain that none
 * will.  An executor that signals its ranks when it is told finds none, and
 * cannot signal twice.
 */

#include "coordinator/launch/launch_ops.h"
#include "coordinator/launch/xmlout.h"
#include "core/checkpoint_judge.h"

struct bare;

struct bare_login {
	struct bare *bare;
	int place;
	struct login *login;
};

struct bare {
	struct launch launch;
	unsigned orders[MEMBERS_MAX]; /* enum order_state, beside layout.places
				       */
	bool *here;                   /* by rank: it has said so */
	unsigned n_here;
	struct bare_login *logins; /* beside layout.places */
	int n_tried, n_reached;

	int out; /* what mpiexec prints */
	struct loop_fd *watch;
	struct xmlout *xmlout;
	bool fallen; /* mpiexec was killed: its daemons are left alone */

	bool saving, signalled; /* its ranks are to save, by a signal */
	struct checkpoint_judge judge;
	struct loop_timer begin, term, kill, confirm, look;
};

static inline struct bare *bare_of(struct launch *launch)
{
	return (struct bare *)launch;
}

/* launch_bare_end.c */
void bare_stop(struct launch *launch);
void bare_on_lost(struct launch *launch, int member);
/* Whether anything is left; told once nothing is. */
void bare_look_for_ranks(struct bare *bare);

/* launch_bare_reach.c */
int bare_reach(struct bare *bare, struct error *err);
/* Ends the logins that are under way; again does no harm. */
void bare_reach_no_more(struct bare *bare);

/* launch_bare_save.c */
void bare_save(struct launch *launch, bool first, bool take);
/* The ranks are gone: what is there is what they wrote. */
void bare_judge_at_end(struct bare *bare);

/* launch_bare_run.c: mpiexec on the application, and what comes from it. */
int bare_run(struct bare *bare, struct error *err);
void bare_drop_output(struct bare *bare);
/* For xmlout. */
void bare_on_line(void *user, int rank, bool error, const char *text, size_t n);

#endif
