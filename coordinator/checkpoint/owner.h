/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_CHECKPOINT_OWNER_H
#define COORDINATOR_CHECKPOINT_OWNER_H

/*
 * The checkpoint directory belongs to one coordinator at a time
 *
 *     create: it claims the directory --> waits --> owns --> leave
 *             |                            |         |
 *             refused: one lives here      lost: another one has claimed it
 *
 * core/ownership.h says why, and owner_folder.h by what.  It looks every
 * second, on a thread of its own, for the file system may stand still.
 */

#include "base/error.h"
#include "loop/loop.h"

struct checkpoint_owner;

struct checkpoint_owner_events {
	/* The wait is over, and the directory is ours. */
	void (*owned)(void *user);
	/* A look saw no newer record: ranks may compute until then. */
	void (*seen)(void *user, msec_t until);
	/* Another coordinator has it now; text: a sentence.  Nothing more
	 * comes. */
	void (*lost)(void *user, const char *text);
};

/* Claims it for that job; state: its state directory.  dir and events are
 * borrowed.  -EBUSY, and nothing has changed: a coordinator that runs on this
 * host has it.  A disk that is full is no error: the claim is made when there
 * is room. */
int checkpoint_owner_create(struct checkpoint_owner **out, struct loop *loop,
			    const char *dir, const char *job, const char *state,
			    const struct checkpoint_owner_events *events,
			    void *user, struct error *err);

/* A sentence: which coordinator it waits for, and how long at the most; "": it
 * does not wait. */
const char *checkpoint_owner_waits_for(const struct checkpoint_owner *owner);

/* Ranks of one that had it before may compute until their leases are over. */
bool checkpoint_owner_is_fenced(const struct checkpoint_owner *owner);

enum checkpoint_owner_end {
	CHECKPOINT_OWNER_LEAVES, /* ranks may be left */
	CHECKPOINT_OWNER_LEAVES_NO_RANK,
	CHECKPOINT_OWNER_IS_DONE, /* nobody needs a record any more */
};

/* This coordinator does nothing more in the directory, and says so there.
 * Returns NULL. */
struct checkpoint_owner *checkpoint_owner_leave(struct checkpoint_owner *owner,
						enum checkpoint_owner_end how);

#endif
