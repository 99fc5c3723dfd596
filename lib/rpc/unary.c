/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "rpc/internal.h"

#include <errno.h>
#include <grpc/slice.h>
#include <string.h>

/*
 * One batch from the request to the status; the owner may be gone before
 *
 * A call waits for its connection, and so its end by a deadline does not tell
 * why there was none: that is asked for by a second call, which does not wait.
 */

/* What that one asks for, and how long it may take. */
#define WHY          "/grpc.health.v1.Health/Check"
#define WHY_PATIENCE MSEC(300)

struct unary {
	struct errand errand;
	struct rpc_op op;
	grpc_call *core;
	const ProtobufCMessageDescriptor *descriptor;
	rpc_answer_f fn; /* NULL: was told */
	void *user;
	grpc_byte_buffer *request, *answer;
	grpc_metadata_array headers, trailers;
	grpc_status_code code;
	grpc_slice details;
	bool is_asking_why;
};

static void notify_answer(struct unary *unary, const struct rpc_status *status,
			  const ProtobufCMessage *answer)
{
	rpc_answer_f fn = unary->fn;

	list_remove(&unary->errand.link);
	unary->fn = NULL;
	if (fn)
		fn(unary->user, status, answer);
}

static void abandon(struct errand *errand)
{
	const struct rpc_status status = {RPC_CANCELLED, "cancelled"};
	struct unary *unary = CONTAINER(errand, struct unary, errand);

	grpc_call_cancel(unary->core, NULL);
	notify_answer(unary, &status, NULL);
}

static void unary_free(struct unary *unary)
{
	grpc_metadata_array_destroy(&unary->headers);
	grpc_metadata_array_destroy(&unary->trailers);
	if (unary->request)
		grpc_byte_buffer_destroy(unary->request);
	if (unary->answer)
		grpc_byte_buffer_destroy(unary->answer);
	grpc_call_unref(unary->core);
	free(unary);
}

static bool is_disconnected(const struct unary *unary)
{
	const struct rpc_channel *channel = unary->errand.channel;

	return unary->fn && !unary->is_asking_why &&
	       unary->code == GRPC_STATUS_DEADLINE_EXCEEDED &&
	       grpc_channel_check_connectivity_state(channel->core, 0) !=
		       GRPC_CHANNEL_READY;
}

static void start(struct unary *unary);

static void ask_why(struct unary *unary)
{
	struct rpc_channel *channel = unary->errand.channel;
	grpc_slice method = grpc_slice_from_static_string(WHY);

	unary->is_asking_why = true;
	grpc_slice_unref(unary->details);
	grpc_metadata_array_destroy(&unary->headers);
	grpc_metadata_array_destroy(&unary->trailers);
	grpc_metadata_array_init(&unary->headers);
	grpc_metadata_array_init(&unary->trailers);
	if (unary->request)
		grpc_byte_buffer_destroy(unary->request);
	unary->request = grpc_raw_byte_buffer_create(NULL, 0);
	grpc_call_unref(unary->core);
	unary->core = grpc_channel_create_call(
		channel->core, NULL, GRPC_PROPAGATE_DEFAULTS,
		channel->rpc->queue, method, NULL, rpc_deadline(WHY_PATIENCE),
		NULL);
	start(unary);
}

/* The status of the first call, with the cause that the second one has found.
 * A time-out of the second one tells nothing more. */
static void set_why(struct unary *unary, struct rpc_status *status)
{
	if (status->code == RPC_UNAVAILABLE &&
	    !strstr(status->message, "timed out"))
		return;
	status->code = RPC_DEADLINE_EXCEEDED;
	strcpy(status->message, "Deadline Exceeded");
}

static void on_done(void *owner, bool ok)
{
	struct unary *unary = owner;
	ProtobufCMessage *answer = NULL;
	struct rpc_status status;

	if (is_disconnected(unary)) {
		ask_why(unary);
		return;
	}
	status_set(&status, unary->code, unary->details);
	if (unary->is_asking_why)
		set_why(unary, &status);
	if (status.code == RPC_OK && unary->answer)
		answer = message_unpack(unary->answer, unary->descriptor);
	if (status.code == RPC_OK && !answer) {
		status.code = RPC_INTERNAL;
		snprintf(status.message, sizeof(status.message),
			 "the answer is not a %s", unary->descriptor->name);
	}
	notify_answer(unary, &status, answer);
	message_destroy(answer);
	unary_free(unary);
}

static void start(struct unary *unary)
{
	struct rpc_channel *channel = unary->errand.channel;
	grpc_metadata *headers = channel_headers(channel);
	grpc_op batch[6] = {0};

	batch[0].op = GRPC_OP_SEND_INITIAL_METADATA;
	if (!unary->is_asking_why)
		batch[0].flags = GRPC_INITIAL_METADATA_WAIT_FOR_READY;
	batch[0].data.send_initial_metadata.metadata = headers;
	batch[0].data.send_initial_metadata.count = channel->n_metadata;
	batch[1].op = GRPC_OP_SEND_MESSAGE;
	batch[1].data.send_message.send_message = unary->request;
	batch[2].op = GRPC_OP_SEND_CLOSE_FROM_CLIENT;
	batch[3].op = GRPC_OP_RECV_INITIAL_METADATA;
	batch[3].data.recv_initial_metadata.recv_initial_metadata =
		&unary->headers;
	batch[4].op = GRPC_OP_RECV_MESSAGE;
	batch[4].data.recv_message.recv_message = &unary->answer;
	batch[5].op = GRPC_OP_RECV_STATUS_ON_CLIENT;
	batch[5].data.recv_status_on_client.trailing_metadata =
		&unary->trailers;
	batch[5].data.recv_status_on_client.status = &unary->code;
	batch[5].data.recv_status_on_client.status_details = &unary->details;
	rpc_op_start(channel->rpc, &unary->op, unary->core, batch,
		     LENGTH(batch));
	channel_headers_free(channel, headers);
}

void rpc_call_unary(struct rpc_channel *channel, const char *path,
		    const ProtobufCMessage *request,
		    const ProtobufCMessageDescriptor *answer, msec_t timeout,
		    rpc_answer_f fn, void *user)
{
	struct unary *unary = calloc(1, sizeof(*unary));

	if (!unary)
		abort(); /* as gRPC does without memory */

	unary->errand.abandon = abandon;
	unary->op = (struct rpc_op){.fn = on_done, .owner = unary};
	unary->descriptor = answer;
	unary->fn = fn;
	unary->user = user;
	grpc_metadata_array_init(&unary->headers);
	grpc_metadata_array_init(&unary->trailers);
	unary->core = channel_begin(channel, &unary->errand, path, timeout);
	if (message_pack(&unary->request, request) == 0) {
		start(unary);
		return;
	}
	unary->code = GRPC_STATUS_RESOURCE_EXHAUSTED;
	unary->details =
		grpc_slice_from_static_string("the request is too large");
	rpc_op_post(channel->rpc, &unary->op);
}
