/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_SAVE_H
#define EXECUTOR_SAVE_H

/*
 * A checkpoint, from the order to the judgement
 *
 * The executor of rank 0 looks at what is there, has the ranks told, and looks
 * again when they are gone (or, if the application saves when it likes, until
 * something newer stands still).  It trusts what the adapter calls complete and
 * nothing else.
 *
 * Looks are made on a thread, for a file system may never answer.  Ranks are
 * told when the first one has an answer; without one within checkpoint.deadline
 * they are not told, and compute on.
 */

#include "executor/ranks.h"
#include "jobfile/jobfile.h"

struct save;

struct save_events {
	/* What was there is known; others may signal their ranks now. */
	void (*begun)(void *user, unsigned epoch);
	/* failure: NULL if found is complete and newer than the order, or taken
	 * as the order asked.  unread: it could not be looked at. */
	void (*judged)(void *user, unsigned epoch,
		       const struct checkpoint *found, bool taken,
		       const char *failure, bool unread);
};

/* ranks: borrowed; job: shared. */
int save_create(struct save **out, struct loop *loop, struct ranks *ranks,
		struct jobfile *job, const struct save_events *events,
		void *user, struct error *err);
struct save *save_destroy(struct save *save); /* returns NULL */

/* take: the newest complete one that is there will do.  first: this is the
 * executor of rank 0, which may have ended meanwhile.  An order takes the place
 * of the one before. */
void save_order(struct save *save, unsigned epoch, bool take, bool first);

/* The ranks of a start are gone from this host. */
void save_on_gone(struct save *save, unsigned epoch);

/* Drops the order for a start. */
void save_cancel(struct save *save, unsigned epoch);

#endif
