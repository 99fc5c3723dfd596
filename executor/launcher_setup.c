/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/launcher_setup.h"

#include "base/log.h"
#include "executor/executor.h"
#include "executor/sshd.h"
#include "proto/coordinator.h"

static void report_sshd(struct executor *ex, Bellows__V1__Sshd *sshd)
{
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	r.what_case = BELLOWS__V1__REPORT__WHAT_SSHD;
	r.sshd = sshd;
	executor_report(ex, &r);
}

static void on_listening(void *user, const char *login, unsigned port,
			 const char *host_key)
{
	struct executor *ex = user;
	Bellows__V1__Sshd sshd = BELLOWS__V1__SSHD__INIT;

	sshd.port = port;
	sshd.host_key = (char *)host_key;
	sshd.user = (char *)login;
	report_sshd(ex, &sshd);
}

/* The coordinator releases an executor that cannot be reached. */
static void on_failed(void *user, const char *failure)
{
	struct executor *ex = user;
	Bellows__V1__Sshd sshd = BELLOWS__V1__SSHD__INIT;

	sshd.failure = (char *)failure;
	report_sshd(ex, &sshd);
}

static const struct sshd_events sshd_events = {on_listening, on_failed};

static void on_keys(void *user, const struct rpc_status *status,
		    const ProtobufCMessage *answer)
{
	struct executor *ex = user;
	const Bellows__V1__RetrieveKeysReply *keys =
		(const Bellows__V1__RetrieveKeysReply *)answer;
	struct sshd_room room = {
		.loop = ex->loop,
		.dir = ex->tmpdir.path,
		.address = ex->config->address,
		.bindir = ex->bindir,
		.env = ex->env,
		.events = &sshd_events,
		.user = ex,
	};
	struct error err;

	if (ex->session == SESSION_LEAVING || ex->sshd)
		return;
	if (status->code != RPC_OK) {
		/* asked again after the next attachment */
		log_warn("no key of the job: %s %s",
			 rpc_code_name(status->code), status->message);
		return;
	}
	room.public_key = keys->public_key;
	if (sshd_create(&ex->sshd, &room, &err) < 0)
		on_failed(ex, err.text);
}

void launcher_setup_begin(struct executor *ex)
{
	Bellows__V1__RetrieveKeysRequest request =
		BELLOWS__V1__RETRIEVE_KEYS_REQUEST__INIT;

	if (ex->job->launcher != LAUNCHER_SSH || ex->sshd)
		return;
	request.name = (char *)ex->config->name;
	request.incarnation = ex->incarnation;
	request.public_only = true;
	rpc_call_unary(ex->channel, CALL_RETRIEVE_KEYS, &request.base,
		       &bellows__v1__retrieve_keys_reply__descriptor,
		       EXECUTOR_CALL_TIMEOUT, on_keys, ex);
}

void launcher_setup_end(struct executor *ex)
{
	ex->sshd = sshd_destroy(ex->sshd);
}
