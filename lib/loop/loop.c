/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/loop.h"

#include "base/cleanup.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

enum { EVENTS_AT_ONCE = 64 };

struct loop_fd {
	struct loop *loop;
	int fd;
	loop_fd_f fn; /* NULL: removed, freed at the end of the round */
	void *user;
	struct list link; /* of loop->removed */
};

struct child {
	struct list link;
	pid_t pid;
	loop_child_f fn;
	void *user;
};

struct loop {
	int epoll;
	int signals;
	sigset_t mask, mask_before;
	struct loop_fd *signal_source;
	struct {
		loop_signal_f fn;
		void *user;
	} handlers[NSIG];
	struct list timers; /* by time */
	struct list children;
	struct list removed;
	void (*after)(void *user); /* NULL: nothing is to be done */
	void *after_user;
	bool stopped;
	int code;
};

DEFINE_CLEANUP(struct loop, loop_destroy)

msec_t loop_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return SECONDS(ts.tv_sec) + ts.tv_nsec / 1000000;
}

static void run_after(struct loop *loop)
{
	if (loop->after && !loop->stopped)
		loop->after(loop->after_user);
}

void loop_after_each(struct loop *loop, void (*fn)(void *user), void *user)
{
	loop->after = fn;
	loop->after_user = user;
}

/* ---- descriptors ---- */

int loop_fd_add(struct loop_fd **out, struct loop *loop, int fd,
		uint32_t events, loop_fd_f fn, void *user, struct error *err)
{
	struct loop_fd *source = calloc(1, sizeof(*source));
	struct epoll_event event = {.events = events, .data.ptr = source};

	if (!source)
		return error_set(err, -ENOMEM, "out of memory");

	*source = (struct loop_fd){
		.loop = loop, .fd = fd, .fn = fn, .user = user};
	if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) < 0) {
		int r = error_errno(err, "cannot watch descriptor %d", fd);

		free(source);
		return r;
	}
	list_init(&source->link);
	*out = source;
	return 0;
}

void loop_fd_set(struct loop_fd *source, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = source};
	int r = epoll_ctl(source->loop->epoll, EPOLL_CTL_MOD, source->fd,
			  &event);

	assert(r == 0);
	(void)r;
}

struct loop_fd *loop_fd_remove(struct loop_fd *source)
{
	if (!source || !source->fn)
		return NULL;

	epoll_ctl(source->loop->epoll, EPOLL_CTL_DEL, source->fd, NULL);
	source->fn = NULL;
	list_append(&source->loop->removed, &source->link);
	return NULL;
}

static void free_removed(struct loop *loop)
{
	list_for_each (at, &loop->removed)
		free(CONTAINER(at, struct loop_fd, link));
	list_init(&loop->removed);
}

/* ---- timers ---- */

void loop_timer_set(struct loop *loop, struct loop_timer *timer, msec_t in,
		    loop_timer_f fn, void *user)
{
	struct list *at = &loop->timers;

	loop_timer_clear(timer);
	timer->at = loop_now() + in;
	timer->fn = fn;
	timer->user = user;

	list_for_each (later, &loop->timers)
		if (CONTAINER(later, struct loop_timer, link)->at > timer->at) {
			at = later;
			break;
		}
	list_append(at, &timer->link);
}

bool loop_timer_is_set(const struct loop_timer *timer)
{
	return timer->link.next && timer->link.next != &timer->link;
}

void loop_timer_clear(struct loop_timer *timer)
{
	if (loop_timer_is_set(timer))
		list_remove(&timer->link);
}

void loop_timer_put_off(struct loop *loop, struct loop_timer *timer, msec_t by)
{
	if (loop_timer_is_set(timer))
		loop_timer_set(loop, timer, timer->at + by - loop_now(),
			       timer->fn, timer->user);
}

static void fire_timers(struct loop *loop)
{
	msec_t now = loop_now();

	while (!list_is_empty(&loop->timers) && !loop->stopped) {
		struct loop_timer *timer =
			CONTAINER(loop->timers.next, struct loop_timer, link);

		if (timer->at > now)
			return;
		list_remove(&timer->link);
		timer->fn(timer->user);
		run_after(loop);
	}
}

static int until_next_timer(const struct loop *loop)
{
	msec_t left;

	if (list_is_empty(&loop->timers))
		return -1;
	left = CONTAINER(loop->timers.next, struct loop_timer, link)->at -
	       loop_now();
	return left < 0 ? 0 : left > 1000000 ? 1000000 : (int)left;
}

/* ---- children ---- */

int loop_child_add(struct loop *loop, pid_t pid, loop_child_f fn, void *user,
		   struct error *err)
{
	struct child *child = calloc(1, sizeof(*child));

	if (!child)
		return error_set(err, -ENOMEM, "out of memory");

	child->pid = pid;
	child->fn = fn;
	child->user = user;
	list_append(&loop->children, &child->link);
	return 0;
}

static struct child *child_find(struct loop *loop, pid_t pid)
{
	list_for_each (at, &loop->children)
		if (CONTAINER(at, struct child, link)->pid == pid)
			return CONTAINER(at, struct child, link);
	return NULL;
}

void loop_child_remove(struct loop *loop, pid_t pid)
{
	struct child *child = child_find(loop, pid);

	if (!child)
		return;
	list_remove(&child->link);
	free(child);
}

static void reap(struct loop *loop)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		struct child *child = child_find(loop, pid);
		struct child ended;

		if (!child)
			continue;
		ended = *child;
		list_remove(&child->link);
		free(child);
		ended.fn(ended.user, pid, status);
	}
}

/* ---- signals ---- */

static void on_signals(void *user, uint32_t events)
{
	struct loop *loop = user;
	struct signalfd_siginfo info;

	while (read(loop->signals, &info, sizeof(info)) == sizeof(info)) {
		int signo = (int)info.ssi_signo;

		if (signo == SIGCHLD)
			reap(loop);
		else if (loop->handlers[signo].fn)
			loop->handlers[signo].fn(loop->handlers[signo].user,
						 signo, (pid_t)info.ssi_pid);
		if (loop->stopped)
			return;
	}
}

static int watch_signals(struct loop *loop, struct error *err)
{
	int fd;

	if (sigprocmask(SIG_BLOCK, &loop->mask, NULL) < 0)
		return error_errno(err, "cannot block signals");
	fd = signalfd(loop->signals, &loop->mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return error_errno(err, "cannot read signals");
	loop->signals = fd;
	return 0;
}

int loop_signal_add(struct loop *loop, int signo, loop_signal_f fn, void *user,
		    struct error *err)
{
	assert(signo != SIGCHLD);
	loop->handlers[signo].fn = fn;
	loop->handlers[signo].user = user;
	sigaddset(&loop->mask, signo);
	return watch_signals(loop, err);
}

bool loop_signal_is_ignored(int signo)
{
	struct sigaction before;

	return sigaction(signo, NULL, &before) == 0 &&
	       before.sa_handler == SIG_IGN;
}

/* ---- the loop ---- */

int loop_create(struct loop **out, struct error *err)
{
	CLEANUP(loop_destroy) struct loop *loop = calloc(1, sizeof(*loop));
	int r;

	if (!loop)
		return error_set(err, -ENOMEM, "out of memory");

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	loop->signals = -1;
	list_init(&loop->timers);
	list_init(&loop->children);
	list_init(&loop->removed);
	sigprocmask(SIG_SETMASK, NULL, &loop->mask_before);

	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll < 0)
		return error_errno(err, "cannot make an epoll");

	sigemptyset(&loop->mask);
	sigaddset(&loop->mask, SIGCHLD);
	r = watch_signals(loop, err);
	if (r < 0)
		return r;
	r = loop_fd_add(&loop->signal_source, loop, loop->signals, EPOLLIN,
			on_signals, loop, err);
	if (r < 0)
		return r;

	*out = STEAL(loop);
	return 0;
}

struct loop *loop_destroy(struct loop *loop)
{
	if (!loop)
		return NULL;

	loop_fd_remove(loop->signal_source);
	free_removed(loop);
	list_for_each (at, &loop->children)
		free(CONTAINER(at, struct child, link));
	if (loop->signals >= 0)
		close(loop->signals);
	if (loop->epoll >= 0)
		close(loop->epoll);
	sigprocmask(SIG_SETMASK, &loop->mask_before, NULL);
	free(loop);
	return NULL;
}

int loop_run(struct loop *loop)
{
	struct epoll_event events[EVENTS_AT_ONCE];

	loop->stopped = false;
	while (!loop->stopped) {
		int n = epoll_wait(loop->epoll, events, EVENTS_AT_ONCE,
				   until_next_timer(loop));

		if (n < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < n && !loop->stopped; i++) {
			struct loop_fd *source = events[i].data.ptr;

			if (!source->fn)
				continue;
			source->fn(source->user, events[i].events);
			run_after(loop);
		}
		free_removed(loop);
		fire_timers(loop);
	}
	return loop->code;
}

void loop_stop(struct loop *loop, int code)
{
	loop->stopped = true;
	loop->code = code;
}
