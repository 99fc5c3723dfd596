/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "rpc/internal.h"

#include <assert.h>
#include <errno.h>
#include <grpc/slice.h>
#include <string.h>

/*
 * One stream of a client
 *
 *     OPEN ---> CUT ---> TOLD
 *       `-----------------^
 *
 * OPEN: messages go both ways.  CUT: it was ended from here, and the status is
 * known but still to be told.  TOLD: on_end() was called; the stream is freed
 * as soon as its last operation has come back.  The status is under way from
 * first to last; gRPC hands it over when all messages were taken.
 */

enum stream_state {
	STREAM_OPEN,
	STREAM_CUT,
	STREAM_TOLD,
};

struct rpc_stream {
	struct errand errand;
	struct rpc *rpc;
	grpc_call *core;
	const ProtobufCMessageDescriptor *descriptor;
	const struct rpc_stream_events *events;
	void *user;

	enum stream_state state;
	struct rpc_op open, send, receive, end;
	struct outbox outbox;
	grpc_byte_buffer *received;
	grpc_metadata_array headers, trailers;
	grpc_status_code code;
	grpc_slice details;
	struct rpc_status status;
	bool is_sending, is_receiving, is_paused;
	bool is_open, is_half, has_sent_half, has_read_all, has_status;
	unsigned n_ops;   /* under way */
	unsigned n_users; /* handlers on the stack */
};

static void start(struct rpc_stream *stream, struct rpc_op *op,
		  const grpc_op *batch, size_t n)
{
	stream->n_ops++;
	rpc_op_start(stream->rpc, op, stream->core, batch, n);
}

static void enter(struct rpc_stream *stream)
{
	stream->n_ops--;
	stream->n_users++;
}

static void leave(struct rpc_stream *stream)
{
	stream->n_users--;
	if (stream->n_ops > 0 || stream->n_users > 0)
		return;
	assert(stream->state == STREAM_TOLD);
	outbox_drop(&stream->outbox);
	grpc_metadata_array_destroy(&stream->headers);
	grpc_metadata_array_destroy(&stream->trailers);
	grpc_call_unref(stream->core);
	free(stream);
}

/* ---- the end ---- */

static void notify_end(struct rpc_stream *stream)
{
	stream->state = STREAM_TOLD;
	list_remove(&stream->errand.link);
	stream->events->on_end(stream->user, &stream->status);
}

/* What was received before the status is told before it. */
static void tell_if_over(struct rpc_stream *stream)
{
	if (stream->has_status && !stream->is_receiving &&
	    stream->state != STREAM_TOLD)
		notify_end(stream);
}

static void cut(struct rpc_stream *stream, enum rpc_code code, const char *text)
{
	if (stream->state != STREAM_OPEN)
		return;
	stream->state = STREAM_CUT;
	stream->status.code = code;
	snprintf(stream->status.message, sizeof(stream->status.message), "%s",
		 text);
	outbox_drop(&stream->outbox);
	grpc_call_cancel(stream->core, NULL);
}

static void abandon(struct errand *errand)
{
	struct rpc_stream *stream =
		CONTAINER(errand, struct rpc_stream, errand);

	cut(stream, RPC_CANCELLED, "cancelled");
	notify_end(stream);
}

static void on_status(void *owner, bool ok)
{
	struct rpc_stream *stream = owner;

	enter(stream);
	stream->has_status = true;
	if (stream->state == STREAM_OPEN)
		status_set(&stream->status, stream->code, stream->details);
	else
		grpc_slice_unref(stream->details);
	tell_if_over(stream);
	leave(stream);
}

/* ---- sending ---- */

static void send_next(struct rpc_stream *stream)
{
	grpc_op batch[2] = {0}, *op = batch;
	grpc_byte_buffer *bytes;

	if (stream->is_sending || stream->state != STREAM_OPEN)
		return;
	bytes = outbox_begin(&stream->outbox);
	if (bytes) {
		op->op = GRPC_OP_SEND_MESSAGE;
		op->data.send_message.send_message = bytes;
		op++;
	}
	if (stream->is_half && !stream->has_sent_half &&
	    outbox_is_empty(&stream->outbox)) {
		op->op = GRPC_OP_SEND_CLOSE_FROM_CLIENT;
		stream->has_sent_half = true;
		op++;
	}
	if (op == batch)
		return;
	stream->is_sending = true;
	start(stream, &stream->send, batch, (size_t)(op - batch));
}

static void on_sent(void *owner, bool ok)
{
	struct rpc_stream *stream = owner;
	bool has_room = false;

	enter(stream);
	stream->is_sending = false;
	if (stream->outbox.is_sending)
		has_room = outbox_end(&stream->outbox);
	if (ok)
		send_next(stream);
	else
		outbox_drop(&stream->outbox); /* the status is on its way */
	if (has_room && ok && stream->state == STREAM_OPEN &&
	    stream->events->on_writable)
		stream->events->on_writable(stream->user);
	leave(stream);
}

/* ---- receiving ---- */

static void receive(struct rpc_stream *stream)
{
	grpc_op batch = {.op = GRPC_OP_RECV_MESSAGE};

	if (stream->is_receiving || stream->is_paused || stream->has_read_all ||
	    stream->state == STREAM_TOLD)
		return;
	batch.data.recv_message.recv_message = &stream->received;
	stream->is_receiving = true;
	start(stream, &stream->receive, &batch, 1);
}

static void tell_open(struct rpc_stream *stream)
{
	if (stream->is_open || stream->state != STREAM_OPEN)
		return;
	stream->is_open = true;
	if (stream->events->on_open)
		stream->events->on_open(stream->user);
}

static void on_headers(void *owner, bool ok)
{
	struct rpc_stream *stream = owner;

	enter(stream);
	for (size_t i = 0; ok && i < stream->headers.count; i++)
		if (grpc_slice_str_cmp(stream->headers.metadata[i].key,
				       RPC_ACCEPTED) == 0)
			tell_open(stream);
	leave(stream);
}

static void take_message(struct rpc_stream *stream, grpc_byte_buffer *bytes)
{
	char text[256];
	ProtobufCMessage *message = message_unpack(bytes, stream->descriptor);

	if (!message) {
		snprintf(text, sizeof(text), "an answer is not a %s",
			 stream->descriptor->name);
		cut(stream, RPC_INTERNAL, text);
		return;
	}
	tell_open(stream);
	if (stream->state == STREAM_OPEN)
		stream->events->on_message(stream->user, message);
	message_destroy(message);
}

static void on_received(void *owner, bool ok)
{
	struct rpc_stream *stream = owner;
	grpc_byte_buffer *bytes = stream->received;

	enter(stream);
	stream->received = NULL;
	stream->is_receiving = false;
	if (!bytes)
		stream->has_read_all = true;
	else if (stream->state == STREAM_OPEN)
		take_message(stream, bytes);
	if (bytes)
		grpc_byte_buffer_destroy(bytes);
	receive(stream);
	tell_if_over(stream);
	leave(stream);
}

/* ---- for the program ---- */

static void start_all(struct rpc_stream *stream, struct rpc_channel *channel,
		      msec_t timeout)
{
	grpc_metadata *headers = channel_headers(channel);
	grpc_op send = {.op = GRPC_OP_SEND_INITIAL_METADATA};
	grpc_op open = {.op = GRPC_OP_RECV_INITIAL_METADATA};
	grpc_op end = {.op = GRPC_OP_RECV_STATUS_ON_CLIENT};

	end.data.recv_status_on_client.trailing_metadata = &stream->trailers;
	end.data.recv_status_on_client.status = &stream->code;
	end.data.recv_status_on_client.status_details = &stream->details;
	start(stream, &stream->end, &end, 1);

	if (timeout > 0)
		send.flags = GRPC_INITIAL_METADATA_WAIT_FOR_READY;
	send.data.send_initial_metadata.metadata = headers;
	send.data.send_initial_metadata.count = channel->n_metadata;
	stream->is_sending = true;
	start(stream, &stream->send, &send, 1);
	channel_headers_free(channel, headers);

	open.data.recv_initial_metadata.recv_initial_metadata =
		&stream->headers;
	start(stream, &stream->open, &open, 1);
	receive(stream);
}

int rpc_stream_open(struct rpc_stream **out, struct rpc_channel *channel,
		    const char *path, const ProtobufCMessage *request,
		    const ProtobufCMessageDescriptor *answer, msec_t timeout,
		    const struct rpc_stream_events *events, void *user,
		    struct error *err)
{
	CLEANUP(free) struct rpc_stream *stream = calloc(1, sizeof(*stream));
	int r = stream ? 0 : -ENOMEM;

	if (stream)
		outbox_init(&stream->outbox);
	if (r == 0 && request)
		r = outbox_add(&stream->outbox, request);
	if (r < 0)
		return error_set(err, r,
				 r == -EMSGSIZE ? "the request is too large"
						: "out of memory");

	stream->rpc = channel->rpc;
	stream->descriptor = answer;
	stream->events = events;
	stream->user = user;
	stream->errand.abandon = abandon;
	stream->open = (struct rpc_op){.fn = on_headers, .owner = stream};
	stream->send = (struct rpc_op){.fn = on_sent, .owner = stream};
	stream->receive = (struct rpc_op){.fn = on_received, .owner = stream};
	stream->end = (struct rpc_op){.fn = on_status, .owner = stream};
	grpc_metadata_array_init(&stream->headers);
	grpc_metadata_array_init(&stream->trailers);
	stream->core = channel_begin(channel, &stream->errand, path, timeout);
	start_all(stream, channel, timeout);

	*out = STEAL(stream);
	return 0;
}

int rpc_stream_send(struct rpc_stream *stream, const ProtobufCMessage *message)
{
	int r;

	assert(!stream->is_half);
	if (stream->state != STREAM_OPEN)
		return 0;
	r = outbox_add(&stream->outbox, message);
	if (r < 0) {
		cut(stream, RPC_RESOURCE_EXHAUSTED,
		    r == -EMSGSIZE ? "a message is too large"
				   : "the server does not read its messages");
		return -ENOBUFS;
	}
	send_next(stream);
	return r;
}

void rpc_stream_half_close(struct rpc_stream *stream)
{
	stream->is_half = true;
	send_next(stream);
}

void rpc_stream_cancel(struct rpc_stream *stream)
{
	cut(stream, RPC_CANCELLED, "cancelled");
}

void rpc_stream_pause(struct rpc_stream *stream, bool paused)
{
	stream->is_paused = paused;
	receive(stream);
}
