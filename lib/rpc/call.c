/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "rpc/internal.h"
#include "rpc/server.h"

#include <assert.h>
#include <errno.h>
#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <stdarg.h>
#include <string.h>

/*
 * One call of a client
 *
 *     OPEN ---> ENDING ---> ENDED ---> OVER
 *       `---------'-----------'---------^
 *
 * OPEN: messages go both ways.  ENDING: the status waits behind what is queued.
 * ENDED: the status is on its way.  OVER: gRPC has done with the call, and it
 * is freed as soon as its last operation has come back.  At most one operation
 * of a kind is under way; RECV_CLOSE_ON_SERVER is from first to last and is
 * what tells OVER.
 */

enum call_state {
	CALL_OPEN,
	CALL_ENDING,
	CALL_ENDED,
	CALL_OVER,
};

struct header {
	char *key, *value;
};

struct rpc_call {
	struct rpc_server *server;
	struct list link; /* of server->calls, and ->leaving after on_gone() */
	grpc_call *core;
	const struct rpc_method *method; /* NULL: nothing to call back */
	enum rpc_kind kind;
	void *user;
	void *data;
	char *peer;
	struct connection_ref connection;
	struct header *headers;
	size_t n_headers;

	enum call_state state;
	struct rpc_status status;
	struct rpc_op send, receive, over;
	struct outbox outbox;
	grpc_byte_buffer *received;
	int is_cancelled;
	bool is_sending, is_receiving, is_paused;
	bool has_sent_headers, has_request, has_half;
	unsigned n_ops;   /* under way */
	unsigned n_users; /* handlers on the stack */
};

/* ---- operations ---- */

static void start(struct rpc_call *call, struct rpc_op *op,
		  const grpc_op *batch, size_t n)
{
	call->n_ops++;
	rpc_op_start(call->server->rpc, op, call->core, batch, n);
}

static void enter(struct rpc_call *call)
{
	call->n_ops--;
	call->n_users++;
}

static void call_free(struct rpc_call *call)
{
	struct rpc_server *server = call->server;

	list_remove(&call->link);
	outbox_drop(&call->outbox);
	for (size_t i = 0; i < call->n_headers; i++) {
		gpr_free(call->headers[i].key);
		gpr_free(call->headers[i].value);
	}
	free(call->headers);
	gpr_free(call->peer);
	free(call);
	server_release(server);
}

/* gRPC's part goes first: a server destroyed by a handler waits for it. */
static void settle(struct rpc_call *call)
{
	if (call->n_ops > 0)
		return;
	if (call->core) {
		grpc_call_unref(call->core);
		call->core = NULL;
	}
	if (call->n_users == 0)
		call_free(call);
}

static void leave(struct rpc_call *call)
{
	call->n_users--;
	settle(call);
}

static void gone(struct rpc_call *call)
{
	const struct rpc_method *method = call->method;

	call->method = NULL;
	list_remove(&call->link);
	list_append(&call->server->leaving, &call->link);
	if (method && method->on_gone)
		method->on_gone(call, call->user);
}

/* ---- sending ---- */

static void send_next(struct rpc_call *call)
{
	grpc_metadata accepted;
	grpc_op batch[3] = {0}, *op = batch;
	grpc_byte_buffer *bytes;
	grpc_slice text;
	bool ends;

	if (call->is_sending || call->state >= CALL_ENDED)
		return;
	bytes = outbox_begin(&call->outbox);
	ends = call->state == CALL_ENDING && outbox_is_empty(&call->outbox);
	if (!bytes && !ends &&
	    (call->has_sent_headers || call->kind == RPC_UNARY))
		return;

	if (!call->has_sent_headers) {
		accepted.key = grpc_slice_from_static_string(RPC_ACCEPTED);
		accepted.value = grpc_slice_from_static_string("1");
		op->op = GRPC_OP_SEND_INITIAL_METADATA;
		op->data.send_initial_metadata.metadata = &accepted;
		op->data.send_initial_metadata.count = call->kind != RPC_UNARY;
		call->has_sent_headers = true;
		op++;
	}
	if (bytes) {
		op->op = GRPC_OP_SEND_MESSAGE;
		op->data.send_message.send_message = bytes;
		op++;
	}
	text = grpc_slice_from_copied_string(call->status.message);
	if (ends) {
		op->op = GRPC_OP_SEND_STATUS_FROM_SERVER;
		op->data.send_status_from_server.status =
			(grpc_status_code)call->status.code;
		if (call->status.message[0])
			op->data.send_status_from_server.status_details = &text;
		call->state = CALL_ENDED;
		op++;
	}
	call->is_sending = true;
	start(call, &call->send, batch, (size_t)(op - batch));
	grpc_slice_unref(text);
}

static void on_sent(void *owner, bool ok)
{
	struct rpc_call *call = owner;
	bool has_room = false;

	enter(call);
	call->is_sending = false;
	if (call->outbox.is_sending)
		has_room = outbox_end(&call->outbox);
	if (!ok && call->state < CALL_ENDED)
		call->state = CALL_ENDED; /* the peer is gone */
	if (call->state >= CALL_ENDED)
		outbox_drop(&call->outbox);
	send_next(call);
	if (has_room && call->state == CALL_OPEN && call->method->on_writable)
		call->method->on_writable(call, call->user);
	leave(call);
}

static void finish(struct rpc_call *call, enum rpc_code code)
{
	call->status.code = code;
	call->state = CALL_ENDING;
	send_next(call);
}

/* Ends the call at once, before what is queued. */
static void cut(struct rpc_call *call, enum rpc_code code, const char *text)
{
	call->state = CALL_ENDED;
	outbox_drop(&call->outbox);
	grpc_call_cancel_with_status(call->core, (grpc_status_code)code, text,
				     NULL);
}

/* ---- receiving ---- */

static void receive(struct rpc_call *call)
{
	grpc_op batch = {.op = GRPC_OP_RECV_MESSAGE};

	if (call->is_receiving || call->is_paused || call->has_half ||
	    call->state != CALL_OPEN ||
	    (call->kind == RPC_UNARY && call->has_request))
		return;
	batch.data.recv_message.recv_message = &call->received;
	call->is_receiving = true;
	start(call, &call->receive, &batch, 1);
}

static void take_message(struct rpc_call *call, grpc_byte_buffer *bytes)
{
	const struct rpc_method *method = call->method;
	ProtobufCMessage *message;

	if (call->has_request && call->kind != RPC_BIDI) {
		rpc_call_end(call, RPC_INVALID_ARGUMENT, "%s takes one message",
			     method->path);
		return;
	}
	call->has_request = true;
	message = message_unpack(bytes, method->request);
	if (!message) {
		rpc_call_end(call, RPC_INVALID_ARGUMENT, "not a %s",
			     method->request->name);
		return;
	}
	method->on_message(call, message, call->user);
	message_destroy(message);
}

static void take_half(struct rpc_call *call)
{
	call->has_half = true;
	if (!call->has_request && call->kind != RPC_BIDI)
		rpc_call_end(call, RPC_INVALID_ARGUMENT, "%s takes one message",
			     call->method->path);
	else if (call->method->on_half)
		call->method->on_half(call, call->user);
}

static void on_received(void *owner, bool ok)
{
	struct rpc_call *call = owner;
	grpc_byte_buffer *bytes = call->received;

	enter(call);
	call->received = NULL;
	call->is_receiving = false;
	if (call->state == CALL_OPEN && bytes)
		take_message(call, bytes);
	/* A client that vanished has not said that it will send no more. */
	else if (call->state == CALL_OPEN && ok &&
		 !grpc_call_failed_before_recv_message(call->core))
		take_half(call);
	else
		call->has_half = true;
	if (bytes)
		grpc_byte_buffer_destroy(bytes);
	receive(call);
	leave(call);
}

/* ---- life ---- */

static void on_over(void *owner, bool ok)
{
	struct rpc_call *call = owner;

	enter(call);
	connections_on_over(&call->connection);
	call->state = CALL_OVER;
	outbox_drop(&call->outbox);
	gone(call);
	leave(call);
}

static int copy_headers(struct rpc_call *call, const grpc_metadata_array *from)
{
	call->headers = calloc(from->count + 1, sizeof(*call->headers));
	if (!call->headers)
		return -ENOMEM;
	for (size_t i = 0; i < from->count; i++) {
		const grpc_metadata *item = &from->metadata[i];

		call->headers[i].key = grpc_slice_to_c_string(item->key);
		call->headers[i].value = grpc_slice_to_c_string(item->value);
	}
	call->n_headers = from->count;
	return 0;
}

void call_create(struct rpc_server *server, const struct incoming *in)
{
	struct rpc_call *call = calloc(1, sizeof(*call));
	grpc_op batch = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER};

	if (!call || copy_headers(call, in->headers) < 0) {
		free(call);
		grpc_call_unref(in->core);
		return;
	}
	call->server = server;
	call->core = in->core;
	call->method = in->method;
	call->kind = in->method ? in->method->kind : RPC_UNARY;
	call->user = in->user;
	call->send =
		(struct rpc_op){.fn = on_sent, .owner = call, .group = server};
	call->receive = (struct rpc_op){
		.fn = on_received, .owner = call, .group = server};
	call->over =
		(struct rpc_op){.fn = on_over, .owner = call, .group = server};
	outbox_init(&call->outbox);
	call->peer = grpc_call_get_peer(in->core);
	call->connection = connections_on_call(call->peer, in->is_let_in);
	list_append(&server->calls, &call->link);
	server->holds++;

	batch.data.recv_close_on_server.cancelled = &call->is_cancelled;
	start(call, &call->over, &batch, 1);
	if (!in->method)
		rpc_call_end(call, in->refusal, "%s", in->why);
	send_next(call);
	receive(call);
}

void call_end_all(struct rpc_server *server)
{
	list_for_each (at, &server->calls)
		rpc_call_end(CONTAINER(at, struct rpc_call, link),
			     RPC_UNAVAILABLE, RPC_LEAVING);
	while (!list_is_empty(&server->calls))
		gone(CONTAINER(server->calls.next, struct rpc_call, link));
}

void call_cut_all(struct rpc_server *server)
{
	list_for_each (at, &server->leaving) {
		struct rpc_call *call = CONTAINER(at, struct rpc_call, link);

		if (call->core)
			cut(call, RPC_UNAVAILABLE, RPC_LEAVING);
	}
}

/* ---- for the program ---- */

void rpc_call_reply(struct rpc_call *call, const ProtobufCMessage *answer)
{
	if (call->state != CALL_OPEN)
		return;
	if (outbox_add(&call->outbox, answer) < 0)
		rpc_call_end(call, RPC_RESOURCE_EXHAUSTED,
			     "the answer is larger than %u bytes",
			     RPC_MESSAGE_MAX);
	else
		finish(call, RPC_OK);
}

int rpc_call_send(struct rpc_call *call, const ProtobufCMessage *answer)
{
	int r;

	assert(call->kind != RPC_UNARY);
	if (call->state != CALL_OPEN)
		return 0;
	r = outbox_add(&call->outbox, answer);
	if (r < 0) {
		cut(call, RPC_RESOURCE_EXHAUSTED,
		    r == -EMSGSIZE ? "an answer is too large"
				   : "the client does not read its answers");
		return -ENOBUFS;
	}
	send_next(call);
	return r;
}

void rpc_call_end(struct rpc_call *call, enum rpc_code code, const char *fmt,
		  ...)
{
	va_list args;

	if (call->state != CALL_OPEN)
		return;
	va_start(args, fmt);
	vsnprintf(call->status.message, sizeof(call->status.message), fmt,
		  args);
	va_end(args);
	finish(call, code);
}

void rpc_call_pause(struct rpc_call *call, bool paused)
{
	call->is_paused = paused;
	receive(call);
}

void rpc_call_set_data(struct rpc_call *call, void *data)
{
	call->data = data;
}

void *rpc_call_data(const struct rpc_call *call)
{
	return call->data;
}

const char *rpc_call_peer(const struct rpc_call *call)
{
	return call->peer;
}

const char *rpc_call_metadata(const struct rpc_call *call, const char *key)
{
	for (size_t i = 0; i < call->n_headers; i++)
		if (strcmp(call->headers[i].key, key) == 0)
			return call->headers[i].value;
	return NULL;
}
