/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOURNAL_RECORD_H
#define COORDINATOR_JOURNAL_RECORD_H

/*
 * What happens to the job, written down before anything is done about it, and
 * what it adds up to
 *
 * A journal that cannot be written does not hold up the job: its ranks compute
 * on, the log says it once, and the journal ends there.  A coordinator that
 * takes over then knows the job as it was at that time, and the checkpoint as
 * it is.
 */

#include "coordinator/journal/replay.h"
#include "loop/loop.h"

struct record;

/* The journal is in folder dir.  The loop is stopped with -EBUSY when another
 * coordinator has written to the journal. */
int record_create(struct record **out, struct loop *loop, const char *dir,
		  struct error *err);
struct record *record_destroy(struct record *record); /* returns NULL */

/* The job begins here.  A journal that is there is set aside. */
void record_begin(struct record *record, const struct job *job,
		  const char *name);
/* The job goes on.  end: of what is believed of its journal. */
void record_go_on(struct record *record, const struct journal_replay *replay,
		  const struct job *job, const struct journal_end *end);

/* False: this coordinator is no longer the job's, and ends. */
bool record_event(struct record *record, const struct job_event *event,
		  const char *reason);
void record_request(struct record *record, const struct request *request);
/* One that was accepted, or NULL. */
const struct request *record_find_request(const struct record *record,
					  const char *id);
void record_repeated(struct record *record, uint64_t steps);
/* history_notice(), written down if it is one. */
bool record_notice(struct record *record, Bellows__V1__NoticeKind kind,
		   const char *text);

struct history *record_history(struct record *record);

#endif
