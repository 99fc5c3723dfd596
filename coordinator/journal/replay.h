/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOURNAL_REPLAY_H
#define COORDINATOR_JOURNAL_REPLAY_H

/*
 * What a journal adds up to: the job as it was when its last line was written
 *
 * Everything that is not in the world follows from the events of a job, so a
 * job is told its own again.  Instants are milliseconds since it began.
 */

#include "coordinator/journal/journal.h"
#include "coordinator/journal/requests.h"

struct journal_replay {
	bool any; /* there is a job */
	char name[64];
	msec_t wall;      /* when it began, since 1970 */
	msec_t last;      /* the newest entry */
	unsigned initial; /* ranks that it began with */
	struct job job;   /* with no patience but for losses and resuming */
	struct history history;
	uint64_t ordered_at;  /* last step seen when told to save */
	uint64_t saved_after; /* the same, of the checkpoint that it wrote */
	struct requests requests; /* that were accepted */
	struct request asked;     /* written down, and not yet begun */
	unsigned lives;           /* coordinators that had it */
};

/* A journal_read_f; user: a struct journal_replay, zero-initialised. */
bool journal_replay_entry(void *user, const struct journal_entry *entry);

/* From the clock of the journal to this machine's: the instant at which the job
 * began, so that nothing of it lies ahead.  wall: now, since 1970. */
msec_t journal_replay_began(const struct journal_replay *replay, msec_t wall,
			    msec_t now);

#endif
