/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/file_thread.h"

#include "base/cleanup.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

struct file_call {
	struct list link;
	struct file_thread *thread;
	void (*work)(void *data);
	void (*done)(void *owner, void *data); /* NULL: abandoned */
	void (*release)(void *data);
	void *owner, *data;
};

struct file_thread {
	struct loop *loop;
	struct loop_fd *source;
	int wake; /* the loop, when calls are over */
	pthread_t id;

	pthread_mutex_t lock; /* of all below, and of each call's done */
	pthread_cond_t more;
	struct list waiting, over; /* of calls */
	struct file_call *now;     /* under way */
	bool ends;                 /* once nothing is waiting */
	bool has_ended;
	bool left; /* by its owner: the thread frees it */
};

static void free_call(struct file_call *call)
{
	call->release(call->data);
	free(call);
}

static void free_all(struct list *calls)
{
	list_for_each (at, calls) {
		list_remove(at);
		free_call(CONTAINER(at, struct file_call, link));
	}
}

static void free_thread(struct file_thread *thread)
{
	free_all(&thread->waiting);
	free_all(&thread->over);
	pthread_cond_destroy(&thread->more);
	pthread_mutex_destroy(&thread->lock);
	close(thread->wake);
	free(thread);
}

/* ---- on the thread ---- */

static struct file_call *take(struct file_thread *thread)
{
	struct list *first;

	while (!thread->ends && list_is_empty(&thread->waiting))
		pthread_cond_wait(&thread->more, &thread->lock);
	if (thread->left || list_is_empty(&thread->waiting))
		return NULL;
	first = thread->waiting.next;
	list_remove(first);
	return CONTAINER(first, struct file_call, link);
}

static void *run(void *user)
{
	struct file_thread *thread = user;
	bool left;

	pthread_mutex_lock(&thread->lock);
	while ((thread->now = take(thread))) {
		pthread_mutex_unlock(&thread->lock);
		thread->now->work(thread->now->data);
		pthread_mutex_lock(&thread->lock);
		list_append(&thread->over, &thread->now->link);
		eventfd_write(thread->wake, 1);
	}
	thread->has_ended = true;
	left = thread->left;
	pthread_mutex_unlock(&thread->lock);
	if (left)
		free_thread(thread);
	return NULL;
}

/* ---- on the loop ---- */

static struct file_call *next_over(struct file_thread *thread)
{
	struct file_call *call = NULL;
	struct list *first;

	pthread_mutex_lock(&thread->lock);
	first = thread->over.next;
	if (first != &thread->over) {
		list_remove(first);
		call = CONTAINER(first, struct file_call, link);
	}
	pthread_mutex_unlock(&thread->lock);
	return call;
}

/* One a round: done may destroy the thread. */
static void on_over(void *user, uint32_t events)
{
	struct file_thread *thread = user;
	struct file_call *call;
	eventfd_t n;

	eventfd_read(thread->wake, &n); /* first, or news would be lost */
	call = next_over(thread);
	if (!call)
		return;
	eventfd_write(thread->wake, 1);
	if (call->done)
		call->done(call->owner, call->data);
	free_call(call);
}

struct file_call *file_thread_do(struct file_thread *thread,
				 void (*work)(void *data),
				 void (*done)(void *owner, void *data),
				 void (*release)(void *data), void *owner,
				 void *data)
{
	struct file_call *call = calloc(1, sizeof(*call));

	if (!call) {
		release(data);
		return NULL;
	}
	*call = (struct file_call){
		.thread = thread,
		.work = work,
		.done = done,
		.release = release,
		.owner = owner,
		.data = data,
	};
	list_init(&call->link);
	pthread_mutex_lock(&thread->lock);
	list_append(&thread->waiting, &call->link);
	pthread_cond_signal(&thread->more);
	pthread_mutex_unlock(&thread->lock);
	return call;
}

struct file_call *file_call_abandon(struct file_call *call)
{
	if (!call)
		return NULL;
	call->done = NULL; /* which the loop alone looks at */
	return NULL;
}

static int begin(struct file_thread *thread, struct error *err)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = pthread_create(&thread->id, NULL, run, thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r != 0 ? error_set(err, -r, "cannot make a thread") : 0;
}

int file_thread_create(struct file_thread **out, struct loop *loop,
		       struct error *err)
{
	struct file_thread *thread = calloc(1, sizeof(*thread));
	int r;

	if (!thread)
		return error_set(err, -ENOMEM, "out of memory");
	thread->loop = loop;
	list_init(&thread->waiting);
	list_init(&thread->over);
	pthread_mutex_init(&thread->lock, NULL);
	pthread_cond_init(&thread->more, NULL);
	thread->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = thread->wake < 0 ? error_errno(err, "cannot make an event") : 0;
	if (r == 0)
		r = loop_fd_add(&thread->source, loop, thread->wake, EPOLLIN,
				on_over, thread, err);
	if (r == 0)
		r = begin(thread, err);
	if (r < 0) {
		loop_fd_remove(thread->source);
		free_thread(thread);
		return r;
	}
	*out = thread;
	return 0;
}

/* The thread frees itself once its call returns. */
static bool leave_behind(struct file_thread *thread)
{
	pthread_t id = thread->id;
	bool left;

	pthread_mutex_lock(&thread->lock);
	left = thread->left = !thread->has_ended;
	pthread_mutex_unlock(&thread->lock);
	if (left)
		pthread_detach(id);
	return left;
}

struct file_thread *file_thread_destroy(struct file_thread *thread)
{
	struct timespec until;

	if (!thread)
		return NULL;
	loop_fd_remove(thread->source);
	pthread_mutex_lock(&thread->lock);
	thread->ends = true;
	pthread_cond_signal(&thread->more);
	pthread_mutex_unlock(&thread->lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	if (pthread_timedjoin_np(thread->id, NULL, &until) != 0) {
		if (leave_behind(thread))
			return NULL;
		pthread_join(thread->id, NULL);
	}
	free_thread(thread);
	return NULL;
}
