/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_RPC_ROOM_H
#define TESTS_UNIT_RPC_ROOM_H

/*
 * A server and a client in one process, on one loop
 *
 * Both sides write what they see into a trace, one word each, and a test waits
 * for a text to appear in it.  What the server does is in the name of its
 * methods: Echo answers, Refuse fails, Ignore never answers, Bloat answers too
 * much, Header and Peer tell what they see of the caller, Count sends as many
 * notes as it was asked for, Wait sends none, Sum adds up, Chat sends back and
 * says what it sees.
 */

#include "proto/descriptors.h"
#include "rpc/client.h"
#include "rpc/server.h"
#include "tests/room.pb-c.h"

#include <errno.h>
#include <grpc/grpc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

typedef Test__Room__Note note_t;

#define NOTE &test__room__note__descriptor

static struct loop *loop;
static struct rpc *rpc;
static struct rpc_server *server;
static struct rpc_channel *channel;
static struct rpc_stream *stream;
static struct rpc_call *held; /* the last call that came */
static struct rpc_status last;
static char trace[8192];
static unsigned n_got; /* notes the client got */
static size_t n_bytes; /* and their bytes */
static const char *awaited;
static const unsigned *counted;
static unsigned count_awaited;

static void look(void)
{
	if (awaited && strstr(trace, awaited))
		loop_stop(loop, 0);
	if (counted && *counted >= count_awaited)
		loop_stop(loop, 0);
}

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	size_t n = strlen(trace);
	va_list args;

	va_start(args, fmt);
	vsnprintf(trace + n, sizeof(trace) - n, fmt, args);
	va_end(args);
	look();
}

static void too_late(void *user)
{
	loop_stop(loop, 1);
}

/* Runs the loop for that long, or until what is awaited came. */
static bool run_for(msec_t time)
{
	struct loop_timer timer = {0};
	int r;

	loop_timer_set(loop, &timer, time, too_late, NULL);
	r = loop_run(loop);
	loop_timer_clear(&timer);
	awaited = NULL;
	counted = NULL;
	return r == 0;
}

/* Runs the loop until the trace has this text. */
static UNUSED bool await(const char *text)
{
	awaited = text;
	if (strstr(trace, text))
		return true;
	if (run_for(SECONDS(10)))
		return true;
	printf("# awaited: %s\n# came: %s\n", text, trace);
	return false;
}

/* Runs the loop until a counter is that high. */
static UNUSED bool await_count(const unsigned *counter, unsigned n)
{
	counted = counter;
	count_awaited = n;
	return *counter >= n || run_for(SECONDS(30));
}

static UNUSED note_t a_note(const char *text)
{
	note_t a = TEST__ROOM__NOTE__INIT;

	a.text = (char *)text;
	return a;
}

static UNUSED note_t big_note(size_t size)
{
	static uint8_t bytes[RPC_MESSAGE_MAX + 1];
	note_t a = TEST__ROOM__NOTE__INIT;

	a.body.data = bytes;
	a.body.len = size;
	return a;
}

/* ---- the server's side ---- */

static void on_echo(struct rpc_call *call, const ProtobufCMessage *message,
		    void *user)
{
	rpc_call_reply(call, message);
}

static void on_refuse(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	rpc_call_end(call, RPC_FAILED_PRECONDITION, "no %s",
		     ((const note_t *)message)->text);
}

static void on_ignore(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	held = call;
	say("ignored ");
}

static void on_bloat(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	note_t a = big_note(RPC_MESSAGE_MAX + 1);

	rpc_call_reply(call, &a.base);
}

static void on_header(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	const char *value =
		rpc_call_metadata(call, ((const note_t *)message)->text);
	note_t a = a_note(value ? value : "none");

	rpc_call_reply(call, &a.base);
}

static void on_peer(struct rpc_call *call, const ProtobufCMessage *message,
		    void *user)
{
	note_t a = a_note(rpc_call_peer(call));

	rpc_call_reply(call, &a.base);
}

static void on_count(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	note_t a = a_note("counted");

	for (; a.number < ((const note_t *)message)->number; a.number++)
		rpc_call_send(call, &a.base);
	rpc_call_end(call, RPC_OK, "%s", "");
}

static void on_add(struct rpc_call *call, const ProtobufCMessage *message,
		   void *user)
{
	uintptr_t sum = (uintptr_t)rpc_call_data(call);

	sum += ((const note_t *)message)->number;
	rpc_call_set_data(call, (void *)sum);
}

static void on_sum(struct rpc_call *call, void *user)
{
	note_t a = a_note("sum");

	a.number = (uint32_t)(uintptr_t)rpc_call_data(call);
	rpc_call_send(call, &a.base);
	rpc_call_end(call, RPC_OK, "%s", "");
}

static void on_chat(struct rpc_call *call, const ProtobufCMessage *message,
		    void *user)
{
	held = call;
	say("heard:%s ", ((const note_t *)message)->text);
	rpc_call_send(call, message);
}

static void on_half(struct rpc_call *call, void *user)
{
	say("half ");
	rpc_call_end(call, RPC_OK, "%s", "");
}

static void on_gone(struct rpc_call *call, void *user)
{
	if (held == call)
		held = NULL;
	say("gone ");
}

static void on_room(struct rpc_call *call, void *user)
{
	say("room ");
}

#define METHOD(name) .path = "/test.room.Room/" name, .request = NOTE

static const struct rpc_method room_methods[] = {
	{METHOD("Echo"), .kind = RPC_UNARY, .on_message = on_echo},
	{METHOD("Refuse"), .kind = RPC_UNARY, .on_message = on_refuse},
	{METHOD("Ignore"), .kind = RPC_UNARY, .on_message = on_ignore,
	 .on_gone = on_gone},
	{METHOD("Bloat"), .kind = RPC_UNARY, .on_message = on_bloat},
	{METHOD("Header"), .kind = RPC_UNARY, .on_message = on_header},
	{METHOD("Peer"), .kind = RPC_UNARY, .on_message = on_peer},
	{METHOD("Count"), .kind = RPC_SERVER_STREAM, .on_message = on_count},
	{METHOD("Wait"), .kind = RPC_SERVER_STREAM, .on_message = on_ignore,
	 .on_half = on_half, .on_gone = on_gone},
	{METHOD("Sum"), .kind = RPC_BIDI, .on_message = on_add,
	 .on_half = on_sum},
	{METHOD("Chat"), .kind = RPC_BIDI, .on_message = on_chat,
	 .on_half = on_half, .on_gone = on_gone, .on_writable = on_room},
};

static const char *const room_services[] = {"test.room.Room"};

static UNUSED struct rpc_server_config room_at(const char *address)
{
	return (struct rpc_server_config){
		.listen = address,
		.methods = room_methods,
		.n_methods = LENGTH(room_methods),
		.services = room_services,
		.n_services = LENGTH(room_services),
		.descriptors = proto_descriptors,
		.descriptors_size = proto_descriptors_size,
	};
}

static UNUSED int serve(struct rpc_server **out, const char *address,
			struct error *err)
{
	const struct rpc_server_config config = room_at(address);

	return rpc_server_create(out, rpc, &config, err);
}

/* ---- the client's side ---- */

static void on_answer(void *user, const struct rpc_status *status,
		      const ProtobufCMessage *answer)
{
	last = *status;
	say("%s%s%s%s ", user ? (char *)user : "", rpc_code_name(status->code),
	    answer ? ":" : "", answer ? ((const note_t *)answer)->text : "");
}

static UNUSED void call_named(const char *method, const char *text,
			      msec_t timeout, const char *name)
{
	note_t a = a_note(text);

	rpc_call_unary(channel, method, &a.base, NOTE, timeout, on_answer,
		       (void *)name);
}

static UNUSED void call(const char *method, const char *text)
{
	call_named(method, text, SECONDS(10), NULL);
}

static void on_note(void *user, const ProtobufCMessage *message)
{
	const note_t *a = (const void *)message;

	n_got++;
	n_bytes += a->body.len;
	if (n_got <= 8)
		say("got:%s ", a->text);
	look();
}

static void on_open(void *user)
{
	say("open ");
}

static void on_end(void *user, const struct rpc_status *status)
{
	last = *status;
	stream = NULL;
	say("end:%s ", rpc_code_name(status->code));
}

static void on_writable(void *user)
{
	say("writable ");
}

static const struct rpc_stream_events stream_events = {
	.on_message = on_note,
	.on_open = on_open,
	.on_end = on_end,
	.on_writable = on_writable,
};

static UNUSED bool open_stream(const char *method, const note_t *request,
			       msec_t timeout)
{
	return rpc_stream_open(&stream, channel, method,
			       request ? &request->base : NULL, NOTE, timeout,
			       &stream_events, NULL, NULL) == 0;
}

static UNUSED int send_note(const char *text)
{
	note_t a = a_note(text);

	return rpc_stream_send(stream, &a.base);
}

/* ---- both ---- */

static UNUSED void forget(void)
{
	trace[0] = '\0';
	n_got = 0;
	n_bytes = 0;
}

/* A server alone. */
static UNUSED bool begin_server(const struct rpc_server_config *config,
				struct error *err)
{
	forget();
	held = NULL;
	stream = NULL;
	return loop_create(&loop, NULL) == 0 &&
	       rpc_create(&rpc, loop, NULL) == 0 &&
	       rpc_server_create(&server, rpc, config, err) == 0;
}

static UNUSED bool begin_at(const char *address)
{
	const struct rpc_server_config config = room_at(address);

	return begin_server(&config, NULL) &&
	       rpc_channel_create(&channel, rpc, rpc_server_address(server),
				  NULL, NULL) == 0;
}

static UNUSED bool begin(void)
{
	return begin_at("127.0.0.1:0");
}

static UNUSED void finish(void)
{
	channel = rpc_channel_destroy(channel);
	server = rpc_server_destroy(server);
	rpc = rpc_destroy(rpc);
	loop = loop_destroy(loop);
}

/*
 * Whether gRPC has ended.  Its threads go on for a moment with connections that
 * failed.  A program that encrypts must not end before them: OpenSSL cleans up
 * at the end, and then forgets what belongs to a thread.
 */
static UNUSED bool grpc_has_ended(void)
{
	for (int i = 0; i < 1000 && grpc_is_initialized(); i++)
		usleep(10000);
	return !grpc_is_initialized();
}

#endif
