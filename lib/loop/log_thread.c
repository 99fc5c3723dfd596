/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/log_thread.h"

#include "base/log.h"
#include "loop/file_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { QUEUE_MAX = 1 << 20 };

struct log_thread {
	struct file_queue *queue;
	size_t missing; /* bytes */
};

static struct log_thread *current; /* of the program */

/* ---- on the thread ---- */

static bool write_lines(void *state, const char *bytes, size_t n)
{
	int fd = *(const int *)state;

	while (n > 0) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0 && fd == STDERR_FILENO)
			break;
		if (done <= 0) {
			fd = STDERR_FILENO;
			continue;
		}
		bytes += done;
		n -= (size_t)done;
	}
	return true; /* nor is a log tried again */
}

/* ---- on the loop ---- */

static void on_written(void *owner, void *state, size_t n)
{
	struct log_thread *thread = owner;
	size_t missing = thread->missing;

	thread->missing = 0;
	if (missing > 0)
		log_warn("%zu bytes of the log are missing here: its disk did "
			 "not take them in time",
			 missing);
}

static const struct file_queue_ops ops = {write_lines, on_written, free};

static void put(const char *line, size_t n)
{
	if (file_queue_size(current->queue) + n > QUEUE_MAX ||
	    file_queue_put(current->queue, line, n, NULL, 0) < 0)
		current->missing += n;
}

int log_thread_begin(struct log_thread **out, struct loop *loop, int fd,
		     struct error *err)
{
	struct log_thread *thread = calloc(1, sizeof(*thread));
	int *state = malloc(sizeof(*state)), r;

	if (!thread || !state) {
		free(state);
		free(thread);
		return error_set(err, -ENOMEM, "out of memory");
	}
	*state = fd;
	r = file_queue_create(&thread->queue, loop, &ops, thread, state, err);
	if (r < 0) {
		free(thread);
		return r;
	}
	current = thread;
	log_through(put);
	*out = thread;
	return 0;
}

struct log_thread *log_thread_end(struct log_thread *thread)
{
	if (!thread)
		return NULL;
	log_through(NULL);
	current = NULL;
	file_queue_destroy(thread->queue);
	free(thread);
	return NULL;
}
