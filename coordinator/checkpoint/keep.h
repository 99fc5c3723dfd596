/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_CHECKPOINT_KEEP_H
#define COORDINATOR_CHECKPOINT_KEEP_H

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
 *                                /doubted/  what a start may have failed for
 *                                /damaged/  what could not be gone on from
 *
 * Of files that are replaced by renaming, hard links are enough, which cost
 * nothing.  Those that are written in place are copied, by a program that has
 * the least priority (and only notes them, where the file system can); and so
 * is everything where there are no links.  Which it is, is seen by the inodes
 * of the next checkpoint; until then they are copied.  Of an application that
 * leaves the checkpoint before where it is nothing is kept; here the newest is
 * only set aside when it is no good.
 *
 * Nothing is kept while ranks write or start: what is being made then is given
 * up.  Nothing here is needed to go on from the newest: any of it may be
 * removed.
 */

#include "jobfile/jobfile.h"
#include "loop/loop.h"

struct keep;

/* text: a sentence about what is not kept, and why. */
typedef void (*keep_f)(void *user, const char *text);

int keep_create(struct keep **out, struct loop *loop, const struct jobfile *job,
		keep_f fn, void *user, struct error *err);
struct keep *keep_destroy(struct keep *keep); /* returns NULL */

/* What is there now is good, or as good as can be told, and ranks compute: it
 * is kept, unless it is already.  Done later, or not at all. */
void keep_note(struct keep *keep);

/* The same, now and then, of an application that writes when it likes: only if
 * it is as it was the last time, and so not being written. */
void keep_watch(struct keep *keep);

/* Ranks are to start or to end, and have the disk for themselves: a copy that
 * is being made is given up. */
void keep_give_up(struct keep *keep);
/* The application is about to write the next one: likewise, and so is the
 * oldest where there is no room for another. */
void keep_yield(struct keep *keep, uint64_t bytes);

/* Whether what an adapter's checkpoint() returned means that none is whole. */
bool keep_is_damaged(int looked);

/* What lies there is no good: bad, or (NULL) whatever it is; or it is only
 * doubted.  Sets it aside and puts the one before in its place, which out
 * becomes.  -ENOENT, and nothing has changed, if there is none. */
int keep_go_back(struct keep *keep, const struct checkpoint *bad, bool doubted,
		 struct checkpoint *out, struct error *err);

/* One is set aside that was doubted, be it by a coordinator before this one: */
bool keep_is_doubted(const struct keep *keep);
/* it is taken for damaged; */
void keep_confirm(struct keep *keep);
/* or it was for nothing, and all is as it was before.  What would be written
 * over is left, and so is the doubted one: -EEXIST. */
int keep_undo(struct keep *keep, struct error *err);

enum keep_state {
	KEEP_FINE,  /* also if there is no checkpoint at all */
	KEEP_BACK,  /* the newest was damaged: the one before is in its place */
	KEEP_EMPTY, /* none is there, but one that was kept is */
};

/* Before the job begins: enum keep_state, or -errno if it cannot be looked. */
int keep_mend(struct keep *keep, struct error *err);

/* The job is done: nothing is kept any more. */
void keep_clear(struct keep *keep);

DEFINE_CLEANUP(struct keep, keep_destroy)

#endif
