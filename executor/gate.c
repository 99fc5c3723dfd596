/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/gate.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "executor/affinity.h"
#include "jobfile/exit.h"
#include "local/local.h"
#include "proto/local.pb-c.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

enum { OUTPUT_FDS = 3 };

void gate_close(struct rank *rank)
{
	rank->conn_watch = loop_fd_remove(rank->conn_watch);
	if (rank->conn >= 0)
		close(rank->conn);
	rank->conn = -1;
}

void rank_destroy(struct rank *rank)
{
	list_remove(&rank->link);
	gate_close(rank);
	loop_fd_remove(rank->pid_watch);
	if (rank->pidfd >= 0)
		close(rank->pidfd);
	free(rank);
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
		start_opened_one(start);
	else
		start_look(start);
}

/* An opened gate either says why it failed, or its end means that it runs. */
static void on_answer(struct rank *rank)
{
	struct start *start = rank->start;
	Bellows__Local__GateFailure *failure;
	ProtobufCMessage *message;
	int r;

	r = local_receive(rank->conn, &bellows__local__gate_failure__descriptor,
			  &message, NULL, NULL, NULL);
	if (r == -EAGAIN)
		return;
	gate_close(rank);
	if (r == 0) {
		failure = (Bellows__Local__GateFailure *)message;
		snprintf(start->failure, sizeof(start->failure), "%s",
			 failure->failure);
		start->exit_code = failure->error == ENOENT ? EXIT_NOT_FOUND
							    : EXIT_CANNOT_RUN;
		protobuf_c_message_free_unpacked(message, NULL);
		rank->state = RANK_AT_GATE; /* and about to end */
	} else {
		rank->state = RANK_RUNS;
	}
	start_opened_one(start);
}

/* What the daemon has bound it to, and what it will be bound to. */
static const char *processors_of(pid_t pid, char text[PROCESSOR_SET_TEXT_MAX])
{
	struct processor_set set;
	struct error err;

	if (affinity_read(&set, pid, &err) == 0)
		return processor_set_text(&set, text);
	log_warn("%s", err.text);
	return "";
}

static void on_hello(struct rank *rank)
{
	struct ranks *ranks = rank->ranks;
	char processors[PROCESSOR_SET_TEXT_MAX];
	Bellows__Local__GateHello *hello;
	ProtobufCMessage *message;
	int r;

	r = local_receive(rank->conn, &bellows__local__gate_hello__descriptor,
			  &message, NULL, NULL, NULL);
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

	if (!rank->start || rank->start->state != START_GATHERING) {
		rank_destroy(rank); /* late: its start is over */
		return;
	}
	rank->state = RANK_AT_GATE;
	list_remove(&rank->link);
	list_append(&rank->start->members, &rank->link);
	ranks->events->arrived(ranks->user, rank->start->epoch, rank->rank,
			       rank->pid, processors_of(rank->pid, processors));
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
		gate_close(rank);
		return;
	}
}

void gate_accept(struct ranks *ranks)
{
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

int gate_open(struct rank *rank, const struct ranks_command *command,
	      struct error *err)
{
	struct start *start = rank->start;
	Bellows__Local__GateOpen open = BELLOWS__LOCAL__GATE_OPEN__INIT;
	CLEANUP(free) char **env = NULL;
	char mark[32];
	int fds[LOCAL_FDS_MAX], r;
	size_t n_fds = OUTPUT_FDS;

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
	if (command->claim >= 0)
		fds[n_fds++] = command->claim;
	r = local_send(rank->conn, &open.base, fds, n_fds, err);
	for (int i = 0; i < OUTPUT_FDS; i++)
		close(fds[i]);
	return r;
}
