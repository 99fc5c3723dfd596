/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOOP_FILE_THREAD_H
#define LOOP_FILE_THREAD_H

/*
 * A thread for file calls, which may never return: a network file system that
 * does not answer, a disk that is frozen
 *
 * Calls are made one after the other.  What a call works on belongs to it, and
 * nothing else touches it until the call is over; so the owner may go away
 * while a call hangs.  A thread stands still with its file system: what is on
 * different ones takes threads of its own.
 */

#include "base/error.h"
#include "loop/loop.h"

struct file_thread;
struct file_call;

int file_thread_create(struct file_thread **out, struct loop *loop,
		       struct error *err);
/* Waits up to a second for all calls, whose data is then released; a thread
 * that hangs is left behind.  Returns NULL. */
struct file_thread *file_thread_destroy(struct file_thread *thread);

/*
 * work runs on the thread and sees data alone.  Then done, with the owner, runs
 * on the loop, and data and the call are the owner's no more: release has it
 * after done, or instead of done if the call was abandoned.  Returns NULL, with
 * data released, if there is no memory.
 */
struct file_call *file_thread_do(struct file_thread *thread,
				 void (*work)(void *data),
				 void (*done)(void *owner, void *data),
				 void (*release)(void *data), void *owner,
				 void *data);
/* done will not run.  NULL is no call.  Returns NULL. */
struct file_call *file_call_abandon(struct file_call *call);

#endif
