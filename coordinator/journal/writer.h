/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOURNAL_WRITER_H
#define COORDINATOR_JOURNAL_WRITER_H

/*
 * What happens to the job, written down before anything is done about it, and
 * what it adds up to
 *
 * Lines are written on a thread (journal/journal_queue.h): the loop never waits
 * for the disk, and a journal that stands still holds up the decisions of the
 * job, not its ranks.
 *
 * A journal that cannot be written does not hold up the job: its ranks compute
 * on, the log says it once, and the journal ends there.  A coordinator that
 * takes over then knows the job as it was at that time, and the checkpoint as
 * it is.
 *
 * A journal that has become too long is replaced by its summary, on the thread,
 * which takes a part of a second.
 */

#include "coordinator/journal/replay.h"
#include "loop/loop.h"

struct journal_writer;

/* Bytes: a journal that is longer is replaced by its summary. */
enum { JOURNAL_SIZE_MAX = 4 << 20 };

/* The journal is in folder dir; it is not kept before it begins or goes on.
 * The loop is stopped with -EBUSY when another coordinator has written to the
 * journal.  fn: an event that was not written at once is. */
int journal_writer_create(struct journal_writer **out, struct loop *loop,
			  const char *dir, void (*fn)(void *user), void *user,
			  struct error *err);
/* Waits up to a second for what is not written yet. */
struct journal_writer *
journal_writer_destroy(struct journal_writer *writer); /* returns NULL */

/* The job begins here.  A journal that is there is set aside. */
void journal_writer_begin(struct journal_writer *writer, const struct job *job,
			  const char *name);
/* The job goes on.  end: of what is believed of its journal. */
void journal_writer_go_on(struct journal_writer *writer,
			  const struct journal_replay *replay,
			  const struct job *job, const struct journal_end *end);

/* The instant that a line of this moment gets: never before that of the line
 * before. */
msec_t journal_writer_instant(const struct journal_writer *writer, msec_t now);

/* event->now: of journal_writer_instant(), or a coordinator that takes over
 * would know another instant.
 * True: it is on the disk, or nothing is kept.  False: fn runs once it is so;
 * never if the job is another coordinator's, and this one ends. */
bool journal_writer_event(struct journal_writer *writer,
			  const struct job_event *event, const char *reason);
void journal_writer_request(struct journal_writer *writer,
			    const struct request *request);
/* One that was accepted, or NULL. */
const struct request *
journal_writer_find_request(const struct journal_writer *writer,
			    const char *id);
/* history_on_checkpoint() and history_on_repeated(), written down if they
 * change something. */
void journal_writer_checkpoint(struct journal_writer *writer, uint64_t step);
bool journal_writer_repeated(struct journal_writer *writer, uint64_t steps);
/* history_notice(), written down if it is one. */
bool journal_writer_notice(struct journal_writer *writer,
			   Bellows__V1__NoticeKind kind, const char *text);

/* A part of what the ranks of a start are bound to. */
void journal_writer_binding(struct journal_writer *writer, unsigned epoch,
			    const char *text);

struct history *journal_writer_history(struct journal_writer *writer);

#endif
