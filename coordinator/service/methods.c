/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/methods.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "coordinator/job/report_check.h"
#include "coordinator/job/scale.h"
#include "coordinator/service/asked.h"
#include "coordinator/service/endpoints.h"
#include "coordinator/service/internal.h"
#include "coordinator/service/status.h"
#include "proto/coordinator.h"

#include <errno.h>
#include <string.h>

/*
 * bellows.v1.Coordinator: what is asked from outside, turned into events
 */

/* ---- the job ---- */

static void on_watch(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	service_on_watch(user, call);
}

static void on_watch_gone(struct rpc_call *call, void *user)
{
	service_on_watch_gone(call);
}

static void on_watch_writable(struct rpc_call *call, void *user)
{
	service_on_watch_writable(user, call);
}

static void on_get(struct rpc_call *call, const ProtobufCMessage *message,
		   void *user)
{
	Bellows__V1__Job job;

	if (status_fill(user, &job) == 0)
		rpc_call_reply(call, &job.base);
	else
		rpc_call_end(call, RPC_RESOURCE_EXHAUSTED, "out of memory");
	status_unfill(&job);
}

static void on_history(struct rpc_call *call, const ProtobufCMessage *message,
		       void *user)
{
	history_call_begin(
		user, call,
		((const Bellows__V1__HistoryRequest *)message)->json);
}

static void on_history_gone(struct rpc_call *call, void *user)
{
	history_call_gone(call);
}

static void on_history_writable(struct rpc_call *call, void *user)
{
	history_call_writable(call);
}

/* ---- scaling ---- */

static void answer(struct asked *asked, const struct request *request,
		   Bellows__V1__ScaleCode code, char *reason)
{
	Bellows__V1__ScaleReply reply = BELLOWS__V1__SCALE_REPLY__INIT;

	reply.accepted = scale_is_accepted(code);
	reply.code = code;
	reply.reason = reason;
	reply.from = request->from;
	reply.to = request->to;
	asked_answer(asked, &reply.base);
}

static void decide_scale(struct asked *to, const ProtobufCMessage *message)
{
	const Bellows__V1__ScaleRequest *asked =
		(const Bellows__V1__ScaleRequest *)message;
	struct driver *driver = to->service->driver;
	const struct request *before = journal_writer_find_request(
		driver_journal_writer(driver), asked->request_id);
	bool is_delta =
		asked->size_case == BELLOWS__V1__SCALE_REQUEST__SIZE_DELTA;
	int64_t ranks =
		is_delta ? (int64_t)driver_job(driver)->want + asked->delta
			 : asked->ranks;
	struct request request = {.from = driver_job(driver)->size,
				  .to = driver_job(driver)->size};
	Bellows__V1__ScaleCode code;
	struct error err;

	if (before) {
		answer(to, before, BELLOWS__V1__SCALE_CODE__ACCEPTED, "");
		return;
	}
	code = scale_check(driver, ranks, &err);
	if (scale_is_accepted(code)) {
		request.to = (unsigned)ranks;
		snprintf(request.id, sizeof(request.id), "%s",
			 asked->request_id);
		journal_writer_request(driver_journal_writer(driver), &request);
		scale_begin(driver, request.to, asked->deadline, asked->reason);
	} else {
		scale_declined(driver, ranks, err.text);
	}
	answer(to, &request, code, err.text);
}

static void on_scale(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	const Bellows__V1__ScaleRequest *asked =
		(const Bellows__V1__ScaleRequest *)message;

	if (asked->size_case == BELLOWS__V1__SCALE_REQUEST__SIZE__NOT_SET)
		rpc_call_end(call, RPC_INVALID_ARGUMENT,
			     "size: ranks or delta must be set");
	else if (strlen(asked->request_id) >= REQUEST_MAX)
		rpc_call_end(call, RPC_INVALID_ARGUMENT,
			     "request_id: at most %d bytes", REQUEST_MAX - 1);
	else
		asked_begin(user, call, message, decide_scale);
}

static void decide_grant(struct asked *to, const ProtobufCMessage *message)
{
	const Bellows__V1__GrantRequest *asked =
		(const Bellows__V1__GrantRequest *)message;
	struct driver *driver = to->service->driver;
	Bellows__V1__GrantReply reply = BELLOWS__V1__GRANT_REPLY__INIT;
	struct error err;

	reply.code =
		scale_check_grant(driver, asked->ranks, &reply.ranks, &err);
	reply.accepted = scale_is_accepted(reply.code);
	reply.reason = err.text;
	if (reply.accepted)
		scale_grant(driver, reply.ranks, asked->reason);
	else
		log_info("grant of %u ranks refused: %s", asked->ranks,
			 err.text);
	asked_answer(to, &reply.base);
}

static void on_grant(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	const Bellows__V1__GrantRequest *asked =
		(const Bellows__V1__GrantRequest *)message;

	if (asked->size_case == BELLOWS__V1__GRANT_REQUEST__SIZE_RANKS)
		asked_begin(user, call, message, decide_grant);
	else
		rpc_call_end(call, RPC_INVALID_ARGUMENT,
			     "size: ranks must be set");
}

static void on_supply(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	struct service *service = user;
	const char *trouble =
		((const Bellows__V1__SupplyRequest *)message)->trouble;
	Bellows__V1__Ack ack = BELLOWS__V1__ACK__INIT;

	if (strlen(trouble) >= DRIVER_TROUBLE_MAX) {
		rpc_call_end(call, RPC_INVALID_ARGUMENT,
			     "trouble: at most %d bytes",
			     DRIVER_TROUBLE_MAX - 1);
		return;
	}
	rpc_call_reply(call, &ack.base);
	driver_set_trouble(service->driver, trouble);
}

static void decide_cancel(struct asked *to, const ProtobufCMessage *message)
{
	const Bellows__V1__CancelRequest *request =
		(const Bellows__V1__CancelRequest *)message;
	Bellows__V1__Ack ack = BELLOWS__V1__ACK__INIT;

	driver_cancel(to->service->driver, request->save,
		      *request->reason ? request->reason : "asked to");
	asked_answer(to, &ack.base);
}

static void on_cancel(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	asked_begin(user, call, message, decide_cancel);
}

/* ---- executors ---- */

static void on_job_init(struct rpc_call *call, const ProtobufCMessage *message,
			void *user)
{
	struct service *service = user;
	Bellows__V1__JobInitReply welcome = BELLOWS__V1__JOB_INIT_REPLY__INIT;

	if (job_is_over(driver_job(service->driver))) {
		rpc_call_end(
			call, RPC_FAILED_PRECONDITION, "the job is %s",
			job_state_name(driver_job(service->driver)->state));
		return;
	}
	welcome.job = service->jobfile->name;
	welcome.job_file = service->jobfile->text;
	welcome.dir = (char *)service->jobfile->folder;
	welcome.heartbeat =
		(uint32_t)members_heartbeat(driver_members(service->driver));
	welcome.lease =
		(uint32_t)members_lease(driver_members(service->driver));
	welcome.incarnation = service->incarnation;
	members_on_join(driver_members(service->driver), call,
			(const Bellows__V1__JobInitRequest *)message, &welcome);
}

static void on_report(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	struct service *service = user;

	members_on_report(driver_members(service->driver), call,
			  (const Bellows__V1__Report *)message);
}

static void on_stream_half(struct rpc_call *call, void *user)
{
	rpc_call_end(call, RPC_OK, "");
}

static void on_stream_gone(struct rpc_call *call, void *user)
{
	struct service *service = user;

	members_on_stream_gone(driver_members(service->driver), call);
}

static void on_output(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	output_on_chunk(user, call, (const Bellows__V1__OutputChunk *)message);
}

static void on_output_half(struct rpc_call *call, void *user)
{
	output_on_half(call);
}

static void on_output_gone(struct rpc_call *call, void *user)
{
	output_on_gone(call);
}

static void on_checkpointing(struct rpc_call *call,
			     const ProtobufCMessage *message, void *user)
{
	struct service *service = user;
	const Bellows__V1__CheckpointReport *report =
		(const Bellows__V1__CheckpointReport *)message;
	Bellows__V1__Ack ack = BELLOWS__V1__ACK__INIT;
	struct error err;
	int r = report_check_checkpoint(service->driver, report, &err);

	if (r < 0) {
		log_warn("a verdict is not believed: %s", err.text);
		rpc_call_end(call,
			     r == -ENOENT ? RPC_NOT_FOUND
					  : RPC_PERMISSION_DENIED,
			     "%s", err.text);
		return;
	}
	rpc_call_reply(call, &ack.base);
	driver_on_checkpoint(service->driver, report);
}

static void on_end_exec(struct rpc_call *call, const ProtobufCMessage *message,
			void *user)
{
	struct service *service = user;
	Bellows__V1__Ack ack = BELLOWS__V1__ACK__INIT;

	rpc_call_reply(call, &ack.base);
	members_on_end(driver_members(service->driver),
		       (const Bellows__V1__EndExecRequest *)message);
}

static void on_keys(struct rpc_call *call, const ProtobufCMessage *message,
		    void *user)
{
	struct service *service = user;
	const Bellows__V1__RetrieveKeysRequest *request =
		(const Bellows__V1__RetrieveKeysRequest *)message;
	Bellows__V1__RetrieveKeysReply reply =
		BELLOWS__V1__RETRIEVE_KEYS_REPLY__INIT;
	const struct launcher_keys *keys =
		driver_launcher(service->driver)
			->ops->keys(driver_launcher(service->driver));

	if (!keys) {
		rpc_call_end(call, RPC_FAILED_PRECONDITION,
			     "the stream launcher has no keys");
		return;
	}
	if (members_find(driver_members(service->driver), request->name,
			 request->incarnation) == NO_MEMBER) {
		rpc_call_end(call, RPC_PERMISSION_DENIED,
			     "no member of the job has this name and "
			     "incarnation");
		return;
	}
	if (!request->public_only && !endpoints_keep_secrets(service)) {
		rpc_call_end(call, RPC_FAILED_PRECONDITION,
			     "the private key is not sent over a connection "
			     "that is not encrypted, nor where no token is "
			     "needed; public_only");
		return;
	}
	reply.public_key = (char *)keys->public_key;
	if (!request->public_only) {
		reply.private_key.data = (uint8_t *)keys->private_key;
		reply.private_key.len = strlen(keys->private_key);
	}
	rpc_call_reply(call, &reply.base);
}

/* clang-format off */
const struct rpc_method service_methods[SERVICE_METHODS] = {
	{ CALL_JOB_INIT, RPC_UNARY, &bellows__v1__job_init_request__descriptor,
	  .on_message = on_job_init },
	{ CALL_RETRIEVE_KEYS, RPC_UNARY, &bellows__v1__retrieve_keys_request__descriptor,
	  .on_message = on_keys },
	{ CALL_ACTIVE_SERVER, RPC_BIDI, &bellows__v1__report__descriptor,
	  .on_message = on_report, .on_half = on_stream_half, .on_gone = on_stream_gone },
	{ CALL_OUTPUT, RPC_BIDI, &bellows__v1__output_chunk__descriptor,
	  .on_message = on_output, .on_half = on_output_half, .on_gone = on_output_gone },
	{ CALL_CHECKPOINTING, RPC_UNARY, &bellows__v1__checkpoint_report__descriptor,
	  .on_message = on_checkpointing },
	{ CALL_END_EXEC, RPC_UNARY, &bellows__v1__end_exec_request__descriptor,
	  .on_message = on_end_exec },
	{ CALL_SCALE, RPC_UNARY, &bellows__v1__scale_request__descriptor,
	  .on_message = on_scale, .on_gone = asked_on_gone },
	{ CALL_GRANT, RPC_UNARY, &bellows__v1__grant_request__descriptor,
	  .on_message = on_grant, .on_gone = asked_on_gone },
	{ CALL_SUPPLY, RPC_UNARY, &bellows__v1__supply_request__descriptor,
	  .on_message = on_supply },
	{ CALL_CANCEL, RPC_UNARY, &bellows__v1__cancel_request__descriptor,
	  .on_message = on_cancel, .on_gone = asked_on_gone },
	{ CALL_GET_JOB, RPC_UNARY, &bellows__v1__get_job_request__descriptor,
	  .on_message = on_get },
	{ CALL_WATCH_JOB, RPC_SERVER_STREAM, &bellows__v1__get_job_request__descriptor,
	  .on_message = on_watch, .on_gone = on_watch_gone, .on_writable = on_watch_writable },
	{ CALL_HISTORY, RPC_SERVER_STREAM, &bellows__v1__history_request__descriptor,
	  .on_message = on_history, .on_gone = on_history_gone,
	  .on_writable = on_history_writable },
};
/* clang-format on */
