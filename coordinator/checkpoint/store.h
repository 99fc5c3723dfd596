/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_CHECKPOINT_STORE_H
#define COORDINATOR_CHECKPOINT_STORE_H

/*
 * Two good checkpoints
 *
 * Many applications have one: the next is written over it, and if that one
 * turns out to be none, nothing is left.  So what ranks have gone on from is
 * kept, while they compute, until the next but one is good:
 *
 *     CHECKPOINT_DIR/state                  the application's, the newest
 *     CHECKPOINT_DIR/bellows-kept/1/state   the newest that was good
 *                                /2/state   the one before
 *                                /new/      1, while it is made
 *                                /aside/    while an older one is put back
 *                                /suspect/  what a start may have failed for
 *                                /damaged/  what could not be gone on from
 *                                /unreadable-1/  the same, and there was no
 *                                           other: see unreadable.h
 *
 * Files that the application writes in place are copied, by a program that has
 * the least priority (the file system may share the blocks), and are flushed to
 * the disk before they count; and so are all files where there are no links.
 * Those that it replaces by renaming are copied where that costs next to
 * nothing: if they are small, or if the file system shares blocks.  Otherwise
 * they are kept by hard links, which what damages a file in place reaches too.
 * The inodes of the next checkpoint show how it writes; until then its files
 * are copied.  If the application itself leaves the
 * checkpoint before in its place, nothing is kept, and a newest one that is no
 * good is only set aside.
 *
 * No copy is made while ranks write or start: one that is under way is given
 * up.  The newest checkpoint needs none of these folders: all of them may be
 * removed.
 */

#include "jobfile/jobfile.h"
#include "loop/loop.h"

struct checkpoint_store;

/* text: a sentence about what is not kept, and why. */
typedef void (*checkpoint_store_f)(void *user, const char *text);

int checkpoint_store_create(struct checkpoint_store **out, struct loop *loop,
			    const struct jobfile *job, checkpoint_store_f fn,
			    void *user, struct error *err);
struct checkpoint_store *
checkpoint_store_destroy(struct checkpoint_store *store); /* returns NULL */

/* What is there now is good, or as good as can be told, and ranks compute: it
 * is kept, unless it is already.  Done later, or not at all. */
void checkpoint_store_keep(struct checkpoint_store *store);

/* Called now and then if the application writes when it likes: keeps the newest
 * one if it is as it was at the last call, and so is not being written. */
void checkpoint_store_keep_settled(struct checkpoint_store *store);

/* Ranks are to start or to end, and have the disk for themselves: a copy that
 * is being made is given up. */
void checkpoint_store_abandon_copy(struct checkpoint_store *store);
/* The application is about to write the next one: likewise, and so is the
 * oldest where there is no room for another. */
void checkpoint_store_make_room(struct checkpoint_store *store, uint64_t bytes);

/* Whether what an adapter's checkpoint() returned means that none is whole. */
bool checkpoint_is_damaged(int looked);

/* There may be an older one to go back to. */
bool checkpoint_store_may_go_back(const struct checkpoint_store *store);

/* What lies there is no good: bad, or (NULL) whatever it is; or it is only
 * suspect.  Sets it aside and puts the one before in its place, which out
 * becomes.  -ENOENT, and nothing has changed, if there is none. */
int checkpoint_store_roll_back(struct checkpoint_store *store,
			       const struct checkpoint *bad, bool suspect,
			       struct checkpoint *out, struct error *err);

/* One is set aside that was suspect, be it by a coordinator before this one: */
bool checkpoint_store_has_suspect(const struct checkpoint_store *store);
/* it is taken for damaged; */
void checkpoint_store_confirm_damage(struct checkpoint_store *store);
/* or it was for nothing, and all is as it was before.  What would be written
 * over is left, and so is the suspect one: -EEXIST. */
int checkpoint_store_undo_rollback(struct checkpoint_store *store,
				   struct error *err);

enum checkpoint_found {
	CHECKPOINT_FOUND,       /* also if there is no checkpoint at all */
	CHECKPOINT_ROLLED_BACK, /* the newest was damaged: the one before is in
				   its place */
	CHECKPOINT_ONLY_KEPT,   /* none is there, but one that was kept is */
	CHECKPOINT_UNREADABLE,  /* it is damaged, and none that was kept is
				   better */
};

/* Before the job begins: enum checkpoint_found, or -errno if it cannot be
 * looked. */
int checkpoint_store_repair(struct checkpoint_store *store, struct error *err);

/* The job is done: nothing is kept any more but what is unreadable. */
void checkpoint_store_clear(struct checkpoint_store *store);

DEFINE_CLEANUP(struct checkpoint_store, checkpoint_store_destroy)

#endif
