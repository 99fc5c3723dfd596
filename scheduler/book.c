/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/book.h"

#include "base/log.h"
#include "scheduler/clock.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#define RETRY SECONDS(2)

/* Bytes; a longer journal is summed up. */
enum { SIZE_MAX_OF_BOOK = 8 << 20 };

static void tell(struct book *book, struct book_entry *entry, int r)
{
	list_remove(&entry->link);
	entry->fn(entry, r, &book->trouble);
}

/* fn may wait again, which is for the next attempt. */
static void tell_waiting(struct book *book, int code)
{
	struct list told;

	list_take(&told, &book->waiting);
	while (!list_is_empty(&told))
		tell(book, CONTAINER(told.next, struct book_entry, link), code);
}

/* fn may ask for more to be written. */
static void tell_kept(struct book *book)
{
	uint64_t kept = journal_queue_kept(book->queue);

	while (!list_is_empty(&book->waiting)) {
		struct book_entry *first =
			CONTAINER(book->waiting.next, struct book_entry, link);

		if (first->given > kept)
			return;
		tell(book, first, 0);
	}
}

static void on_kept(void *user)
{
	struct book *book = user;

	if (book->fails)
		log_info("the journal of the queue can be written again");
	book->fails = false;
	*book->trouble.text = '\0';
	tell_kept(book);
}

static void try_again(void *user)
{
	struct book *book = user;

	if (journal_queue_retry(book->queue) < 0)
		loop_timer_set(book->loop, &book->retry, RETRY, try_again,
			       book);
}

static void on_failed(void *user, int code, const struct error *err)
{
	struct book *book = user;

	if (code == -EBUSY) {
		log_error("%s, and has the queue now", err->text);
		loop_stop(book->loop, -EBUSY);
		return;
	}
	if (!book->fails)
		log_error("the journal of the queue cannot be written: %s",
			  err->text);
	book->fails = true;
	book->trouble = *err;
	tell_waiting(book, code);
	loop_timer_set(book->loop, &book->retry, RETRY, try_again, book);
}

static int sum_up(const char *path, off_t size, char **lines, size_t *n,
		  struct error *err)
{
	return replay_sum_up(path, lines, n, err);
}

int book_open(struct book *book, struct loop *loop, const char *dir,
	      const struct journal_end *end, struct error *err)
{
	static const struct journal_queue_ops ops = {
		.program = "scheduler",
		.kept = on_kept,
		.failed = on_failed,
		.size_max = SIZE_MAX_OF_BOOK,
		.sum_up = sum_up,
	};
	char path[PATH_MAX];

	book->loop = loop;
	list_init(&book->waiting);
	snprintf(path, sizeof(path), "%s/journal", dir);
	return journal_queue_create(&book->queue, loop, path, end, &ops, book,
				    err);
}

void book_close(struct book *book)
{
	loop_timer_clear(&book->retry);
	if (!book->queue)
		return;
	error_set(&book->trouble, -ECANCELED, "the scheduler ends");
	tell_waiting(book, -ECANCELED);
	journal_queue_destroy(book->queue);
	book->queue = NULL;
}

static void put(struct book *book, const char *line, size_t n)
{
	if (n == 0 || journal_queue_put(book->queue, line, n) < 0)
		log_error("a line of the queue's journal is lost: out of "
			  "memory");
}

void book_record(struct book *book, const struct record *record)
{
	char line[RECORD_LINE_MAX];

	put(book, line, record_format(record, clock_wall(), line));
}

void book_decision(struct book *book, const struct decision *decision)
{
	char line[RECORD_LINE_MAX];

	put(book, line, decision_format(decision, line));
}

uint64_t book_given(const struct book *book)
{
	return journal_queue_given(book->queue);
}

bool book_is_kept(const struct book *book, uint64_t given)
{
	return given <= journal_queue_kept(book->queue);
}

void book_await(struct book *book, struct book_entry *entry)
{
	entry->given = journal_queue_given(book->queue);
	list_append(&book->waiting, &entry->link);
	if (!book->fails)
		tell_kept(book);
}
