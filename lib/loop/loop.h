/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOOP_LOOP_H
#define LOOP_LOOP_H

/*
 * The event loop: descriptors, timers, signals and children on one epoll
 *
 * A program has one loop and runs it on its main thread; callbacks run there,
 * one at a time, and never block.  Every source may be removed from any
 * callback, its own included: an event that was already fetched for it is then
 * dropped.
 *
 * Children have one reaper.  It is woken by SIGCHLD, waits for everything that
 * ended, and dispatches by pid; a pid without a handler (an orphan given to
 * PID 1 or to a subreaper) is reaped and forgotten.  Nothing else in the
 * program may call wait().
 *
 * Signals are blocked and read from a signalfd; children start with none
 * blocked (see spawn.h).  SIGPIPE and SIGXFSZ are ignored: a pipe without a
 * reader and a file that is too large are errors of write() like others.
 */

#include "base/error.h"
#include "base/list.h"
#include "base/time.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct loop;
struct loop_fd;

/* events: EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR. */
typedef void (*loop_fd_f)(void *user, uint32_t events);
typedef void (*loop_timer_f)(void *user);
typedef void (*loop_signal_f)(void *user, int signo, pid_t sender);
/* status: as of waitpid(). */
typedef void (*loop_child_f)(void *user, pid_t pid, int status);

/* Embedded in its owner; zero-initialised means not set. */
struct loop_timer {
	struct list link;
	msec_t at;
	loop_timer_f fn;
	void *user;
};

int loop_create(struct loop **out, struct error *err);
struct loop *loop_destroy(struct loop *loop); /* returns NULL */

/* Runs until loop_stop(); returns its code, or -errno if the loop broke. */
int loop_run(struct loop *loop);
void loop_stop(struct loop *loop, int code);

/* fn runs after each callback of a descriptor or a timer, before the next one:
 * what callbacks have put off is done there. */
void loop_after_each(struct loop *loop, void (*fn)(void *user), void *user);

/* CLOCK_MONOTONIC. */
msec_t loop_now(void);

/* The descriptor stays the caller's: it removes the source before it closes the
 * descriptor. */
int loop_fd_add(struct loop_fd **out, struct loop *loop, int fd,
		uint32_t events, loop_fd_f fn, void *user, struct error *err);
void loop_fd_set(struct loop_fd *source, uint32_t events);
struct loop_fd *loop_fd_remove(struct loop_fd *source); /* returns NULL */

/* Fires once, `in` milliseconds from now; setting it again moves it. */
void loop_timer_set(struct loop *loop, struct loop_timer *timer, msec_t in,
		    loop_timer_f fn, void *user);
void loop_timer_clear(struct loop_timer *timer);
/* It fires so much later, if it is set. */
void loop_timer_put_off(struct loop *loop, struct loop_timer *timer, msec_t by);
bool loop_timer_is_set(const struct loop_timer *timer);

/* One handler a signal; SIGCHLD is the loop's own. */
int loop_signal_add(struct loop *loop, int signo, loop_signal_f fn, void *user,
		    struct error *err);

/* The parent of this program has the signal ignored, as nohup(1) does. */
bool loop_signal_is_ignored(int signo);

/* The handler is called once, when pid has ended and was reaped. */
int loop_child_add(struct loop *loop, pid_t pid, loop_child_f fn, void *user,
		   struct error *err);
void loop_child_remove(struct loop *loop, pid_t pid);

#endif
