/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOURNAL_JOURNAL_QUEUE_H
#define JOURNAL_JOURNAL_QUEUE_H

/*
 * A journal that is written on a thread (loop/file_queue.h)
 *
 * Lines are written in the order in which they were put, and those that wait
 * are put on the disk together: the loop never waits for the disk.  A journal
 * that has become too long is replaced by its summary, on the thread as well.
 *
 * Who waits for a line remembers journal_queue_given() behind it, and goes on
 * once journal_queue_kept() has come so far.
 */

#include "journal/journal_file.h"
#include "loop/loop.h"

#include <stdint.h>

struct journal_queue;

/* The callbacks may not destroy the queue. */
struct journal_queue_ops {
	/* What writes such a journal: "coordinator". */
	const char *program;
	/* On the loop: more is kept. */
	void (*kept)(void *user);
	/* On the loop: lines could not be written, and err says why.  They and
	 * what is put from here on wait for journal_queue_retry(), and are
	 * lost without it.  -EBUSY: another program has written to the
	 * journal, and nothing is written to it any more. */
	void (*failed)(void *user, int code, const struct error *err);
	/* Bytes: a journal that is longer is summed up; and again once it has
	 * grown by so many. */
	off_t size_max;
	/* On the thread: makes the lines that replace those of the journal at
	 * path, which has size bytes.  *lines: made with malloc().  After an
	 * error the journal stays as long as it is, and the log says so. */
	int (*sum_up)(const char *path, off_t size, char **lines, size_t *n,
		      struct error *err);
};

/* Opens or makes the journal at path.  end: of what is believed of it; what is
 * not is cut off, and of a damaged one kept in PATH.damaged.  -EBUSY: as
 * journal_file_open().  ops has to stay. */
int journal_queue_create(struct journal_queue **out, struct loop *loop,
			 const char *path, const struct journal_end *end,
			 const struct journal_queue_ops *ops, void *user,
			 struct error *err);
/* Waits up to a second for what is not written yet.  No callback runs any more.
 * Returns NULL. */
struct journal_queue *journal_queue_destroy(struct journal_queue *queue);

/* Sealed lines.  After -EBUSY they are dropped.  -ENOMEM: none of them will be
 * written. */
int journal_queue_put(struct journal_queue *queue, const char *lines, size_t n);

/* Bytes of all lines that were put, and of those of them that are on the disk;
 * neither becomes less. */
uint64_t journal_queue_given(const struct journal_queue *queue);
uint64_t journal_queue_kept(const struct journal_queue *queue);

/* After failed(): all that is not kept is written again, in its order, where
 * what is kept ends; then kept() or failed() runs.  Does nothing otherwise, nor
 * after -EBUSY.  -ENOMEM: it may be called again. */
int journal_queue_retry(struct journal_queue *queue);

#endif
