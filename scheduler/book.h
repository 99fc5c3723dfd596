/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_BOOK_H
#define SCHEDULER_BOOK_H

/*
 * The queue's journal, and the calls that are answered once it is on the disk
 *
 * A disk that is full does not stop the jobs that run: their lines wait, and
 * what people ask is refused until the disk has room, which is tried again
 * and again.
 */

#include "base/list.h"
#include "journal/journal_queue.h"
#include "scheduler/replay.h"

/* Embedded in what waits for its lines. */
struct book_entry {
	struct list link;
	uint64_t given;
	/* Once: 0: it is on the disk; -ECANCELED: the book is closed, and may
	 * not be waited for again; else -errno and why it is not yet. */
	void (*fn)(struct book_entry *entry, int r, const struct error *err);
};

/* Zero-initialised. */
struct book {
	struct loop *loop;
	struct journal_queue *queue;
	struct loop_timer retry;
	struct list waiting; /* of struct book_entry, in order */
	struct error trouble;
	bool fails; /* trouble says why */
};

/* Opens DIR/journal, which replay was read from up to end.  -EBUSY: another
 * program writes to it. */
int book_open(struct book *book, struct loop *loop, const char *dir,
	      const struct journal_end *end, struct error *err);
void book_close(struct book *book);

void book_record(struct book *book, const struct record *record);
void book_decision(struct book *book, const struct decision *decision);

/* Bytes that were written until now, and whether so many are on the disk. */
uint64_t book_given(const struct book *book);
bool book_is_kept(const struct book *book, uint64_t given);

/* entry->fn is called when all that was written until now is on the disk. */
void book_await(struct book *book, struct book_entry *entry);

#endif
