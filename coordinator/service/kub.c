/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/kub.h"

#include "base/log.h"
#include "coordinator/job/scale.h"
#include "coordinator/members/polled.h"
#include "coordinator/service/asked.h"
#include "coordinator/service/internal.h"
#include "proto/kub.pb-c.h"
#include "ssh/keypair.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* What an answer means, by call. */
enum confirmation {
	SCALE_DECLINED = 0,
	SCALE_ACCEPTED = 1,
	KEYS_ARE_HERE = 3,
	HAS_JOINED = 3,
	GO_ON = 4,
	CHECKPOINT_NOW = 5,
	END_NOW = 6,
	WAS_CHECKPOINTED = 2,
	HAS_ENDED = 4,
};

static MpiMonitor__Confirmation confirmation(enum confirmation id,
					     const char *text)
{
	MpiMonitor__Confirmation answer = MPI_MONITOR__CONFIRMATION__INIT;

	answer.confirmid = (int32_t)id;
	answer.confirmmessage = (char *)text;
	return answer;
}

static void confirm(struct rpc_call *call, enum confirmation id,
		    const char *text)
{
	const MpiMonitor__Confirmation answer = confirmation(id, text);

	rpc_call_reply(call, &answer.base);
}

static void confirm_later(struct asked *asked, enum confirmation id,
			  const char *text)
{
	const MpiMonitor__Confirmation answer = confirmation(id, text);

	asked_answer(asked, &answer.base);
}

static bool is_served(const struct service *service, struct rpc_call *call)
{
	if (!service->jobfile->kub)
		rpc_call_end(call, RPC_UNIMPLEMENTED,
			     "this job does not serve Kub's programs: its job "
			     "file does not say kub: true");
	return service->jobfile->kub;
}

/* ---- a monitor ---- */

static void decide_scale(struct asked *to, const ProtobufCMessage *message)
{
	const MpiMonitor__AdditionalNodes *asked =
		(const MpiMonitor__AdditionalNodes *)message;
	const struct service *service = to->service;
	struct driver *driver = service->driver;
	unsigned size = driver_job(driver)->size ? driver_job(driver)->size
						 : driver_job(driver)->want;
	int64_t ranks = size + (int64_t)asked->nodes *
				       service->jobfile->ranks_per_executor;
	char answer[64];
	struct error err;
	bool accepted = false;

	if (strcasecmp(asked->mode, "vertical") == 0)
		error_set(&err, -EINVAL,
			  "mode: vertical scaling changes no number of nodes "
			  "and is not done; horizontal");
	else
		accepted = scale_is_accepted(scale_check(driver, ranks, &err));
	if (!accepted) {
		scale_declined(driver, ranks, err.text);
		confirm_later(to, SCALE_DECLINED, err.text);
		return;
	}
	snprintf(answer, sizeof(answer), "from %u to %u ranks",
		 driver_job(driver)->size, (unsigned)ranks);
	scale_begin(driver, (unsigned)ranks, 0, "asked to by Kub's Scale");
	confirm_later(to, SCALE_ACCEPTED, answer);
}

static void on_scale(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	if (is_served(user, call))
		asked_begin(user, call, message, decide_scale);
}

/* ---- an executor ---- */

static const struct member *member_at(const struct service *service, int member)
{
	return &members_ledger(driver_members(service->driver))
			->members[member];
}

/* The executor that calls: by the name in the message, or else by the address
 * of the connection.  It may have been given up. */
static int caller(struct service *service, struct rpc_call *call,
		  const ProtobufCMessage *message)
{
	const MpiMonitor__Dummy22 *dummy = (const MpiMonitor__Dummy22 *)message;
	const struct ledger *ledger =
		members_ledger(driver_members(service->driver));
	char from[RPC_HOST_MAX];
	int member;

	if (!is_served(service, call))
		return NO_MEMBER;
	rpc_host(rpc_call_peer(call), from);
	member = polled_find_any(ledger, dummy->mtest);
	if (member == NO_MEMBER)
		member = polled_find_any(ledger, from);
	if (member == NO_MEMBER)
		rpc_call_end(call, RPC_NOT_FOUND,
			     "no executor of this job is at %s; JobInit comes "
			     "first",
			     from);
	return member;
}

/* Where the executor is that a call names: Kub's launcher gives its host name,
 * which need not mean anything here, so a name stands for the address that the
 * call comes from. */
static const char *node_address(struct rpc_call *call,
				const MpiMonitor__NodeName *node,
				char from[RPC_HOST_MAX])
{
	char address[POLLED_ADDRESS_MAX];

	rpc_host(rpc_call_peer(call), from);
	return polled_address(node->nodeip, address) ||
			       !polled_address(from, address)
		       ? node->nodeip
		       : from;
}

/* An executor of Kub reports no sshd: it uses that of its host, whose key is
 * not announced. */
static void reach(struct service *service, int member)
{
	Bellows__V1__Sshd sshd = BELLOWS__V1__SSHD__INIT;
	Bellows__V1__Report report = BELLOWS__V1__REPORT__INIT;

	sshd.port = POLLED_SSH_PORT;
	sshd.user = (char *)polled_user();
	report.what_case = BELLOWS__V1__REPORT__WHAT_SSHD;
	report.sshd = &sshd;
	driver_launcher(service->driver)
		->ops->on_report(driver_launcher(service->driver), member,
				 &report);
	driver_launcher(service->driver)
		->ops->admit(driver_launcher(service->driver), member);
}

static void on_job_init(struct rpc_call *call, const ProtobufCMessage *message,
			void *user)
{
	const MpiMonitor__NodeName *node =
		(const MpiMonitor__NodeName *)message;
	struct service *service = user;
	char answer[MEMBER_NAME_MAX + 32], from[RPC_HOST_MAX];
	struct error err;
	bool again;
	int member, r;

	if (!is_served(service, call))
		return;
	if (job_is_over(driver_job(service->driver))) {
		rpc_call_end(
			call, RPC_FAILED_PRECONDITION, "the job is %s",
			job_state_name(driver_job(service->driver)->state));
		return;
	}
	r = polled_join(
		driver_members(service->driver), node_address(call, node, from),
		service->jobfile->ranks_per_executor, &member, &again, &err);
	if (r < 0) {
		rpc_call_end(call,
			     r == -EINVAL   ? RPC_INVALID_ARGUMENT
			     : r == -ENOSPC ? RPC_RESOURCE_EXHAUSTED
					    : RPC_FAILED_PRECONDITION,
			     "%s", err.text);
		return;
	}
	if (member_at(service, member)->state == MEMBER_JOINED)
		reach(service, member);
	snprintf(answer, sizeof(answer), "%s %s",
		 member_at(service, member)->name,
		 again ? "is here already" : "has joined");
	confirm(call, HAS_JOINED, answer);
}

/* A scaling pod asks before it joins: then it has to call from that address. */
static bool may_have_keys(const struct service *service, struct rpc_call *call,
			  const MpiMonitor__NodeName *node)
{
	char from[RPC_HOST_MAX], here[POLLED_ADDRESS_MAX],
		there[POLLED_ADDRESS_MAX];
	const char *address = node_address(call, node, from);

	if (polled_find(members_ledger(driver_members(service->driver)),
			address) != NO_MEMBER)
		return true;
	return polled_address(from, here) && polled_address(address, there) &&
	       strcmp(here, there) == 0;
}

static void on_keys(struct rpc_call *call, const ProtobufCMessage *message,
		    void *user)
{
	const MpiMonitor__NodeName *node =
		(const MpiMonitor__NodeName *)message;
	struct service *service = user;
	const struct launcher_keys *keys;
	MpiMonitor__SSHKeys answer = MPI_MONITOR__SSHKEYS__INIT;
	char authorized_keys[KEYPAIR_PUBLIC_MAX + 1];

	if (!is_served(service, call))
		return;
	keys = driver_launcher(service->driver)
		       ->ops->keys(driver_launcher(service->driver));
	if (!keys || !may_have_keys(service, call, node)) {
		rpc_call_end(call, RPC_PERMISSION_DENIED,
			     "nodeIP: '%.64s' is neither an executor nor the "
			     "address this call comes from",
			     node->nodeip);
		return;
	}
	snprintf(authorized_keys, sizeof(authorized_keys), "%s\n",
		 keys->public_key);
	answer.pubjobkey = authorized_keys;
	/* nobody encrypts this call */
	if (service->jobfile->kub_private_key)
		answer.privjobkey = (char *)keys->private_key;
	answer.confirmid = KEYS_ARE_HERE;
	rpc_call_reply(call, &answer.base);
}

/* Was it released, or given up meanwhile?  Kub's launcher takes any refusal for
 * a failure of its own, and ends well at an answer. */
static bool is_to_end(const struct member *m)
{
	return m->state == MEMBER_LEAVING || !member_is_alive(m);
}

static void on_active(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	struct service *service = user;
	struct launch *now = launches_now(driver_launches(service->driver));
	int member = caller(service, call, message);

	if (member == NO_MEMBER)
		return;
	members_heard(driver_members(service->driver), member);
	if (is_to_end(member_at(service, member)))
		confirm(call, END_NOW, "end");
	else if (now && launch_asks(now, member))
		confirm(call, CHECKPOINT_NOW,
			"a checkpoint is there: do what a restart needs, and "
			"confirm");
	else
		confirm(call, GO_ON, "go on");
}

static void on_checkpointing(struct rpc_call *call,
			     const ProtobufCMessage *message, void *user)
{
	struct service *service = user;
	struct launch *now = launches_now(driver_launches(service->driver));
	int member = caller(service, call, message);

	if (member == NO_MEMBER)
		return;
	confirm(call, WAS_CHECKPOINTED, "noted");
	members_heard(driver_members(service->driver), member);
	if (now)
		launch_on_confirmed(now, member);
}

static void on_end(struct rpc_call *call, const ProtobufCMessage *message,
		   void *user)
{
	struct service *service = user;
	int member = caller(service, call, message);

	if (member == NO_MEMBER)
		return;
	confirm(call, HAS_ENDED, "good-bye");
	members_part(driver_members(service->driver), member, "it ended");
}

/* clang-format off */
#define KUB(call) "/mpi_monitor.Monitor/" call
const struct rpc_method kub_methods[KUB_METHODS] = {
	{ KUB("Scale"), RPC_UNARY, &mpi_monitor__additional_nodes__descriptor,
	  .on_message = on_scale, .on_gone = asked_on_gone },
	{ KUB("RetrieveKeys"), RPC_UNARY, &mpi_monitor__node_name__descriptor,
	  .on_message = on_keys },
	{ KUB("JobInit"), RPC_UNARY, &mpi_monitor__node_name__descriptor,
	  .on_message = on_job_init },
	{ KUB("activeServer"), RPC_UNARY, &mpi_monitor__dummy22__descriptor,
	  .on_message = on_active },
	{ KUB("checkpointing"), RPC_UNARY, &mpi_monitor__dummy22__descriptor,
	  .on_message = on_checkpointing },
	{ KUB("endExec"), RPC_UNARY, &mpi_monitor__dummy22__descriptor,
	  .on_message = on_end },
};
#undef KUB
/* clang-format on */
