/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/program.h"
#include "coordinator/service/internal.h"
#include "loop/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/*
 * The journal is read and printed by a child, which is this program with
 * --history: its disk may not answer, and this program's loop never waits
 */

enum { CALLS_MAX = 4, PART = 64 * 1024 };

struct history_call {
	struct list link;
	struct service *service;
	struct rpc_call *call;  /* NULL: it is over */
	pid_t pid;              /* 0: it has ended */
	int status;             /* of it then */
	int from;               /* what it prints; -1: that was all */
	struct loop_fd *source; /* NULL: the client is slow */
};

static void close_pipe(struct history_call *history)
{
	history->source = loop_fd_remove(history->source);
	if (history->from >= 0)
		close(history->from);
	history->from = -1;
}

static void end(struct history_call *history, enum rpc_code code,
		const char *sentence)
{
	struct rpc_call *call = history->call;

	history->call = NULL;
	rpc_call_set_data(call, NULL);
	rpc_call_end(call, code, "%s", sentence);
}

/* It goes when nobody listens any more and its child is reaped. */
static void look(struct history_call *history)
{
	bool is_told = history->from < 0 && history->pid == 0;

	if (history->call && is_told && history->status == 0)
		end(history, RPC_OK, "");
	else if (history->call && is_told)
		end(history, RPC_INTERNAL,
		    "the journal cannot be told; the coordinator's log says "
		    "why");
	if (history->call || history->pid > 0)
		return;
	close_pipe(history);
	list_remove(&history->link);
	free(history);
}

static void on_ended(void *user, pid_t pid, int status)
{
	struct history_call *history = user;

	history->pid = 0;
	history->status = status;
	look(history);
}

static void send_part(struct history_call *history, char *text, size_t n)
{
	Bellows__V1__HistoryText part = BELLOWS__V1__HISTORY_TEXT__INIT;
	int r;

	part.text.data = (uint8_t *)text;
	part.text.len = n;
	r = rpc_call_send(history->call, &part.base);
	if (r != 0) /* until there is room; or the call is over soon */
		history->source = loop_fd_remove(history->source);
}

static void on_readable(void *user, uint32_t events)
{
	struct history_call *history = user;
	char text[PART];
	ssize_t n = read(history->from, text, sizeof(text));

	if (n > 0) {
		send_part(history, text, (size_t)n);
		return;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	close_pipe(history);
	look(history);
}

static int read_on(struct history_call *history, struct error *err)
{
	return loop_fd_add(&history->source, history->service->loop,
			   history->from, EPOLLIN, on_readable, history, err);
}

static int start(struct history_call *history, bool json, struct error *err)
{
	const struct coordinator_config *config = history->service->config;
	char dir[4096], program[4200];
	const char *const argv[] = {program,
				    "--history",
				    "--state",
				    config->state,
				    "--journal",
				    coordinator_journal_dir(config),
				    json ? "--json" : NULL,
				    NULL};
	struct spawn child = {
		.argv = argv, .in = -1, .err = -1, .on_parent_death = SIGKILL};
	CLEANUP(close) int to = -1;
	int ends[2], r;

	snprintf(program, sizeof(program), "%s/bellows-coordinator",
		 program_dir(dir, sizeof(dir)));
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_errno(err, "cannot make a pipe");
	history->from = ends[0];
	child.out = to = ends[1];
	if (fcntl(history->from, F_SETFL, O_NONBLOCK) < 0)
		return error_errno(err, "cannot make a pipe");
	r = read_on(history, err);
	if (r == 0)
		r = spawn(&child, &history->pid, err);
	if (r < 0)
		return r;
	r = loop_child_add(history->service->loop, history->pid, on_ended,
			   history, err);
	if (r < 0) {
		kill(history->pid, SIGKILL);
		history->pid = 0;
	}
	return r;
}

void history_call_begin(struct service *service, struct rpc_call *call,
			bool json)
{
	struct history_call *history;
	struct error err;
	size_t n = 0;

	list_for_each (at, &service->histories)
		n++;
	if (n == CALLS_MAX) {
		rpc_call_end(call, RPC_RESOURCE_EXHAUSTED,
			     "the history is being told to %d others",
			     CALLS_MAX);
		return;
	}
	history = calloc(1, sizeof(*history));
	if (!history) {
		rpc_call_end(call, RPC_RESOURCE_EXHAUSTED, "out of memory");
		return;
	}
	history->service = service;
	history->call = call;
	history->from = -1;
	list_append(&service->histories, &history->link);
	rpc_call_set_data(call, history);
	if (start(history, json, &err) == 0)
		return;
	end(history, RPC_INTERNAL, err.text);
	look(history);
}

static void give_up(struct history_call *history)
{
	close_pipe(history);
	if (history->pid > 0)
		kill(history->pid, SIGKILL);
	look(history);
}

void history_call_gone(struct rpc_call *call)
{
	struct history_call *history = rpc_call_data(call);

	if (!history)
		return;
	history->call = NULL;
	give_up(history);
}

void history_call_writable(struct rpc_call *call)
{
	struct history_call *history = rpc_call_data(call);
	struct error err;

	if (!history || history->source || history->from < 0)
		return;
	if (read_on(history, &err) == 0)
		return;
	end(history, RPC_INTERNAL, err.text);
	give_up(history);
}

void history_calls_end(struct service *service)
{
	list_for_each (at, &service->histories) {
		struct history_call *history =
			CONTAINER(at, struct history_call, link);

		loop_child_remove(service->loop, history->pid);
		history->pid = 0;
		look(history);
	}
}
