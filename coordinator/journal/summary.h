/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOURNAL_SUMMARY_H
#define COORDINATOR_JOURNAL_SUMMARY_H

/*
 * A summary: few lines that replay to the same as a whole journal
 *
 * What a replay forgets (old spans, rescales, notices and requests) is not in
 * it, so its size has a bound: about half a megabyte.
 */

#include "coordinator/journal/replay.h"

/* Makes the lines of a journal whose replay is equal to this one.  This one has
 * a job.
 * *lines: made with malloc().  -ENOMEM with a sentence. */
int journal_summary_make(const struct journal_replay *replay, char **lines,
			 size_t *size, struct error *err);

/* Takes a line of a summary; false: it does not fit. */
bool journal_summary_entry(struct journal_replay *replay,
			   const struct journal_entry *entry);

#endif
