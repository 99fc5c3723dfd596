/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/unit/rpc_room.h"

#define CHAT "/test.room.Room/Chat"

enum { BIG = 256 << 10 };

static bool begin_chat(void)
{
	note_t hello = a_note("hello");

	return begin() && open_stream(CHAT, &hello, 0) && await("got:hello ");
}

/* Sends until told to hold back; returns how many were queued. */
static unsigned fill_call(struct rpc_call *call)
{
	note_t big = big_note(BIG);
	unsigned n = 1;

	while (n < 1000 && rpc_call_send(call, &big.base) == 0)
		n++;
	return n;
}

static unsigned fill_stream(void)
{
	note_t big = big_note(BIG);
	unsigned n = 1;

	while (n < 1000 && rpc_stream_send(stream, &big.base) == 0)
		n++;
	return n;
}

static void a_client_that_pauses_holds_the_server_back(void)
{
	unsigned n;

	CHECK(begin_chat());
	rpc_stream_pause(stream, true);
	n = fill_call(held);
	CHECK(n > 8 && n < 100);
	run_for(300);
	CHECK(n_got <= 2);
	CHECK(!strstr(trace, "room "));
	rpc_stream_pause(stream, false);
	CHECK(await("room "));
	CHECK(await_count(&n_got, n + 1));
	CHECK(n_bytes == (size_t)n * BIG);
	finish();
}

static void a_client_that_never_reads_is_cut_off(void)
{
	note_t big = big_note(BIG);
	int r = 0;

	CHECK(begin_chat());
	rpc_stream_pause(stream, true);
	for (int i = 0; i < 100 && r >= 0; i++)
		r = rpc_call_send(held, &big.base);
	CHECK(r == -ENOBUFS);
	CHECK(!strstr(trace, "gone "));
	CHECK(rpc_call_send(held, &big.base) == 0);
	CHECK(await("gone "));
	CHECK(await("end:RESOURCE_EXHAUSTED "));
	CHECK_TEXT(last.message, "the client does not read its answers");
	finish();
}

static void an_answer_too_large_for_a_stream_ends_it(void)
{
	note_t big = big_note(RPC_MESSAGE_MAX + 1);

	CHECK(begin_chat());
	CHECK(rpc_call_send(held, &big.base) == -ENOBUFS);
	CHECK(await("end:RESOURCE_EXHAUSTED "));
	CHECK_TEXT(last.message, "an answer is too large");
	finish();
}

static void a_server_that_pauses_holds_the_client_back(void)
{
	unsigned n;

	CHECK(begin_chat());
	rpc_call_pause(held, true);
	forget();
	n = fill_stream();
	CHECK(n > 8 && n < 100);
	run_for(300);
	CHECK(n_got <= 1);
	CHECK(!strstr(trace, "writable "));
	rpc_call_pause(held, false);
	CHECK(await("writable "));
	CHECK(await_count(&n_got, n));
	finish();
}

static void a_client_to_a_server_that_never_reads_is_cut_off(void)
{
	note_t big = big_note(BIG);
	int r = 0;

	CHECK(begin_chat());
	rpc_call_pause(held, true);
	for (int i = 0; i < 100 && r >= 0; i++)
		r = rpc_stream_send(stream, &big.base);
	CHECK(r == -ENOBUFS);
	CHECK(!strstr(trace, "end:"));
	CHECK(rpc_stream_send(stream, &big.base) == 0);
	CHECK(await("end:RESOURCE_EXHAUSTED "));
	CHECK_TEXT(last.message, "the server does not read its messages");
	CHECK(await("gone "));
	finish();
}

static void a_message_too_large_for_a_stream_ends_it(void)
{
	note_t big = big_note(RPC_MESSAGE_MAX + 1);

	CHECK(begin_chat());
	CHECK(rpc_stream_send(stream, &big.base) == -ENOBUFS);
	CHECK(await("end:RESOURCE_EXHAUSTED "));
	CHECK_TEXT(last.message, "a message is too large");
	CHECK(rpc_stream_open(&stream, channel, CHAT, &big.base, NOTE, 0,
			      &stream_events, NULL, NULL) == -EMSGSIZE);
	finish();
}

static void empty_messages_fill_the_queue_too(void)
{
	note_t empty = a_note("");
	int n = 0;

	CHECK(begin_chat());
	rpc_stream_pause(stream, true);
	while (n < 1000000 && rpc_call_send(held, &empty.base) == 0)
		n++;
	CHECK(n < 100000);
	finish();
}

static void a_paused_client_does_not_delay_the_end_of_a_server(void)
{
	msec_t start;

	CHECK(begin_chat());
	rpc_stream_pause(stream, true);
	CHECK(fill_call(held) < 100);
	run_for(100);
	start = loop_now();
	server = rpc_server_destroy(server);
	CHECK(loop_now() - start < 1500);
	CHECK(strstr(trace, "gone "));
	CHECK(await("end:UNAVAILABLE "));
	finish();
}

static void a_client_that_leaves_frees_what_waits_for_it(void)
{
	CHECK(begin_chat());
	rpc_stream_pause(stream, true);
	CHECK(fill_call(held) < 100);
	channel = rpc_channel_destroy(channel);
	CHECK(await("gone "));
	finish();
}

RUN_TESTS(TEST(a_client_that_pauses_holds_the_server_back),
	  TEST(a_client_that_never_reads_is_cut_off),
	  TEST(an_answer_too_large_for_a_stream_ends_it),
	  TEST(a_server_that_pauses_holds_the_client_back),
	  TEST(a_client_to_a_server_that_never_reads_is_cut_off),
	  TEST(a_message_too_large_for_a_stream_ends_it),
	  TEST(empty_messages_fill_the_queue_too),
	  TEST(a_paused_client_does_not_delay_the_end_of_a_server),
	  TEST(a_client_that_leaves_frees_what_waits_for_it))
