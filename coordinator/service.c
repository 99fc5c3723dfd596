/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "coordinator/claims.h"
#include "coordinator/coordinator.h"
#include "coordinator/doors.h"
#include "coordinator/mpiexec.h"
#include "coordinator/scale.h"

#include <errno.h>
#include <string.h>

/*
 * bellows.v1.Coordinator: what is asked from outside, turned into events, and
 * the job as it is shown
 */

/* ---- the job, as a message ---- */

Bellows__V1__State service_state(enum job_state state)
{
	static const Bellows__V1__State states[] = {
		[JOB_WAITING] = BELLOWS__V1__STATE__WAITING,
		[JOB_STARTING] = BELLOWS__V1__STATE__STARTING,
		[JOB_RESUMING] = BELLOWS__V1__STATE__RESUMING,
		[JOB_RUNNING] = BELLOWS__V1__STATE__RUNNING,
		[JOB_GROWING] = BELLOWS__V1__STATE__GROWING,
		[JOB_PREPARING] = BELLOWS__V1__STATE__PREPARING,
		[JOB_SAVING] = BELLOWS__V1__STATE__SAVING,
		[JOB_STOPPING] = BELLOWS__V1__STATE__STOPPING,
		[JOB_DONE] = BELLOWS__V1__STATE__DONE,
		[JOB_FAILED] = BELLOWS__V1__STATE__FAILED,
		[JOB_CANCELLED] = BELLOWS__V1__STATE__CANCELLED,
		[JOB_SUSPENDED] = BELLOWS__V1__STATE__SUSPENDED,
	};

	return states[state];
}

static int fill_members(struct coordinator *c, Bellows__V1__Job *out)
{
	const struct ledger *ledger = members_ledger(c->members);
	msec_t now = loop_now();

	out->members = calloc((size_t)ledger->n + 1, sizeof(*out->members));
	if (!out->members)
		return -ENOMEM;
	for (int i = 0; i < ledger->n; i++) {
		const struct member *m = &ledger->members[i];
		Bellows__V1__Member *to;

		if (!member_is_alive(m))
			continue;
		to = malloc(sizeof(*to));
		if (!to)
			return -ENOMEM;
		bellows__v1__member__init(to);
		to->name = (char *)m->name;
		to->address = (char *)m->address;
		to->slots = m->slots;
		to->ranks = m->ranks;
		to->state = (char *)member_state_name(m->state);
		to->heard = (uint32_t)(now - m->heard);
		out->members[out->n_members++] = to;
	}
	return 0;
}

static int fill(struct coordinator *c, Bellows__V1__Job *out)
{
	msec_t now = loop_now();

	bellows__v1__job__init(out);
	out->name = c->jobfile->name;
	out->incarnation = c->incarnation;
	out->state = service_state(c->job.state);
	out->reason = c->reason;
	out->size = c->job.size;
	out->target = c->job.target;
	out->min = c->jobfile->ranks.min;
	out->max = c->jobfile->ranks.max;
	out->epoch = c->job.epoch;
	out->progress = history_progress(&c->history);
	out->step = c->history.step;
	out->age = (uint64_t)(now - c->history.began);
	out->eta = history_eta(&c->history, now);
	out->executors_wanted = coordinator_executors_wanted(c);
	out->rescales = c->history.rescales_done;
	out->exit_code = c->exit_code;
	out->unit = (char *)jobfile_unit(c->jobfile);
	out->trouble = c->trouble;
	out->disk = (char *)disk_trouble(c->storage.disk);
	if (c->now)
		out->network = (char *)mpiexec_network(
			c->jobfile, members_ledger(c->members),
			launch_layout(c->now));
	if (fill_members(c, out) < 0)
		return -ENOMEM;
	return history_fill(&c->history, out);
}

static void unfill(Bellows__V1__Job *job)
{
	for (size_t i = 0; i < job->n_members; i++)
		free(job->members[i]);
	free(job->members);
	history_unfill(job);
}

/* ---- watching ---- */

struct watcher {
	struct list link;
	struct rpc_call *call;
	bool full; /* slow: it gets the newest once it has room */
};

static void send_job(struct coordinator *c, struct watcher *watcher)
{
	Bellows__V1__Job job;

	if (watcher->full)
		return;
	if (fill(c, &job) == 0)
		watcher->full = rpc_call_send(watcher->call, &job.base) > 0;
	unfill(&job);
}

static void publish(void *user)
{
	struct coordinator *c = user;

	list_for_each (at, &c->watchers)
		send_job(c, CONTAINER(at, struct watcher, link));
}

void service_publish(struct coordinator *c, enum publish within)
{
	if (within == PUBLISH_NOW) {
		loop_timer_clear(&c->publish);
		publish(c);
	} else if (!loop_timer_is_set(&c->publish) ||
		   c->publish.at > loop_now() + (msec_t)within) {
		loop_timer_set(c->loop, &c->publish, within, publish, c);
	}
}

void service_finish(struct coordinator *c)
{
	publish(c);
	list_for_each (at, &c->watchers)
		rpc_call_end(CONTAINER(at, struct watcher, link)->call, RPC_OK,
			     "");
}

static void on_watch(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	struct coordinator *c = user;
	struct watcher *watcher = calloc(1, sizeof(*watcher));

	if (!watcher) {
		rpc_call_end(call, RPC_RESOURCE_EXHAUSTED, "out of memory");
		return;
	}
	watcher->call = call;
	list_append(&c->watchers, &watcher->link);
	rpc_call_set_data(call, watcher);
	send_job(c, watcher);
}

static void on_watch_gone(struct rpc_call *call, void *user)
{
	struct watcher *watcher = rpc_call_data(call);

	if (!watcher)
		return;
	list_remove(&watcher->link);
	free(watcher);
}

static void on_watch_writable(struct rpc_call *call, void *user)
{
	struct watcher *watcher = rpc_call_data(call);

	watcher->full = false;
	send_job(user, watcher);
}

static void on_get(struct rpc_call *call, const ProtobufCMessage *message,
		   void *user)
{
	Bellows__V1__Job job;

	if (fill(user, &job) == 0)
		rpc_call_reply(call, &job.base);
	else
		rpc_call_end(call, RPC_RESOURCE_EXHAUSTED, "out of memory");
	unfill(&job);
}

/* ---- scaling ---- */

static bool is_repeated(const struct coordinator *c,
			const Bellows__V1__ScaleRequest *request)
{
	return *request->request_id &&
	       strcmp(request->request_id, c->request.id) == 0;
}

static void on_scale(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	struct coordinator *c = user;
	const Bellows__V1__ScaleRequest *request =
		(const Bellows__V1__ScaleRequest *)message;
	Bellows__V1__ScaleReply reply = BELLOWS__V1__SCALE_REPLY__INIT;
	bool is_delta =
		request->size_case == BELLOWS__V1__SCALE_REQUEST__SIZE_DELTA;
	int64_t ranks = is_delta ? (int64_t)c->job.size + request->delta
				 : request->ranks;
	struct error err;

	if (request->size_case == BELLOWS__V1__SCALE_REQUEST__SIZE__NOT_SET) {
		rpc_call_end(call, RPC_INVALID_ARGUMENT,
			     "size: ranks or delta must be set");
		return;
	}
	if (strlen(request->request_id) >= sizeof(c->request.id)) {
		rpc_call_end(call, RPC_INVALID_ARGUMENT,
			     "request_id: at most %zu bytes",
			     sizeof(c->request.id) - 1);
		return;
	}
	if (is_repeated(c, request)) {
		reply.accepted = true;
		reply.from = c->request.from;
		reply.to = c->request.to;
	} else if (scale_check(c, ranks, &err) < 0) {
		reply.reason = err.text;
		reply.from = reply.to = c->job.size;
		scale_declined(c, ranks, err.text);
	} else {
		reply.accepted = true;
		reply.from = c->request.from = c->job.size;
		reply.to = c->request.to = (uint32_t)ranks;
		snprintf(c->request.id, sizeof(c->request.id), "%s",
			 request->request_id);
		record_request(c);
		scale_begin(c, reply.to, request->deadline, request->reason);
	}
	/* who is told so can rely on it */
	rpc_call_reply(call, &reply.base);
}

static void on_supply(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	struct coordinator *c = user;
	const char *trouble =
		((const Bellows__V1__SupplyRequest *)message)->trouble;
	Bellows__V1__Ack ack = BELLOWS__V1__ACK__INIT;

	if (strlen(trouble) >= sizeof(c->trouble)) {
		rpc_call_end(call, RPC_INVALID_ARGUMENT,
			     "trouble: at most %zu bytes",
			     sizeof(c->trouble) - 1);
		return;
	}
	rpc_call_reply(call, &ack.base);
	if (strcmp(c->trouble, trouble) == 0)
		return;
	snprintf(c->trouble, sizeof(c->trouble), "%s", trouble);
	log_info("trouble=\"%s\"", c->trouble);
	service_publish(c, PUBLISH_SOON);
}

static void on_cancel(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	const Bellows__V1__CancelRequest *request =
		(const Bellows__V1__CancelRequest *)message;
	Bellows__V1__Ack ack = BELLOWS__V1__ACK__INIT;

	rpc_call_reply(call, &ack.base);
	coordinator_event(user, request->save ? JOB_EV_SUSPEND : JOB_EV_CANCEL,
			  0, 0,
			  *request->reason ? request->reason : "asked to");
}

/* ---- executors ---- */

static void on_job_init(struct rpc_call *call, const ProtobufCMessage *message,
			void *user)
{
	struct coordinator *c = user;
	Bellows__V1__JobInitReply welcome = BELLOWS__V1__JOB_INIT_REPLY__INIT;

	if (job_is_over(&c->job)) {
		rpc_call_end(call, RPC_FAILED_PRECONDITION, "the job is %s",
			     job_state_name(c->job.state));
		return;
	}
	welcome.job = c->jobfile->name;
	welcome.job_file = c->jobfile->text;
	welcome.dir = (char *)c->jobfile->folder;
	welcome.heartbeat = (uint32_t)members_heartbeat(c->members);
	welcome.lease = (uint32_t)members_lease(c->members);
	welcome.incarnation = c->incarnation;
	members_on_join(c->members, call,
			(const Bellows__V1__JobInitRequest *)message, &welcome);
}

static void on_report(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	struct coordinator *c = user;

	members_on_report(c->members, call,
			  (const Bellows__V1__Report *)message);
}

static void on_stream_half(struct rpc_call *call, void *user)
{
	rpc_call_end(call, RPC_OK, "");
}

static void on_stream_gone(struct rpc_call *call, void *user)
{
	struct coordinator *c = user;

	members_on_stream_gone(c->members, call);
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
	output_on_gone(user, call);
}

static void on_checkpointing(struct rpc_call *call,
			     const ProtobufCMessage *message, void *user)
{
	const Bellows__V1__CheckpointReport *report =
		(const Bellows__V1__CheckpointReport *)message;
	Bellows__V1__Ack ack = BELLOWS__V1__ACK__INIT;
	struct error err;
	int r = claims_check_verdict(user, report, &err);

	if (r < 0) {
		log_warn("a verdict is not believed: %s", err.text);
		rpc_call_end(call,
			     r == -ENOENT ? RPC_NOT_FOUND
					  : RPC_PERMISSION_DENIED,
			     "%s", err.text);
		return;
	}
	rpc_call_reply(call, &ack.base);
	coordinator_on_checkpoint(user, report);
}

static void on_end_exec(struct rpc_call *call, const ProtobufCMessage *message,
			void *user)
{
	struct coordinator *c = user;
	Bellows__V1__Ack ack = BELLOWS__V1__ACK__INIT;

	rpc_call_reply(call, &ack.base);
	members_on_end(c->members,
		       (const Bellows__V1__EndExecRequest *)message);
}

static void on_keys(struct rpc_call *call, const ProtobufCMessage *message,
		    void *user)
{
	struct coordinator *c = user;
	const Bellows__V1__RetrieveKeysRequest *request =
		(const Bellows__V1__RetrieveKeysRequest *)message;
	Bellows__V1__RetrieveKeysReply reply =
		BELLOWS__V1__RETRIEVE_KEYS_REPLY__INIT;
	const struct launcher_keys *keys = c->launcher->ops->keys(c->launcher);

	if (!keys) {
		rpc_call_end(call, RPC_FAILED_PRECONDITION,
			     "the stream launcher has no keys");
		return;
	}
	if (members_find(c->members, request->name, request->incarnation) ==
	    NO_MEMBER) {
		rpc_call_end(call, RPC_PERMISSION_DENIED,
			     "no member of the job has this name and "
			     "incarnation");
		return;
	}
	if (!request->public_only && !doors_keep_secrets(c)) {
		rpc_call_end(
			call, RPC_FAILED_PRECONDITION,
			"the private key is not sent over a connection "
			"that is not encrypted, nor to who needs no token; "
			"public_only");
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
#define PATH(call) "/bellows.v1.Coordinator/" call
const struct rpc_method service_methods[SERVICE_METHODS] = {
	{ PATH("JobInit"), RPC_UNARY, &bellows__v1__job_init_request__descriptor,
	  .on_message = on_job_init },
	{ PATH("RetrieveKeys"), RPC_UNARY, &bellows__v1__retrieve_keys_request__descriptor,
	  .on_message = on_keys },
	{ PATH("ActiveServer"), RPC_BIDI, &bellows__v1__report__descriptor,
	  .on_message = on_report, .on_half = on_stream_half, .on_gone = on_stream_gone },
	{ PATH("Output"), RPC_BIDI, &bellows__v1__output_chunk__descriptor,
	  .on_message = on_output, .on_half = on_output_half, .on_gone = on_output_gone },
	{ PATH("Checkpointing"), RPC_UNARY, &bellows__v1__checkpoint_report__descriptor,
	  .on_message = on_checkpointing },
	{ PATH("EndExec"), RPC_UNARY, &bellows__v1__end_exec_request__descriptor,
	  .on_message = on_end_exec },
	{ PATH("Scale"), RPC_UNARY, &bellows__v1__scale_request__descriptor,
	  .on_message = on_scale },
	{ PATH("Supply"), RPC_UNARY, &bellows__v1__supply_request__descriptor,
	  .on_message = on_supply },
	{ PATH("Cancel"), RPC_UNARY, &bellows__v1__cancel_request__descriptor,
	  .on_message = on_cancel },
	{ PATH("GetJob"), RPC_UNARY, &bellows__v1__get_job_request__descriptor,
	  .on_message = on_get },
	{ PATH("WatchJob"), RPC_SERVER_STREAM, &bellows__v1__get_job_request__descriptor,
	  .on_message = on_watch, .on_gone = on_watch_gone, .on_writable = on_watch_writable },
};
#undef PATH
/* clang-format on */
