/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/unit/rpc_room.h"

#define CHAT  "/test.room.Room/Chat"
#define COUNT "/test.room.Room/Count"
#define WAIT  "/test.room.Room/Wait"
#define SUM   "/test.room.Room/Sum"

/* A chat whose server has heard one note and is at hand as `held`. */
static bool begin_chat(void)
{
	note_t hello = a_note("hello");

	return begin() && open_stream(CHAT, &hello, 0) && await("got:hello ");
}

static void a_chat_goes_back_and_forth_until_it_is_half_closed(void)
{
	CHECK(begin_chat());
	CHECK(send_note("a") == 0 && await("got:a "));
	CHECK(send_note("b") == 0 && await("got:b "));
	rpc_stream_half_close(stream);
	CHECK(await("end:OK "));
	CHECK(strstr(trace, "got:hello heard:a got:a heard:b got:b half "));
	CHECK(await("gone "));
	finish();
}

static void a_stream_is_open_before_anything_is_said(void)
{
	CHECK(begin());
	CHECK(open_stream(CHAT, NULL, 0));
	CHECK_TEXT(trace, "");
	CHECK(await("open "));
	CHECK_TEXT(trace, "open ");
	finish();
	CHECK(strstr(trace, "end:CANCELLED "));
}

static void a_stream_that_is_refused_was_never_open(void)
{
	CHECK(begin());
	CHECK(open_stream("/test.room.Room/Nothing", NULL, 0));
	CHECK(await("end:UNIMPLEMENTED "));
	CHECK_TEXT(trace, "end:UNIMPLEMENTED ");
	finish();
}

static void a_server_stream_arrives_whole_and_then_ends(void)
{
	note_t ask = a_note("");

	CHECK(begin());
	ask.number = 2000;
	CHECK(open_stream(COUNT, &ask, 0));
	CHECK(await("end:OK "));
	CHECK(n_got == 2000);
	finish();
}

static void a_client_stream_ends_with_one_answer(void)
{
	note_t a = a_note("");

	CHECK(begin());
	CHECK(open_stream(SUM, NULL, 0));
	for (a.number = 1; a.number <= 100; a.number++)
		CHECK(rpc_stream_send(stream, &a.base) == 0);
	rpc_stream_half_close(stream);
	CHECK(await("end:OK "));
	CHECK_TEXT(trace, "open got:sum end:OK ");
	finish();
}

static void a_second_request_to_a_server_stream_is_refused(void)
{
	CHECK(begin());
	CHECK(open_stream(WAIT, NULL, 0));
	CHECK(send_note("") == 0 && send_note("") == 0);
	CHECK(await("end:INVALID_ARGUMENT "));
	CHECK_TEXT(last.message, WAIT " takes one message");
	finish();
}

static void the_server_sees_the_half_close_of_its_server_stream(void)
{
	note_t ask = a_note("");

	CHECK(begin());
	CHECK(open_stream(WAIT, &ask, 0));
	CHECK(await("ignored "));
	run_for(50);
	CHECK(!strstr(trace, "half "));
	rpc_stream_half_close(stream);
	CHECK(await("half "));
	CHECK(await("end:OK "));
	finish();
}

static void a_server_stream_that_was_asked_nothing_is_refused(void)
{
	CHECK(begin());
	CHECK(open_stream(COUNT, NULL, 0));
	rpc_stream_half_close(stream);
	CHECK(await("end:INVALID_ARGUMENT "));
	finish();
}

static void a_message_that_does_not_parse_ends_the_stream(void)
{
	Test__Room__Odd odd = TEST__ROOM__ODD__INIT;

	CHECK(begin_chat());
	odd.text = 7;
	CHECK(rpc_stream_send(stream, &odd.base) == 0);
	CHECK(await("end:INVALID_ARGUMENT "));
	CHECK_TEXT(last.message, "not a test.room.Note");
	CHECK(await("gone "));
	finish();
}

static void an_answer_that_does_not_parse_ends_the_stream(void)
{
	Test__Room__Odd odd = TEST__ROOM__ODD__INIT;

	CHECK(begin_chat());
	odd.text = 7;
	CHECK(rpc_call_send(held, &odd.base) == 0);
	CHECK(await("end:INTERNAL "));
	CHECK_TEXT(last.message, "an answer is not a test.room.Note");
	CHECK(await("gone "));
	finish();
}

static void a_stream_to_nobody_fails_fast_without_a_timeout(void)
{
	msec_t start = loop_now();

	CHECK(begin());
	server = rpc_server_destroy(server);
	CHECK(open_stream(CHAT, NULL, 0));
	CHECK(await("end:UNAVAILABLE "));
	CHECK(loop_now() - start < 2000);
	CHECK_TEXT(trace, "end:UNAVAILABLE ");
	finish();
}

static void a_stream_with_a_timeout_waits_for_a_server(void)
{
	char address[64];

	CHECK(begin());
	snprintf(address, sizeof(address), "%s", rpc_server_address(server));
	server = rpc_server_destroy(server);
	CHECK(open_stream(CHAT, NULL, SECONDS(10)));
	CHECK(send_note("patience") == 0);
	run_for(300);
	CHECK(serve(&server, address, NULL) == 0);
	CHECK(await("got:patience "));
	finish();
}

static void a_stream_ends_at_its_timeout_on_both_sides(void)
{
	CHECK(begin());
	CHECK(open_stream(CHAT, NULL, 200));
	CHECK(await("open "));
	CHECK(await("end:DEADLINE_EXCEEDED "));
	CHECK(await("gone "));
	CHECK(!strstr(trace, "half"));
	finish();
}

static void a_cancelled_stream_ends_later_and_the_server_sees_no_half(void)
{
	CHECK(begin_chat());
	forget();
	rpc_stream_cancel(stream);
	CHECK_TEXT(trace, "");
	CHECK(await("end:CANCELLED "));
	CHECK(await("gone "));
	CHECK(!strstr(trace, "half"));
	finish();
}

static void what_is_queued_arrives_before_the_end(void)
{
	note_t big = big_note(100000);

	CHECK(begin_chat());
	for (int i = 0; i < 30; i++)
		CHECK(rpc_call_send(held, &big.base) == 0);
	rpc_call_end(held, RPC_ABORTED, "enough of %d", 30);
	CHECK(await("end:ABORTED "));
	CHECK_TEXT(last.message, "enough of 30");
	CHECK(n_got == 31);
	finish();
}

static void cancel_in_message(void *user, const ProtobufCMessage *message)
{
	say("got ");
	rpc_stream_cancel(stream);
}

static void destroy_in_message(void *user, const ProtobufCMessage *message)
{
	say("got ");
	channel = rpc_channel_destroy(channel);
}

static void destroy_server_in_message(void *user,
				      const ProtobufCMessage *message)
{
	say("got ");
	server = rpc_server_destroy(server);
}

static bool count_with(void (*on_message)(void *, const ProtobufCMessage *))
{
	static struct rpc_stream_events events;
	note_t ask = a_note("");

	events = stream_events;
	events.on_message = on_message;
	ask.number = 5;
	return begin() && rpc_stream_open(&stream, channel, COUNT, &ask.base,
					  NOTE, 0, &events, NULL, NULL) == 0;
}

static void nothing_comes_after_a_cancel_but_the_end(void)
{
	CHECK(count_with(cancel_in_message));
	CHECK(await("end:CANCELLED "));
	CHECK_TEXT(trace, "open got end:CANCELLED ");
	finish();
}

static void a_channel_may_be_destroyed_by_its_own_stream(void)
{
	CHECK(count_with(destroy_in_message));
	CHECK(await("end:CANCELLED "));
	run_for(50);
	CHECK_TEXT(trace, "open got end:CANCELLED ");
	finish();
}

static void a_server_may_be_destroyed_by_a_callback(void)
{
	msec_t start = loop_now();

	CHECK(count_with(destroy_server_in_message));
	CHECK(await("end:"));
	CHECK(loop_now() - start < 1500);
	finish();
}

static void destroy_own_server(struct rpc_call *call,
			       const ProtobufCMessage *message, void *user)
{
	say("heard ");
	server = rpc_server_destroy(server);
	say("destroyed ");
}

static void a_server_may_be_destroyed_by_its_own_call(void)
{
	static const struct rpc_method methods[] = {
		{METHOD("Chat"), .kind = RPC_BIDI,
		 .on_message = destroy_own_server, .on_gone = on_gone}};
	const struct rpc_server_config config = {
		.listen = "127.0.0.1:0", .methods = methods, .n_methods = 1};
	note_t hello = a_note("hello");
	msec_t start = loop_now();

	CHECK(begin());
	server = rpc_server_destroy(server);
	channel = rpc_channel_destroy(channel);
	CHECK(rpc_server_create(&server, rpc, &config, NULL) == 0);
	CHECK(rpc_channel_create(&channel, rpc, rpc_server_address(server),
				 NULL, NULL) == 0);
	CHECK(open_stream(CHAT, &hello, 0));
	CHECK(await("end:UNAVAILABLE "));
	CHECK(strstr(trace, "heard gone destroyed "));
	CHECK(loop_now() - start < 1500);
	finish();
}

static void a_server_that_goes_away_sends_what_is_queued(void)
{
	note_t big = big_note(5000);

	CHECK(begin_chat());
	for (int i = 0; i < 30; i++)
		CHECK(rpc_call_send(held, &big.base) == 0);
	server = rpc_server_destroy(server);
	CHECK(await("end:UNAVAILABLE "));
	CHECK_TEXT(last.message, "the server is going away");
	CHECK(n_got == 31);
	finish();
}

RUN_TESTS(TEST(a_chat_goes_back_and_forth_until_it_is_half_closed),
	  TEST(a_stream_is_open_before_anything_is_said),
	  TEST(a_stream_that_is_refused_was_never_open),
	  TEST(a_server_stream_arrives_whole_and_then_ends),
	  TEST(a_client_stream_ends_with_one_answer),
	  TEST(a_second_request_to_a_server_stream_is_refused),
	  TEST(the_server_sees_the_half_close_of_its_server_stream),
	  TEST(a_server_stream_that_was_asked_nothing_is_refused),
	  TEST(a_message_that_does_not_parse_ends_the_stream),
	  TEST(an_answer_that_does_not_parse_ends_the_stream),
	  TEST(a_stream_to_nobody_fails_fast_without_a_timeout),
	  TEST(a_stream_with_a_timeout_waits_for_a_server),
	  TEST(a_stream_ends_at_its_timeout_on_both_sides),
	  TEST(a_cancelled_stream_ends_later_and_the_server_sees_no_half),
	  TEST(what_is_queued_arrives_before_the_end),
	  TEST(nothing_comes_after_a_cancel_but_the_end),
	  TEST(a_channel_may_be_destroyed_by_its_own_stream),
	  TEST(a_server_may_be_destroyed_by_a_callback),
	  TEST(a_server_may_be_destroyed_by_its_own_call),
	  TEST(a_server_that_goes_away_sends_what_is_queued))
