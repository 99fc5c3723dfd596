/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/ranks.h"

#include "base/cleanup.h"
#include "core/layout.h"
#include "executor/gate.h"
#include "executor/process.h"
#include "executor/tcp_nodelay.h"
#include "local/local.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define KILL_AFTER      SECONDS(3)  /* of SIGTERM */
#define LEFTOVERS_AFTER SECONDS(10) /* of the order to stop */
#define LOOK_AGAIN      MSEC(20)

enum { STARTS_KEPT = 16 };

DEFINE_CLEANUP(struct ranks, ranks_destroy)

static struct start *start_find(const struct ranks *ranks, unsigned epoch)
{
	list_for_each (at, &ranks->starts) {
		struct start *start = CONTAINER(at, struct start, link);

		if (start->epoch == epoch)
			return start;
	}
	return NULL;
}

static void start_destroy(struct start *start)
{
	list_for_each (at, &start->members)
		rank_destroy(CONTAINER(at, struct rank, link));
	loop_timer_clear(&start->look);
	loop_timer_clear(&start->term);
	loop_timer_clear(&start->kill);
	loop_timer_clear(&start->call_again);
	list_remove(&start->link);
	free(start);
}

static bool is_up(const struct start *start)
{
	return start->state == START_RUNNING || start->state == START_LEFT;
}

static bool is_gone(const struct start *start)
{
	return start->state == START_LEFT || start->state == START_GONE;
}

/* Keeps the last few that are gone, so that a repeated order finds them. */
static void forget_old(struct ranks *ranks)
{
	size_t n = 0;

	list_for_each (at, &ranks->starts)
		n++;
	list_for_each (old, &ranks->starts) {
		struct start *start = CONTAINER(old, struct start, link);

		if (n > STARTS_KEPT && is_gone(start)) {
			start_destroy(start);
			n--;
		}
	}
}

struct start *start_get(struct ranks *ranks, unsigned epoch)
{
	struct start *start = start_find(ranks, epoch);

	if (start)
		return start;
	forget_old(ranks);
	start = calloc(1, sizeof(*start));
	if (!start)
		return NULL;
	start->ranks = ranks;
	start->epoch = epoch;
	list_init(&start->members);
	list_append(&ranks->starts, &start->link);
	return start;
}

static void tell_up(struct start *start)
{
	struct ranks *ranks = start->ranks;
	unsigned running[MEMBERS_MAX];
	size_t n = 0;

	list_for_each (at, &start->members) {
		struct rank *rank = CONTAINER(at, struct rank, link);

		if (rank->state == RANK_RUNS && n < MEMBERS_MAX)
			running[n++] = rank->rank;
	}
	ranks->events->up(ranks->user, start->epoch, running, n,
			  start->failure[0] ? start->failure : NULL,
			  start->exit_code);
}

void start_opened_one(struct start *start)
{
	if (--start->n_opened > 0)
		return;
	if (start_step(&start->state, START_EV_UP))
		tell_up(start);
	start_look(start);
}

/* ---- orders ---- */

void ranks_open(struct ranks *ranks, unsigned epoch,
		const struct ranks_command *command)
{
	struct start *start = start_get(ranks, epoch);
	struct error err;
	unsigned n = 0;

	if (!start)
		return;
	if (!start_step(&start->state, START_EV_OPEN)) {
		if (is_up(start))
			tell_up(start);
		return;
	}
	start->n_opened = 1; /* until all were told */

	list_for_each (at, &start->members) {
		struct rank *rank = CONTAINER(at, struct rank, link);

		n++;
		if (gate_open(rank, command, &err) < 0) {
			snprintf(start->failure, sizeof(start->failure),
				 "rank %u: %.200s", rank->rank, err.text);
			continue;
		}
		rank->state = RANK_OPENED;
		start->n_opened++;
	}
	if (n != command->ranks)
		snprintf(start->failure, sizeof(start->failure),
			 "%u ranks came here instead of %u", n, command->ranks);
	start_opened_one(start);
}

void rank_signal(struct rank *rank, int signo)
{
	syscall(SYS_pidfd_send_signal, rank->pidfd, signo, NULL, 0);
}

void ranks_signal(struct ranks *ranks, unsigned epoch, int signo)
{
	struct start *start = start_find(ranks, epoch);

	if (!start)
		return;
	list_for_each (at, &start->members) {
		struct rank *rank = CONTAINER(at, struct rank, link);

		if (rank->state == RANK_RUNS)
			rank_signal(rank, signo);
	}
}

void ranks_call(struct ranks *ranks, unsigned epoch,
		const struct ranks_call *call)
{
	struct start *start = start_find(ranks, epoch);

	if (start)
		start_call(start, call);
}

void ranks_set_nodelay(struct ranks *ranks, unsigned epoch)
{
	struct start *start = start_find(ranks, epoch);

	if (!start)
		return;
	list_for_each (at, &start->members) {
		struct rank *rank = CONTAINER(at, struct rank, link);

		if (rank->state == RANK_RUNS)
			tcp_nodelay_set(rank->pid, rank->pidfd);
	}
}

static void on_term(void *user)
{
	struct start *start = user;

	process_signal(start->epoch, true, SIGTERM);
}

static void on_kill(void *user)
{
	struct start *start = user;

	process_signal(start->epoch, false, SIGKILL);
	loop_timer_set(start->ranks->loop, &start->kill, LOOK_AGAIN, on_kill,
		       start);
}

static void end_leftovers(void *user)
{
	struct start *start = user;

	process_signal(start->epoch, false, SIGKILL);
}

/* Waits for what ranks have left, to kill it.  Called only after the order to
 * stop: ranks of other hosts may still save, and Open MPI ends all of them when
 * one of its daemons ends. */
static void await_leftovers(struct start *start)
{
	loop_timer_set(start->ranks->loop, &start->kill, LEFTOVERS_AFTER,
		       end_leftovers, start);
}

/* Is anything left?  Only when the ranks we know are gone are others sought. */
void start_look(void *user)
{
	struct start *start = user;
	struct ranks *ranks = start->ranks;

	if (start->state != START_RUNNING && start->state != START_STOPPING)
		return;
	if (!list_is_empty(&start->members))
		return;
	if (process_is_left(start->epoch, true)) {
		loop_timer_set(ranks->loop, &start->look, LOOK_AGAIN,
			       start_look, start);
		return;
	}
	start_step(&start->state, START_EV_EMPTY);
	loop_timer_clear(&start->term);
	if (start->state == START_GONE)
		await_leftovers(start);
	ranks->events->gone(ranks->user, start->epoch);
}

void ranks_stop(struct ranks *ranks, unsigned epoch, msec_t patience)
{
	struct start *start = start_get(ranks, epoch);

	if (!start)
		return;
	if (start_step(&start->state, START_EV_STOP) &&
	    start->state == START_GONE)
		await_leftovers(start);
	if (start->state == START_GONE) {
		ranks->events->gone(ranks->user, epoch);
		return;
	}
	loop_timer_clear(&start->call_again);
	list_for_each (at, &start->members) {
		struct rank *rank = CONTAINER(at, struct rank, link);

		if (rank->state == RANK_AT_GATE)
			gate_close(rank); /* which ends it */
	}
	loop_timer_set(ranks->loop, &start->term, patience, on_term, start);
	loop_timer_set(ranks->loop, &start->kill, patience + KILL_AFTER,
		       on_kill, start);
	start_look(start);
}

void ranks_kill(struct ranks *ranks, unsigned epoch)
{
	process_signal(epoch, true, SIGKILL);
}

static const struct rank *rank_find(const struct ranks *ranks, unsigned epoch,
				    unsigned number)
{
	struct start *start = start_find(ranks, epoch);

	if (!start)
		return NULL;
	list_for_each (at, &start->members) {
		struct rank *rank = CONTAINER(at, struct rank, link);

		if (rank->rank == number)
			return rank;
	}
	return NULL;
}

bool ranks_has(const struct ranks *ranks, unsigned epoch, unsigned number)
{
	const struct rank *rank = rank_find(ranks, epoch, number);

	return rank && rank->state == RANK_RUNS;
}

bool ranks_holds(const struct ranks *ranks, unsigned epoch, unsigned number)
{
	return rank_find(ranks, epoch, number) != NULL;
}

unsigned ranks_count(const struct ranks *ranks)
{
	unsigned n = 0;

	list_for_each (at, &ranks->starts) {
		struct start *start = CONTAINER(at, struct start, link);

		list_for_each (of, &start->members)
			n += CONTAINER(of, struct rank, link)->state ==
			     RANK_RUNS;
	}
	return n;
}

void ranks_forget(struct ranks *ranks)
{
	list_for_each (at, &ranks->starts)
		start_destroy(CONTAINER(at, struct start, link));
	list_for_each (at, &ranks->strangers)
		rank_destroy(CONTAINER(at, struct rank, link));
}

static void on_connect(void *user, uint32_t events)
{
	gate_accept(user);
}

static void stop_listening(struct ranks *ranks)
{
	ranks->watch = loop_fd_remove(ranks->watch);
	if (ranks->listener >= 0)
		close(ranks->listener);
	ranks->listener = -1;
}

int ranks_listen(struct ranks *ranks, struct error *err)
{
	struct stat st;

	if (ranks->watch && lstat(ranks->path, &st) == 0)
		return 0;
	stop_listening(ranks);
	ranks->listener = local_listen(ranks->path, err);
	if (ranks->listener < 0)
		return ranks->listener;
	return loop_fd_add(&ranks->watch, ranks->loop, ranks->listener, EPOLLIN,
			   on_connect, ranks, err);
}

int ranks_create(struct ranks **out, struct loop *loop, struct output *output,
		 const char *path, const struct ranks_events *events,
		 void *user, struct error *err)
{
	CLEANUP(ranks_destroy) struct ranks *ranks = calloc(1, sizeof(*ranks));
	int r;

	if (!ranks)
		return error_set(err, -ENOMEM, "out of memory");
	ranks->loop = loop;
	ranks->output = output;
	ranks->events = events;
	ranks->user = user;
	list_init(&ranks->strangers);
	list_init(&ranks->starts);
	ranks->listener = -1;
	ranks->path = strdup(path);
	if (!ranks->path)
		return error_set(err, -ENOMEM, "out of memory");
	r = ranks_listen(ranks, err);
	if (r < 0)
		return r;
	*out = STEAL(ranks);
	return 0;
}

struct ranks *ranks_destroy(struct ranks *ranks)
{
	if (!ranks)
		return NULL;
	ranks_forget(ranks);
	stop_listening(ranks);
	free(ranks->path);
	free(ranks);
	return NULL;
}
