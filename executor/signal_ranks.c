/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "executor/gate.h"
#include "executor/process.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

/*
 * Calls: a signal that ranks are to act on, and not to end by
 *
 * A rank that was only just started has no handler yet, and most signals would
 * end it.  So it is looked at first, and again a little later until it has one.
 * A signal that it only blocks must be seen blocked twice: the C library blocks
 * all of them for a moment when it makes a thread or a process.
 */

#define LOOK_AGAIN MSEC(20)

static bool is_of(const struct rank *rank, const struct ranks_call *call)
{
	return rank->state == RANK_RUNS &&
	       (!call->first_only || rank->rank == 0) &&
	       !(call->once && rank->was_called);
}

/* Returns false if it is to be looked at again. */
static bool try(struct rank *rank, int signo)
{
	enum process_answer answer = process_answer(rank->pid, signo);
	bool blocked = rank->blocked;

	rank->blocked = answer == PROCESS_BLOCKS;
	if (answer == PROCESS_ENDS || (rank->blocked && !blocked))
		return false;
	rank_signal(rank, signo);
	rank->called = rank->blocked = false;
	rank->was_called = true;
	return true;
}

static void give_up(struct start *start)
{
	list_for_each (at, &start->members) {
		struct rank *rank = CONTAINER(at, struct rank, link);

		if (rank->called)
			log_warn("epoch=%u rank %u was not told to save: it "
				 "has no handler for signal %d (%s)",
				 start->epoch, rank->rank, start->call.signo,
				 strsignal(start->call.signo));
		rank->called = false;
	}
}

static void look(void *user)
{
	struct start *start = user;
	bool again = false;

	list_for_each (at, &start->members) {
		struct rank *rank = CONTAINER(at, struct rank, link);

		if (rank->called)
			again |= !try(rank, start->call.signo);
	}
	if (again && loop_now() < start->call_until)
		loop_timer_set(start->ranks->loop, &start->call_again,
			       LOOK_AGAIN, look, start);
	else if (again)
		give_up(start);
}

void start_call(struct start *start, const struct ranks_call *call)
{
	list_for_each (at, &start->members) {
		struct rank *rank = CONTAINER(at, struct rank, link);

		rank->called = is_of(rank, call);
		rank->blocked = false;
	}
	start->call = *call;
	start->call_until = loop_now() + call->patience;
	loop_timer_clear(&start->call_again);
	look(start);
}
