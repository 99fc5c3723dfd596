/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_REPLAY_H
#define SCHEDULER_REPLAY_H

/*
 * What the queue's journal adds up to: each job as its last line says, and the
 * last decisions
 */

#include "base/cleanup.h"
#include "scheduler/record.h"

enum {
	DECISIONS_MAX = 4096, /* that are remembered, of all jobs together */
	OVER_MAX = 500,       /* jobs that are over, likewise */
};

struct decisions {
	struct decision *ring; /* DECISIONS_MAX */
	size_t n;              /* added so far */
};

/* Zero-initialised. */
struct replay {
	struct record *at; /* in order of their numbers */
	size_t n, room;
	struct decisions decisions;
	bool failed; /* there was no memory */
};

/* A journal_file_read_f; user: a struct replay. */
bool replay_line(void *user, const char *text, size_t n);

void replay_fini(struct replay *replay);

static inline void replay_fini_at(struct replay *replay)
{
	replay_fini(replay);
}

/* -ENOMEM */
int decisions_add(struct decisions *decisions, const struct decision *one);
void decisions_fini(struct decisions *decisions);

/* The i-th of those that are remembered, 0 is the oldest; NULL: none. */
const struct decision *decisions_at(const struct decisions *decisions,
				    size_t i);

/* Of the journal at path: the lines that say as much, and no more.  *lines:
 * made with malloc(). */
int replay_sum_up(const char *path, char **lines, size_t *n, struct error *err);

#endif
