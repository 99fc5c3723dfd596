/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_CHECKPOINT_UNREADABLE_H
#define COORDINATOR_CHECKPOINT_UNREADABLE_H

/*
 * A job none of whose checkpoints can be read
 *
 * A start would fail, and so would each one after it.  So the job ends, and
 * its files stay as they are for people; or, if the job file says
 * checkpoint.unreadable: begin, they are moved to bellows-kept/unreadable-N,
 * which nothing of Bellows removes, and the job begins anew.
 */

#include "coordinator/checkpoint/store.h"

enum { UNREADABLE_TEXT_MAX = 384 };

struct unreadable {
	bool begins_anew;               /* the files have been moved; otherwise
					 * nothing has changed */
	char text[UNREADABLE_TEXT_MAX]; /* a sentence that says what can be done
					 */
};

/* looked: what the adapter's checkpoint() returned, which is damaged, and no
 * older one could be put in its place.  True if its files are there; false if
 * they are gone, or if the application leaves former ones there, and the
 * adapter's prepare() judges. */
bool unreadable_is_there(const struct checkpoint_store *store, int looked);

/* bad: the newest one, as far as it is known. */
void unreadable_settle(struct unreadable *out, struct checkpoint_store *store,
		       const struct checkpoint *bad);

#endif
