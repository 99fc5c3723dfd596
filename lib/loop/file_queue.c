/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/file_queue.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A call that hangs has the state for longer than the queue is there. */
struct holder {
	atomic_uint users;
	void (*release)(void *state);
	void *state;
	bool failed; /* the last call; until file_queue_retry() */
};

struct bytes {
	char *at;
	size_t n, room;
};

/* Of one call. */
struct batch {
	struct holder *holder;
	bool (*write)(void *state, const char *bytes, size_t n);
	struct bytes bytes;
	bool written;
};

struct file_queue {
	struct file_thread *thread;
	struct file_queue_ops ops;
	void *owner;
	struct holder *holder;
	size_t under_way;    /* bytes of the call; 0: there is none */
	struct bytes behind; /* it */
	struct bytes back;   /* from a call that has not written them */
};

static struct holder *leave(struct holder *holder)
{
	if (atomic_fetch_sub(&holder->users, 1) > 1)
		return NULL;
	holder->release(holder->state);
	free(holder);
	return NULL;
}

/* ---- on the thread ---- */

static void work(void *data)
{
	struct batch *batch = data;
	struct holder *holder = batch->holder;

	batch->written =
		!holder->failed &&
		batch->write(holder->state, batch->bytes.at, batch->bytes.n);
	holder->failed = !batch->written;
}

/* ---- on the loop ---- */

static void release(void *data)
{
	struct batch *batch = data;

	leave(batch->holder);
	free(batch->bytes.at);
	free(batch);
}

static void done(void *owner, void *data);

static void begin(struct file_queue *queue, struct batch *batch)
{
	*batch = (struct batch){.holder = queue->holder,
				.write = queue->ops.write,
				.bytes = queue->behind};
	queue->behind = (struct bytes){0};
	queue->under_way = batch->bytes.n;
	atomic_fetch_add(&queue->holder->users, 1);
	if (!file_thread_do(queue->thread, work, done, release, queue, batch))
		abort(); /* what was put would be lost, and nobody told */
}

/* What is left is tried again when more is put. */
static int begin_next(struct file_queue *queue)
{
	struct batch *batch;

	if (queue->back.n > 0 || queue->under_way > 0 || queue->behind.n == 0)
		return 0;
	batch = malloc(sizeof(*batch));
	if (!batch)
		return -ENOMEM;
	begin(queue, batch);
	return 0;
}

static void done(void *owner, void *data)
{
	struct file_queue *queue = owner;
	struct batch *batch = data;
	size_t n = batch->written ? batch->bytes.n : 0;

	queue->under_way = 0;
	if (!batch->written) {
		queue->back = batch->bytes;
		batch->bytes = (struct bytes){0};
	}
	queue->ops.done(queue->owner, queue->holder->state, n);
	begin_next(queue);
}

static int make_room(struct bytes *bytes, size_t more)
{
	size_t room = 2 * (bytes->n + more);
	char *at;

	if (bytes->n + more <= bytes->room)
		return 0;
	at = realloc(bytes->at, room);
	if (!at)
		return -ENOMEM;
	bytes->at = at;
	bytes->room = room;
	return 0;
}

static void add(struct bytes *bytes, const void *from, size_t n)
{
	if (n > 0)
		memcpy(bytes->at + bytes->n, from, n);
	bytes->n += n;
}

int file_queue_put(struct file_queue *queue, const void *head, size_t n_head,
		   const void *body, size_t n_body)
{
	int r = make_room(&queue->behind, n_head + n_body);

	if (r < 0)
		return r;
	add(&queue->behind, head, n_head);
	add(&queue->behind, body, n_body);
	r = begin_next(queue);
	if (r < 0)
		queue->behind.n -= n_head + n_body;
	return r;
}

int file_queue_retry(struct file_queue *queue)
{
	struct bytes *behind = &queue->behind, *back = &queue->back;
	int r;

	if (back->n == 0)
		return begin_next(queue);
	r = make_room(back, behind->n);
	if (r < 0)
		return r;
	add(back, behind->at, behind->n);
	free(behind->at);
	*behind = *back;
	*back = (struct bytes){0};
	queue->holder->failed = false;
	return begin_next(queue);
}

size_t file_queue_size(const struct file_queue *queue)
{
	return queue->under_way + queue->back.n + queue->behind.n;
}

/* ---- life ---- */

int file_queue_create(struct file_queue **out, struct loop *loop,
		      const struct file_queue_ops *ops, void *owner,
		      void *state, struct error *err)
{
	struct file_queue *queue = calloc(1, sizeof(*queue));
	struct holder *holder = calloc(1, sizeof(*holder));
	int r = queue && holder ? 0 : error_set(err, -ENOMEM, "out of memory");

	if (r == 0)
		r = file_thread_create(&queue->thread, loop, err);
	if (r < 0) {
		ops->release(state);
		free(holder);
		free(queue);
		return r;
	}
	atomic_init(&holder->users, 1);
	holder->release = ops->release;
	holder->state = state;
	queue->ops = *ops;
	queue->owner = owner;
	queue->holder = holder;
	*out = queue;
	return 0;
}

struct file_queue *file_queue_destroy(struct file_queue *queue)
{
	if (!queue)
		return NULL;
	queue->under_way = 0; /* the rest comes behind it */
	begin_next(queue);
	file_thread_destroy(queue->thread);
	leave(queue->holder);
	free(queue->back.at);
	free(queue->behind.at);
	free(queue);
	return NULL;
}
