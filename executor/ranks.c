/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/ranks.h"

#include "base/cleanup.h"
#include "core/layout.h"
#include "executor/process.h"
#include "local/local.h"
#include "proto/local.pb-c.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

enum {
	KILL_AFTER = 3000,	 /* of SIGTERM */
	LEFTOVERS_AFTER = 10000, /* of the last rank: its daemon, say */
	LOOK_AGAIN = 20,
	STARTS_KEPT = 16,
};

enum rank_state {
	RANK_NEW,     /* connected, said nothing */
	RANK_AT_GATE, /* waits */
	RANK_OPENED,  /* told what to become */
	RANK_RUNS,
};

struct rank {
	struct list link;
	struct start *start; /* NULL while RANK_NEW */
	struct ranks *ranks;
	enum rank_state state;
	unsigned rank;
	pid_t pid;
	int pidfd, conn;
	struct loop_fd *pid_watch, *conn_watch;
};

struct start {
	struct list link;
	struct ranks *ranks;
	unsigned epoch;
	bool opened, up, stopping, gone;
	unsigned n_opened; /* told, and not yet running */
	char failure[256];
	struct list members;
	struct loop_timer look, term, kill;
};

struct ranks {
	struct loop *loop;
	struct output *output;
	int listener;
	struct loop_fd *watch;
	struct list strangers; /* ranks that said nothing yet */
	struct list starts;
	const struct ranks_events *events;
	void *user;
};

DEFINE_CLEANUP(struct ranks, ranks_destroy)

static void look(void *user);

/* ---- one rank ---- */

static void close_conn(struct rank *rank)
{
	rank->conn_watch = loop_fd_remove(rank->conn_watch);
	if (rank->conn >= 0)
		close(rank->conn);
	rank->conn = -1;
}

static void rank_destroy(struct rank *rank)
{
	list_remove(&rank->link);
	close_conn(rank);
	loop_fd_remove(rank->pid_watch);
	if (rank->pidfd >= 0)
		close(rank->pidfd);
	free(rank);
}

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
	list_remove(&start->link);
	free(start);
}

/* Keeps the last few that are gone, so that a repeated order finds them. */
static void forget_old(struct ranks *ranks)
{
	size_t n = 0;

	list_for_each (at, &ranks->starts)
		n++;
	list_for_each (old, &ranks->starts) {
		struct start *start = CONTAINER(old, struct start, link);

		if (n > STARTS_KEPT && start->gone) {
			start_destroy(start);
			n--;
		}
	}
}

static struct start *start_get(struct ranks *ranks, unsigned epoch)
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

/* ---- up ---- */

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
			  start->failure[0] ? start->failure : NULL);
}

static void opened_one(struct start *start)
{
	if (--start->n_opened > 0 || start->up)
		return;
	start->up = true;
	tell_up(start);
	look(start);
}

static void on_end(void *user, uint32_t events)
{
	struct rank *rank = user;
	struct start *start = rank->start;
	bool was_opened = rank->state == RANK_OPENED;

	if (was_opened && !start->failure[0])
		snprintf(start->failure, sizeof(start->failure),
			 "rank %u ended before it ran", rank->rank);
	rank_destroy(rank);
	if (!start)
		return;
	if (was_opened)
		opened_one(start);
	else
		look(start);
}

/* An opened gate either says why it failed, or its end means that it runs. */
static void on_answer(struct rank *rank)
{
	struct start *start = rank->start;
	Bellows__Local__GateFailure *failure;
	ProtobufCMessage *message;
	int fds[LOCAL_FDS_MAX], r;
	size_t n_fds;

	r = local_receive(rank->conn, &bellows__local__gate_failure__descriptor,
			  &message, fds, &n_fds, NULL);
	if (r == -EAGAIN)
		return;
	close_conn(rank);
	if (r == 0) {
		failure = (Bellows__Local__GateFailure *)message;
		snprintf(start->failure, sizeof(start->failure), "%s",
			 failure->failure);
		protobuf_c_message_free_unpacked(message, NULL);
		rank->state = RANK_AT_GATE; /* and about to end */
	} else {
		rank->state = RANK_RUNS;
	}
	opened_one(start);
}

/* ---- at the gate ---- */

static void on_hello(struct rank *rank)
{
	struct ranks *ranks = rank->ranks;
	Bellows__Local__GateHello *hello;
	ProtobufCMessage *message;
	int fds[LOCAL_FDS_MAX], r;
	size_t n_fds;

	r = local_receive(rank->conn, &bellows__local__gate_hello__descriptor,
			  &message, fds, &n_fds, NULL);
	if (r == -EAGAIN)
		return;
	if (r != 0) {
		rank_destroy(rank);
		return;
	}
	hello = (Bellows__Local__GateHello *)message;
	rank->rank = hello->rank;
	rank->start = start_get(ranks, hello->epoch);
	protobuf_c_message_free_unpacked(message, NULL);

	if (!rank->start || rank->start->opened || rank->start->stopping) {
		rank_destroy(rank); /* late: its start is over */
		return;
	}
	rank->state = RANK_AT_GATE;
	list_remove(&rank->link);
	list_append(&rank->start->members, &rank->link);
	ranks->events->arrived(ranks->user, rank->start->epoch, rank->rank,
			       rank->pid);
}

static void on_conn(void *user, uint32_t events)
{
	struct rank *rank = user;

	switch (rank->state) {
	case RANK_NEW:
		on_hello(rank);
		return;
	case RANK_OPENED:
		on_answer(rank);
		return;
	case RANK_AT_GATE: /* it has nothing to say: it is gone */
	case RANK_RUNS:
		close_conn(rank);
		return;
	}
}

static void on_connect(void *user, uint32_t events)
{
	struct ranks *ranks = user;
	CLEANUP(close) int conn = -1;
	struct rank *rank;
	pid_t pid;

	conn = local_accept(ranks->listener, &pid, NULL);
	rank = conn < 0 ? NULL : calloc(1, sizeof(*rank));
	if (!rank)
		return;
	rank->ranks = ranks;
	rank->pid = pid;
	rank->conn = STEAL_FD(conn);
	list_append(&ranks->strangers, &rank->link);
	rank->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (rank->pidfd < 0 ||
	    loop_fd_add(&rank->pid_watch, ranks->loop, rank->pidfd, EPOLLIN,
			on_end, rank, NULL) < 0 ||
	    loop_fd_add(&rank->conn_watch, ranks->loop, rank->conn, EPOLLIN,
			on_conn, rank, NULL) < 0)
		rank_destroy(rank);
}

/* ---- orders ---- */

static int open_one(struct rank *rank, const struct ranks_command *command,
		    struct error *err)
{
	struct start *start = rank->start;
	Bellows__Local__GateOpen open = BELLOWS__LOCAL__GATE_OPEN__INIT;
	CLEANUP(free) char **env = NULL;
	char mark[32];
	int fds[LOCAL_FDS_MAX], r;

	env = calloc(command->n_env + 1, sizeof(*env));
	if (!env)
		return error_set(err, -ENOMEM, "out of memory");
	snprintf(mark, sizeof(mark), "BELLOWS_RANK=%u", rank->rank);
	for (size_t i = 0; i < command->n_env; i++)
		env[i] = command->env[i];
	env[command->n_env] = mark;
	open.argv = command->argv;
	open.n_argv = command->n_argv;
	open.env = env;
	open.n_env = command->n_env + 1;
	open.dir = (char *)command->dir;

	r = output_add(start->ranks->output, start->epoch, rank->rank, fds,
		       err);
	if (r < 0)
		return r;
	r = local_send(rank->conn, &open.base, fds, LOCAL_FDS_MAX, err);
	for (int i = 0; i < LOCAL_FDS_MAX; i++)
		close(fds[i]);
	return r;
}

void ranks_open(struct ranks *ranks, unsigned epoch,
		const struct ranks_command *command)
{
	struct start *start = start_get(ranks, epoch);
	struct error err;
	unsigned n = 0;

	if (!start || start->stopping)
		return;
	if (start->opened) {
		if (start->up)
			tell_up(start);
		return;
	}
	start->opened = true;
	start->n_opened = 1; /* until all were told */

	list_for_each (at, &start->members) {
		struct rank *rank = CONTAINER(at, struct rank, link);

		n++;
		if (open_one(rank, command, &err) < 0) {
			snprintf(start->failure, sizeof(start->failure),
				 "rank %u: %.200s", rank->rank, err.text);
			continue;
		}
		rank->state = RANK_OPENED;
		start->n_opened++;
	}
	if (n != command->ranks)
		snprintf(start->failure, sizeof(start->failure),
			 "%u ranks came here instead of %u", n,
			 command->ranks);
	opened_one(start);
}

static void signal_rank(struct rank *rank, int signo)
{
	syscall(SYS_pidfd_send_signal, rank->pidfd, signo, NULL, 0);
}

void ranks_signal(struct ranks *ranks, unsigned epoch, int signo,
		  bool first_only)
{
	struct start *start = start_find(ranks, epoch);

	if (!start)
		return;
	list_for_each (at, &start->members) {
		struct rank *rank = CONTAINER(at, struct rank, link);

		if (rank->state == RANK_RUNS && (!first_only || !rank->rank))
			signal_rank(rank, signo);
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

/* Is anything left?  Only when the ranks we know are gone are others sought. */
static void look(void *user)
{
	struct start *start = user;
	struct ranks *ranks = start->ranks;

	if (start->gone || !(start->up || start->stopping))
		return;
	if (!list_is_empty(&start->members))
		return;
	if (process_find(start->epoch, true, NULL, 0) > 0) {
		loop_timer_set(ranks->loop, &start->look, LOOK_AGAIN, look,
			       start);
		return;
	}
	start->gone = true;
	loop_timer_clear(&start->term);
	loop_timer_set(ranks->loop, &start->kill, LEFTOVERS_AFTER,
		       end_leftovers, start);
	ranks->events->gone(ranks->user, start->epoch);
}

void ranks_stop(struct ranks *ranks, unsigned epoch, msec_t patience)
{
	struct start *start = start_get(ranks, epoch);

	if (!start)
		return;
	if (start->gone) {
		ranks->events->gone(ranks->user, epoch);
		return;
	}
	start->stopping = true;
	list_for_each (at, &start->members) {
		struct rank *rank = CONTAINER(at, struct rank, link);

		if (rank->state == RANK_AT_GATE)
			close_conn(rank); /* which ends it */
	}
	loop_timer_set(ranks->loop, &start->term, patience, on_term, start);
	loop_timer_set(ranks->loop, &start->kill, patience + KILL_AFTER,
		       on_kill, start);
	look(start);
}

bool ranks_has(const struct ranks *ranks, unsigned epoch, unsigned number)
{
	struct start *start = start_find(ranks, epoch);

	if (!start)
		return false;
	list_for_each (at, &start->members) {
		struct rank *rank = CONTAINER(at, struct rank, link);

		if (rank->state == RANK_RUNS && rank->rank == number)
			return true;
	}
	return false;
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

void ranks_repeat(struct ranks *ranks)
{
	list_for_each (at, &ranks->starts) {
		struct start *start = CONTAINER(at, struct start, link);

		list_for_each (of, &start->members) {
			struct rank *rank = CONTAINER(of, struct rank, link);

			ranks->events->arrived(ranks->user, start->epoch,
					       rank->rank, rank->pid);
		}
		if (start->up)
			tell_up(start);
		if (start->gone)
			ranks->events->gone(ranks->user, start->epoch);
	}
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
	ranks->listener = local_listen(path, err);
	if (ranks->listener < 0)
		return ranks->listener;
	r = loop_fd_add(&ranks->watch, loop, ranks->listener, EPOLLIN,
			on_connect, ranks, err);
	if (r < 0)
		return r;
	*out = STEAL(ranks);
	return 0;
}

struct ranks *ranks_destroy(struct ranks *ranks)
{
	if (!ranks)
		return NULL;
	list_for_each (at, &ranks->starts)
		start_destroy(CONTAINER(at, struct start, link));
	list_for_each (at, &ranks->strangers)
		rank_destroy(CONTAINER(at, struct rank, link));
	loop_fd_remove(ranks->watch);
	if (ranks->listener >= 0)
		close(ranks->listener);
	free(ranks);
	return NULL;
}
