/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOOP_FILE_QUEUE_H
#define LOOP_FILE_QUEUE_H

/*
 * Bytes that a file_thread writes in the order in which they were put
 *
 * One call is under way at a time; what is put meanwhile is gathered, and is
 * the next call.  So a file system that stands still costs the memory of what
 * waits for it, and no time of the loop.
 *
 * The state is what the bytes are written to.  It belongs to the call that is
 * under way, and to the loop within done, which may look into it.
 */

#include "loop/file_thread.h"

#include <stdbool.h>
#include <stddef.h>

struct file_queue;

struct file_queue_ops {
	/* On the thread: all bytes of a call.  False: none of them is written,
	 * and they wait with what is put behind them for file_queue_retry(). */
	bool (*write)(void *state, const char *bytes, size_t n);
	/* On the loop: that call is over, and has written n bytes.  The queue
	 * has to stay. */
	void (*done)(void *owner, void *state, size_t n);
	/* Once nothing uses the state any more, also if there is no queue. */
	void (*release)(void *state);
};

int file_queue_create(struct file_queue **out, struct loop *loop,
		      const struct file_queue_ops *ops, void *owner,
		      void *state, struct error *err);
/* Has the rest written, as file_thread_destroy() does, unless it waits for
 * file_queue_retry(); done does not run any more.  Returns NULL. */
struct file_queue *file_queue_destroy(struct file_queue *queue);

/* Bytes of a head and of a body, written by the same call; -ENOMEM, and none of
 * them is. */
int file_queue_put(struct file_queue *queue, const void *head, size_t n_head,
		   const void *body, size_t n_body);

/* Writes what a call has not written, and what is behind it.  -ENOMEM: it does
 * not, and may be called again. */
int file_queue_retry(struct file_queue *queue);

/* Bytes that are not written yet. */
size_t file_queue_size(const struct file_queue *queue);

#endif
