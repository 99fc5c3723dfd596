/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/agent.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "coordinator/launch/mpiexec.h"
#include "local/local.h"
#include "proto/local.pb-c.h"

#include <errno.h>
#include <sys/epoll.h>

enum { STATUS_255 = 255 << 8 }; /* as ssh says "no connection" */

struct agent_request {
	struct list link;
	struct agents *agents;
	int conn;
	struct loop_fd *watch;
	uint64_t launch; /* 0: nothing was ordered yet */
	int member;
};

struct agents {
	struct loop *loop;
	struct members *members;
	int listener;
	struct loop_fd *watch;
	struct list requests;
	uint64_t launches;
};

DEFINE_CLEANUP(struct agents, agents_destroy)

static void request_destroy(struct agent_request *request)
{
	list_remove(&request->link);
	loop_fd_remove(request->watch);
	close(request->conn);
	free(request);
}

static void answer(struct agent_request *request, unsigned status,
		   const char *text)
{
	Bellows__Local__AgentReply reply = BELLOWS__LOCAL__AGENT_REPLY__INIT;

	reply.status = status;
	reply.text = (char *)text;
	local_send(request->conn, &reply.base, NULL, 0, NULL);
	request_destroy(request);
}

static void order(struct agent_request *request,
		  const Bellows__Local__AgentRequest *asked)
{
	struct agents *agents = request->agents;
	Bellows__V1__Launch launch = BELLOWS__V1__LAUNCH__INIT;
	Bellows__V1__Order what = BELLOWS__V1__ORDER__INIT;

	request->member = mpiexec_member(asked->host);
	if (request->member == NO_MEMBER ||
	    request->member >= members_ledger(agents->members)->n) {
		log_warn("mpiexec wants a program run on '%.64s', which is no "
			 "executor",
			 asked->host);
		answer(request, STATUS_255, "no such executor\n");
		return;
	}
	request->launch = ++agents->launches;
	launch.launch = request->launch;
	launch.epoch = asked->epoch;
	launch.command = asked->command;
	what.what_case = BELLOWS__V1__ORDER__WHAT_LAUNCH;
	what.launch = &launch;
	members_order(agents->members, request->member, &what);
}

static void on_request(void *user, uint32_t events)
{
	struct agent_request *request = user;
	ProtobufCMessage *message;
	int r;

	r = local_receive(request->conn,
			  &bellows__local__agent_request__descriptor, &message,
			  NULL, NULL, NULL);
	if (r == -EAGAIN)
		return;
	if (r != 0) {
		request_destroy(request);
		return;
	}
	if (request->launch == 0)
		order(request, (Bellows__Local__AgentRequest *)message);
	protobuf_c_message_free_unpacked(message, NULL);
}

static void on_connect(void *user, uint32_t events)
{
	struct agents *agents = user;
	struct agent_request *request;
	pid_t pid;
	int conn = local_accept(agents->listener, &pid, NULL);

	if (conn < 0)
		return;
	request = calloc(1, sizeof(*request));
	if (!request) {
		close(conn);
		return;
	}
	request->agents = agents;
	request->conn = conn;
	request->member = NO_MEMBER;
	list_append(&agents->requests, &request->link);
	if (loop_fd_add(&request->watch, agents->loop, conn, EPOLLIN,
			on_request, request, NULL) < 0)
		request_destroy(request);
}

static struct agent_request *find(struct agents *agents, uint64_t launch)
{
	list_for_each (at, &agents->requests) {
		struct agent_request *request =
			CONTAINER(at, struct agent_request, link);

		if (request->launch == launch)
			return request;
	}
	return NULL;
}

void agents_on_ended(struct agents *agents, int member,
		     const Bellows__V1__ProgramEnded *ended)
{
	const struct member *all = members_ledger(agents->members)->members;
	struct agent_request *request = find(agents, ended->launch);
	struct error err;

	if (!request || request->launch == 0)
		return;
	if (request->member != member) {
		error_set(&err, -EPERM,
			  "%s speaks of program %llu, which runs on %s",
			  all[member].name, (unsigned long long)ended->launch,
			  all[request->member].name);
		members_refute(agents->members, member, err.text);
	} else if (*ended->failure) {
		answer(request, STATUS_255, ended->failure);
	} else {
		answer(request, ended->status, ended->text);
	}
}

void agents_on_lost(struct agents *agents, int member)
{
	list_for_each (at, &agents->requests) {
		struct agent_request *request =
			CONTAINER(at, struct agent_request, link);

		if (request->member == member)
			answer(request, STATUS_255, "the executor is lost\n");
	}
}

int agents_create(struct agents **out, struct loop *loop,
		  struct members *members, const char *path, struct error *err)
{
	CLEANUP(agents_destroy)
	struct agents *agents = calloc(1, sizeof(*agents));
	int r;

	if (!agents)
		return error_set(err, -ENOMEM, "out of memory");
	agents->loop = loop;
	agents->members = members;
	list_init(&agents->requests);
	agents->listener = local_listen(path, err);
	if (agents->listener < 0)
		return agents->listener;
	r = loop_fd_add(&agents->watch, loop, agents->listener, EPOLLIN,
			on_connect, agents, err);
	if (r < 0)
		return r;
	*out = STEAL(agents);
	return 0;
}

struct agents *agents_destroy(struct agents *agents)
{
	if (!agents)
		return NULL;
	list_for_each (at, &agents->requests)
		request_destroy(CONTAINER(at, struct agent_request, link));
	loop_fd_remove(agents->watch);
	if (agents->listener >= 0)
		close(agents->listener);
	free(agents);
	return NULL;
}
