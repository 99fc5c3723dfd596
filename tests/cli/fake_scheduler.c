/* SPDX-License-Identifier: Apache-2.0 */

/*
 * fake_scheduler DIR LISTEN: a scheduler that schedules nothing: its queue is a
 * table, so that the commands that ask a scheduler can be tested alone.  What
 * it was asked is written into DIR/asked, one line a call.  The name of a job
 * that is submitted chooses what happens:
 *
 *     taken     the queue has one of that name
 *     refused   its file is refused
 *     full      the queue cannot be written to the disk
 *     lost      it is submitted, and the first answer to that is lost
 *     dies      the scheduler ends before it answers
 *     stubborn  it cannot be cancelled
 *
 * FAKE=silent: List is not answered.  FAKE_TLS: the folder of its certificate.
 */
#include "base/list.h"
#include "base/log.h"
#include "proto/descriptors.h"
#include "proto/scheduler.h"
#include "proto/scheduler.pb-c.h"
#include "rpc/server.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { JOBS = 32, WATCHERS = 8 };

#define STATE(name) BELLOWS__V1__QUEUE_STATE__QUEUE_##name
#define HOURS(n)    (MINUTES(60) * (n))

struct entry {
	Bellows__V1__QueueJob job;
	char name[64], id[64];
};

static struct loop *loop;
static struct rpc_server *server;
static struct entry entries[JOBS];
static size_t n_entries;
static struct watcher {
	struct rpc_call *call;
	struct entry *entry; /* NULL: all */
} watchers[WATCHERS];
static FILE *asked;

static uint64_t now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	return (uint64_t)at.tv_sec * 1000 + (uint64_t)at.tv_nsec / 1000000;
}

/* ---- the queue ---- */

static struct entry *add(const char *name, const char *user,
			 Bellows__V1__QueueState state)
{
	struct entry *entry = &entries[n_entries++];

	if (n_entries == JOBS)
		exit(70);
	bellows__v1__queue_job__init(&entry->job);
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	entry->job.number = n_entries;
	entry->job.name = entry->name;
	entry->job.user = strdup(user);
	entry->job.state = state;
	entry->job.priority = 10;
	entry->job.min = 2;
	entry->job.max = 8;
	entry->job.progress = -1;
	entry->job.eta = -1;
	entry->job.submitted = now() - SECONDS(90);
	return entry;
}

static void fill(void)
{
	struct entry *heat = add("heat", "ann", STATE(RUNNING));
	struct entry *cold = add("cold", "eve\033[2J", STATE(WAITING));
	struct entry *old = add("old", "ann", STATE(DONE));
	struct entry *bad = add("bad", "bob", STATE(FAILED));

	heat->job.size = heat->job.grant = 4;
	heat->job.want = 6;
	heat->job.progress = 0.432;
	heat->job.eta = 80400;
	heat->job.started = now() - SECONDS(60);
	cold->job.reason = "2 of the 4 slots that it needs are free\033[31m";
	old->job.submitted = old->job.started = old->job.ended =
		now() - HOURS(2);
	old->job.progress = 1;
	bad->job.submitted = bad->job.started = bad->job.ended =
		now() - MINUTES(10);
	bad->job.exit_code = 3;
	bad->job.reason = "the application failed";
}

/* A name means the job that is not over, or else the last one. */
static struct entry *find(const char *job)
{
	struct entry *found = NULL;
	char number[24];

	for (struct entry *at = entries; at < entries + n_entries; at++) {
		snprintf(number, sizeof(number), "%" PRIu64, at->job.number);
		if (strcmp(job, number) == 0)
			return at;
		if (strcmp(job, at->name) == 0)
			found = at;
	}
	return found;
}

static void with_queue(const struct entry *only,
		       void (*fn)(struct rpc_call *, const ProtobufCMessage *),
		       struct rpc_call *call)
{
	Bellows__V1__Queue queue = BELLOWS__V1__QUEUE__INIT;
	Bellows__V1__QueueJob *jobs[JOBS];

	for (struct entry *at = entries; at < entries + n_entries; at++)
		if (!only || only == at)
			jobs[queue.n_jobs++] = &at->job;
	queue.jobs = jobs;
	queue.now = now();
	queue.policy = "bellows";
	queue.where = "this machine";
	queue.slots = 8;
	queue.used = 4;
	if (getenv("FAKE"))
		queue.trouble = "the disk is full\033[2J";
	fn(call, &queue.base);
}

static void send_to(struct rpc_call *call, const ProtobufCMessage *queue)
{
	rpc_call_send(call, queue);
}

static void tell_all(void)
{
	for (struct watcher *at = watchers; at < watchers + WATCHERS; at++)
		if (at->call)
			with_queue(at->entry, send_to, at->call);
}

static void write_asked(const char *call, const char *job, const char *rest)
{
	fprintf(asked, "%s %s %s\n", call, job, rest);
	fflush(asked);
}

static struct entry *find_for(struct rpc_call *call, const char *job)
{
	struct entry *entry = find(job);

	if (!entry)
		rpc_call_end(call, RPC_NOT_FOUND,
			     "the queue has no job %s\033[2J", job);
	return entry;
}

/* ---- calls ---- */

static void on_list(struct rpc_call *call, const ProtobufCMessage *message,
		    void *user)
{
	const char *job = ((const Bellows__V1__ListRequest *)message)->job;
	struct entry *entry = *job ? find_for(call, job) : NULL;

	if (getenv("FAKE") && strcmp(getenv("FAKE"), "silent") == 0)
		return;
	if (entry || !*job)
		with_queue(entry, rpc_call_reply, call);
}

static void on_watch(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	const char *job = ((const Bellows__V1__ListRequest *)message)->job;
	struct entry *entry = *job ? find_for(call, job) : NULL;

	write_asked("watch", job, "");
	for (struct watcher *at = watchers;
	     (entry || !*job) && at < watchers + WATCHERS; at++) {
		if (at->call)
			continue;
		*at = (struct watcher){call, entry};
		with_queue(entry, send_to, call);
		return;
	}
}

static void on_watch_gone(struct rpc_call *call, void *user)
{
	for (struct watcher *at = watchers; at < watchers + WATCHERS; at++)
		if (at->call == call)
			at->call = NULL;
}

/* Returns whether the call was ended. */
static bool refuse(struct rpc_call *call, const char *name)
{
	if (strcmp(name, "dies") == 0)
		_exit(0);
	if (strcmp(name, "taken") == 0)
		rpc_call_end(call, RPC_ALREADY_EXISTS,
			     "job taken is in the queue already\033[2J");
	else if (strcmp(name, "refused") == 0)
		rpc_call_end(call, RPC_INVALID_ARGUMENT,
			     "refused.yaml:3: 9 ranks: there are 8 slots");
	else if (strcmp(name, "full") == 0)
		rpc_call_end(call, RPC_RESOURCE_EXHAUSTED,
			     "the queue cannot be written: No space left");
	else
		return false;
	return true;
}

static struct entry *find_id(const char *id)
{
	for (struct entry *at = entries; at < entries + n_entries; at++)
		if (strcmp(at->id, id) == 0)
			return at;
	return NULL;
}

static void on_submit(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	const Bellows__V1__SubmitRequest *request =
		(const Bellows__V1__SubmitRequest *)message;
	Bellows__V1__SubmitReply reply = BELLOWS__V1__SUBMIT_REPLY__INIT;
	struct entry *entry = find_id(request->request_id);
	char name[64] = "", rest[9000];

	sscanf(request->text, "name: %63s", name);
	snprintf(rest, sizeof(rest),
		 "%s in %s priority=%u user=%s after=%s hold=%d length=%" PRIu64
		 " id=%zu",
		 request->path, request->folder, request->priority,
		 request->user, request->n_after ? request->after[0] : "-",
		 request->hold, request->length, strlen(request->request_id));
	write_asked("submit", name, rest);
	if (!entry && refuse(call, name))
		return;
	if (!entry) {
		entry = add(name, request->user,
			    request->hold ? STATE(HELD) : STATE(WAITING));
		snprintf(entry->id, sizeof(entry->id), "%s",
			 request->request_id);
		tell_all();
		if (strcmp(name, "lost") == 0) {
			rpc_call_end(call, RPC_UNAVAILABLE, "lost");
			return;
		}
	}
	reply.number = entry->job.number;
	reply.name = entry->name;
	reply.note = "it waits for 2 slots\033[2J";
	rpc_call_reply(call, &reply.base);
}

static void reply_to(struct rpc_call *call, const struct entry *entry,
		     const char *note)
{
	Bellows__V1__QueueReply reply = BELLOWS__V1__QUEUE_REPLY__INIT;

	reply.number = entry->job.number;
	reply.name = (char *)entry->name;
	reply.note = (char *)note;
	rpc_call_reply(call, &reply.base);
	tell_all();
}

static bool is_over(struct rpc_call *call, const struct entry *entry)
{
	if (!entry->job.ended)
		return false;
	rpc_call_end(call, RPC_FAILED_PRECONDITION, "job %s is over",
		     entry->name);
	return true;
}

static void on_hold(struct rpc_call *call, const ProtobufCMessage *message,
		    void *user)
{
	const Bellows__V1__QueueRequest *request =
		(const Bellows__V1__QueueRequest *)message;
	struct entry *entry = find_for(call, request->job);

	write_asked("hold", request->job, request->reason);
	if (!entry || is_over(call, entry))
		return;
	entry->job.state = STATE(HELD);
	entry->job.held = true;
	reply_to(call, entry, "it saves, and leaves its slots\033[2J");
}

static void on_release(struct rpc_call *call, const ProtobufCMessage *message,
		       void *user)
{
	const Bellows__V1__QueueRequest *request =
		(const Bellows__V1__QueueRequest *)message;
	struct entry *entry = find_for(call, request->job);

	write_asked("release", request->job, request->reason);
	if (!entry || is_over(call, entry))
		return;
	entry->job.state = STATE(WAITING);
	entry->job.held = false;
	reply_to(call, entry, "it waits for slots");
}

static void on_priority(struct rpc_call *call, const ProtobufCMessage *message,
			void *user)
{
	const Bellows__V1__PriorityRequest *request =
		(const Bellows__V1__PriorityRequest *)message;
	struct entry *entry = find_for(call, request->job);

	if (!entry || is_over(call, entry))
		return;
	entry->job.priority = request->priority;
	reply_to(call, entry, "");
}

static void on_cancel(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	const Bellows__V1__QueueRequest *request =
		(const Bellows__V1__QueueRequest *)message;
	struct entry *entry = find_for(call, request->job);

	write_asked("cancel", request->job, request->reason);
	if (!entry || is_over(call, entry))
		return;
	entry->job.state = STATE(STOPPING);
	reply_to(call, entry, "it ends");
	if (strcmp(entry->name, "stubborn") == 0)
		return;
	entry->job.state = STATE(CANCELLED);
	entry->job.ended = now();
	entry->job.reason = "cancelled: the input is wrong\033[2J";
	tell_all();
}

static void on_explain(struct rpc_call *call, const ProtobufCMessage *message,
		       void *user)
{
	const Bellows__V1__ExplainRequest *request =
		(const Bellows__V1__ExplainRequest *)message;
	Bellows__V1__ExplainReply reply = BELLOWS__V1__EXPLAIN_REPLY__INIT;
	Bellows__V1__Decision decision = BELLOWS__V1__DECISION__INIT;
	Bellows__V1__Decision *decisions[] = {&decision};
	struct entry *entry = find_for(call, request->job);
	char at[32];

	snprintf(at, sizeof(at), "%" PRIu64, request->at);
	write_asked("explain", request->job, at);
	if (!entry)
		return;
	decision.at = now();
	decision.kind = "resize";
	decision.rule = "free slots save most time there\033[2J";
	decision.policy = "bellows";
	decision.from = 2;
	decision.to = 4;
	decision.free = 3;
	decision.queued = 2;
	reply.job = &entry->job;
	reply.decisions = decisions;
	reply.n_decisions = 1;
	rpc_call_reply(call, &reply.base);
}

/* clang-format off */
static const struct rpc_method methods[] = {
	{CALL_SUBMIT, RPC_UNARY,
	 &bellows__v1__submit_request__descriptor, on_submit, NULL, NULL, NULL},
	{CALL_LIST, RPC_UNARY,
	 &bellows__v1__list_request__descriptor, on_list, NULL, NULL, NULL},
	{CALL_WATCH, RPC_SERVER_STREAM,
	 &bellows__v1__list_request__descriptor,
	 on_watch, NULL, on_watch_gone, NULL},
	{CALL_CANCEL_JOB, RPC_UNARY,
	 &bellows__v1__queue_request__descriptor, on_cancel, NULL, NULL, NULL},
	{CALL_HOLD, RPC_UNARY,
	 &bellows__v1__queue_request__descriptor, on_hold, NULL, NULL, NULL},
	{CALL_RELEASE, RPC_UNARY,
	 &bellows__v1__queue_request__descriptor, on_release, NULL, NULL, NULL},
	{CALL_SET_PRIORITY, RPC_UNARY,
	 &bellows__v1__priority_request__descriptor,
	 on_priority, NULL, NULL, NULL},
	{CALL_EXPLAIN, RPC_UNARY,
	 &bellows__v1__explain_request__descriptor,
	 on_explain, NULL, NULL, NULL},
};
/* clang-format on */

static void on_flushed(void *user)
{
	loop_stop(loop, 0);
}

static void on_term(void *user, int signo, pid_t sender)
{
	static struct loop_timer timer;

	for (struct watcher *at = watchers; at < watchers + WATCHERS; at++)
		if (at->call)
			rpc_call_end(at->call, RPC_OK, "%s", "");
	loop_timer_set(loop, &timer, MSEC(100), on_flushed, NULL);
}

static int serve(struct rpc *rpc, const char *dir, const char *listen)
{
	struct tls_identity tls = {0};
	const struct rpc_server_config config = {
		.listen = listen,
		.tls = &tls,
		.methods = methods,
		.n_methods = LENGTH(methods),
		.descriptors = proto_descriptors,
		.descriptors_size = proto_descriptors_size,
	};
	char file[4096];
	struct error err;
	FILE *to;

	if ((getenv("FAKE_TLS") &&
	     tls_identity_read(&tls, getenv("FAKE_TLS"), &err) < 0) ||
	    rpc_server_create(&server, rpc, &config, &err) < 0) {
		log_error("%s", err.text);
		return 71;
	}
	tls_identity_fini(&tls);
	snprintf(file, sizeof(file), "%s/address", dir);
	to = fopen(file, "w");
	if (!to)
		return 71;
	fprintf(to, "%s\n", rpc_server_address(server));
	fclose(to);
	return 0;
}

int main(int argc, char **argv)
{
	char file[4096];
	struct rpc *rpc;
	int code;

	if (argc != 3)
		return 64;
	snprintf(file, sizeof(file), "%s/asked", argv[1]);
	asked = fopen(file, "w");
	if (!asked)
		return 71;
	log_init("scheduler", LOG_INFO);
	fill();
	loop_create(&loop, NULL);
	loop_signal_add(loop, SIGTERM, on_term, NULL, NULL);
	rpc_create(&rpc, loop, NULL);
	code = serve(rpc, argv[1], argv[2]);
	if (code == 0)
		code = loop_run(loop);
	server = rpc_server_destroy(server);
	rpc_destroy(rpc);
	loop_destroy(loop);
	return code;
}
