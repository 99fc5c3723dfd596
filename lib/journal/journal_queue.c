/* SPDX-License-Identifier: Apache-2.0 */
#include "journal/journal_queue.h"

#include "base/log.h"
#include "loop/file_queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct journal_queue {
	struct file_queue *queue; /* of a struct shelf */
	const struct journal_queue_ops *ops;
	void *user;
	uint64_t given, kept; /* bytes, of all lines */
	bool lost;            /* the journal is another program's */
};

/* What is written to, and what came of the last call. */
struct shelf {
	char path[4200];
	struct journal_file *file; /* NULL once it is another program's */
	const struct journal_queue_ops *ops;
	off_t limit;         /* it is summed up once it is longer */
	int written, summed; /* 0 or -errno, with a sentence */
	struct error err;
	off_t before, after; /* bytes; alike: it was not summed up */
};

/* ---- on the thread ---- */

static int replace_by_summary(struct shelf *shelf, struct error *err)
{
	char *lines;
	size_t n;
	int r = shelf->ops->sum_up(shelf->path, journal_file_size(shelf->file),
				   &lines, &n, err);

	if (r < 0)
		return r;
	r = journal_file_replace(shelf->file, lines, n, err);
	free(lines);
	return r;
}

static void sum_up(struct shelf *shelf)
{
	if (shelf->before <= shelf->limit)
		return;
	shelf->summed = replace_by_summary(shelf, &shelf->err);
	shelf->after = journal_file_size(shelf->file);
	shelf->limit = shelf->after + shelf->ops->size_max;
}

static bool write_lines(void *state, const char *lines, size_t n)
{
	struct shelf *shelf = state;

	if (!shelf->file)
		return false;
	shelf->summed = 0;
	shelf->written =
		journal_file_append(shelf->file, lines, n, &shelf->err);
	shelf->before = shelf->after = journal_file_size(shelf->file);
	if (shelf->written == 0)
		sum_up(shelf);
	if (shelf->written == -EBUSY || shelf->summed == -EBUSY)
		shelf->file = journal_file_close(shelf->file);
	return shelf->written == 0;
}

static void free_shelf(void *state)
{
	struct shelf *shelf = state;

	journal_file_close(shelf->file);
	free(shelf);
}

/* ---- what came of it ---- */

static void tell_summary(const struct shelf *shelf)
{
	if (shelf->summed < 0)
		log_warn("the journal stays as long as it is: %s",
			 shelf->err.text);
	else if (shelf->after != shelf->before)
		log_info("the journal of %lld bytes is summed up in %lld",
			 (long long)shelf->before, (long long)shelf->after);
}

static void on_written(void *owner, void *state, size_t n)
{
	struct journal_queue *queue = owner;
	const struct shelf *shelf = state;

	if (queue->lost)
		return;
	queue->lost = !shelf->file;
	if (queue->lost || shelf->written < 0) {
		queue->ops->failed(queue->user,
				   queue->lost ? -EBUSY : shelf->written,
				   &shelf->err);
		return;
	}
	tell_summary(shelf);
	queue->kept += n;
	queue->ops->kept(queue->user);
}

static const struct file_queue_ops shelf_ops = {
	write_lines,
	on_written,
	free_shelf,
};

/* ---- on the loop ---- */

int journal_queue_put(struct journal_queue *queue, const char *lines, size_t n)
{
	int r = queue->lost ? 0
			    : file_queue_put(queue->queue, lines, n, NULL, 0);

	if (r == 0)
		queue->given += n;
	return r;
}

uint64_t journal_queue_given(const struct journal_queue *queue)
{
	return queue->given;
}

uint64_t journal_queue_kept(const struct journal_queue *queue)
{
	return queue->kept;
}

int journal_queue_retry(struct journal_queue *queue)
{
	return queue->lost ? 0 : file_queue_retry(queue->queue);
}

/* ---- life ---- */

static int put_right(const char *path, struct journal_end *end,
		     struct error *err)
{
	if (!end->damaged)
		return 0;
	log_error("%s:%u: damaged; what follows is not believed, and kept in "
		  "%s.damaged",
		  path, end->lines + 1, path);
	return journal_file_put_right(path, end, err);
}

static int open_shelf(struct shelf *shelf, const char *path,
		      const struct journal_end *end,
		      const struct journal_queue_ops *ops, struct error *err)
{
	struct journal_end believed = *end;
	int r = put_right(path, &believed, err);

	snprintf(shelf->path, sizeof(shelf->path), "%s", path);
	shelf->ops = ops;
	shelf->limit = ops->size_max;
	return r < 0 ? r
		     : journal_file_open(&shelf->file, path, ops->program,
					 &believed, err);
}

int journal_queue_create(struct journal_queue **out, struct loop *loop,
			 const char *path, const struct journal_end *end,
			 const struct journal_queue_ops *ops, void *user,
			 struct error *err)
{
	struct journal_queue *queue = calloc(1, sizeof(*queue));
	struct shelf *shelf = calloc(1, sizeof(*shelf));
	int r = queue && shelf ? open_shelf(shelf, path, end, ops, err)
			       : error_set(err, -ENOMEM, "out of memory");

	if (r < 0)
		free(shelf);
	else
		r = file_queue_create(&queue->queue, loop, &shelf_ops, queue,
				      shelf, err);
	if (r < 0) {
		free(queue);
		return r;
	}
	queue->ops = ops;
	queue->user = user;
	*out = queue;
	return 0;
}

struct journal_queue *journal_queue_destroy(struct journal_queue *queue)
{
	if (!queue)
		return NULL;
	file_queue_destroy(queue->queue);
	free(queue);
	return NULL;
}
