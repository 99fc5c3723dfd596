/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/descriptors.h"
#include "tests/unit/rpc_room.h"

#define ECHO   "/test.room.Room/Echo"
#define IGNORE "/test.room.Room/Ignore"

static void a_call_is_answered_but_never_at_once(void)
{
	CHECK(begin());
	call(ECHO, "hello");
	CHECK_TEXT(trace, "");
	CHECK(await("OK:hello "));
	finish();
}

static void calls_pass_over_a_unix_socket(void)
{
	CHECK(begin_at("unix:rpc-test.sock"));
	CHECK_TEXT(rpc_server_address(server), "unix:rpc-test.sock");
	call(ECHO, "hello");
	CHECK(await("OK:hello "));
	call("/test.room.Room/Peer", "");
	CHECK(await("OK:unix:"));
	finish();
	CHECK(access("rpc-test.sock", F_OK) < 0);
}

static void calls_pass_over_ipv6_and_to_any_address(void)
{
	CHECK(begin_at("[::]:0"));
	CHECK(strncmp(rpc_server_address(server), "[::]:", 5) == 0);
	call(ECHO, "hello");
	CHECK(await("OK:hello "));
	finish();
}

static void a_refusal_carries_its_code_and_its_message(void)
{
	CHECK(begin());
	call("/test.room.Room/Refuse", "sugar");
	CHECK(await("FAILED_PRECONDITION "));
	CHECK_TEXT(last.message, "no sugar");
	finish();
}

static void an_unknown_method_is_unimplemented(void)
{
	CHECK(begin());
	call("/test.room.Room/Nothing", "");
	CHECK(await("UNIMPLEMENTED "));
	call("/test.room.Room", "");
	CHECK(await("UNIMPLEMENTED UNIMPLEMENTED "));
	finish();
}

static void a_request_that_does_not_parse_is_an_invalid_argument(void)
{
	Test__Room__Odd odd = TEST__ROOM__ODD__INIT;

	CHECK(begin());
	odd.text = 7;
	rpc_call_unary(channel, ECHO, &odd.base, NOTE, 1000, on_answer, NULL);
	CHECK(await("INVALID_ARGUMENT "));
	CHECK_TEXT(last.message, "not a test.room.Note");
	finish();
}

static void an_answer_that_does_not_parse_is_internal(void)
{
	note_t a = a_note("hello");

	CHECK(begin());
	rpc_call_unary(channel, ECHO, &a.base, &test__room__odd__descriptor,
		       1000, on_answer, NULL);
	CHECK(await("INTERNAL "));
	CHECK_TEXT(last.message, "the answer is not a test.room.Odd");
	finish();
}

static void the_largest_message_passes_and_a_larger_one_does_not(void)
{
	note_t a = big_note(RPC_MESSAGE_MAX - 5);

	CHECK(begin());
	CHECK(protobuf_c_message_get_packed_size(&a.base) == RPC_MESSAGE_MAX);
	rpc_call_unary(channel, ECHO, &a.base, NOTE, 5000, on_answer, NULL);
	CHECK(await("OK:"));
	forget();
	a.body.len++;
	rpc_call_unary(channel, ECHO, &a.base, NOTE, 5000, on_answer, NULL);
	CHECK_TEXT(trace, "");
	CHECK(await("RESOURCE_EXHAUSTED "));
	CHECK_TEXT(last.message, "the request is too large");
	forget();
	call("/test.room.Room/Bloat", "");
	CHECK(await("RESOURCE_EXHAUSTED "));
	CHECK_TEXT(last.message, "the answer is larger than 4194304 bytes");
	finish();
}

static void a_call_ends_at_its_deadline_on_both_sides(void)
{
	CHECK(begin());
	call_named(IGNORE, "", 150, NULL);
	CHECK(await("DEADLINE_EXCEEDED "));
	CHECK(await("gone "));
	CHECK(!held);
	finish();
}

static void an_answer_may_come_later(void)
{
	note_t a = a_note("at last");

	CHECK(begin());
	call(IGNORE, "");
	CHECK(await("ignored "));
	rpc_call_reply(held, &a.base);
	CHECK(await("OK:at last "));
	CHECK(await("gone "));
	finish();
}

static void an_answer_to_a_client_that_left_is_harmless(void)
{
	note_t a = a_note("too late");

	CHECK(begin());
	call(IGNORE, "");
	CHECK(await("ignored "));
	channel = rpc_channel_destroy(channel);
	usleep(50000);
	rpc_call_reply(held, &a.base);
	CHECK(await("gone "));
	CHECK_TEXT(trace, "ignored CANCELLED gone ");
	finish();
}

static void headers_reach_the_server(void)
{
	const char *path = "/test.room.Room/Header";

	CHECK(begin());
	CHECK(rpc_channel_set_metadata(channel, "who", "me") == 0);
	CHECK(rpc_channel_set_metadata(channel, "where", "here") == 0);
	call(path, "who");
	CHECK(await("OK:me "));
	CHECK(rpc_channel_set_metadata(channel, "who", "you") == 0);
	call(path, "who");
	CHECK(await("OK:you "));
	CHECK(rpc_channel_set_metadata(channel, "who", NULL) == 0);
	call(path, "who");
	CHECK(await("OK:none "));
	call(path, "where");
	CHECK(await("OK:here "));
	CHECK(rpc_channel_set_metadata(channel, "No Such", "x") == -EINVAL);
	CHECK(rpc_channel_set_metadata(channel, "who", "a\nb") == -EINVAL);
	finish();
}

static void a_call_knows_its_peer(void)
{
	CHECK(begin());
	call("/test.room.Room/Peer", "");
	CHECK(await("OK:ipv4:127.0.0.1:"));
	finish();
}

static void a_call_to_nobody_ends_at_its_deadline(void)
{
	CHECK(begin());
	server = rpc_server_destroy(server);
	call_named(ECHO, "", 300, NULL);
	CHECK(run_for(200) == false);
	CHECK_TEXT(trace, "");
	CHECK(await(" "));
	CHECK(last.code == RPC_DEADLINE_EXCEEDED ||
	      last.code == RPC_UNAVAILABLE);
	finish();
}

static void a_call_waits_for_a_server_that_comes_late(void)
{
	char address[64];

	CHECK(begin());
	snprintf(address, sizeof(address), "%s", rpc_server_address(server));
	server = rpc_server_destroy(server);
	call(ECHO, "patience");
	run_for(500);
	CHECK_TEXT(trace, "");
	CHECK(serve(&server, address, NULL) == 0);
	CHECK(await("OK:patience "));
	finish();
}

static void destroying_a_channel_tells_cancelled_within(void)
{
	CHECK(begin());
	call(IGNORE, "");
	call(IGNORE, "");
	CHECK(await("ignored ignored "));
	forget();
	channel = rpc_channel_destroy(channel);
	CHECK_TEXT(trace, "CANCELLED CANCELLED ");
	CHECK(await("gone gone "));
	finish();
}

static void destroy_in_answer(void *user, const struct rpc_status *status,
			      const ProtobufCMessage *answer)
{
	say("%s ", rpc_code_name(status->code));
	if (status->code == RPC_OK)
		channel = rpc_channel_destroy(channel);
}

static void a_channel_may_be_destroyed_by_its_own_answer(void)
{
	note_t a = a_note("");

	CHECK(begin());
	call(IGNORE, "");
	rpc_call_unary(channel, ECHO, &a.base, NOTE, 1000, destroy_in_answer,
		       NULL);
	CHECK(await("OK CANCELLED "));
	CHECK(await("gone "));
	finish();
}

static void destroying_a_server_tells_gone_within_and_unavailable(void)
{
	msec_t start;

	CHECK(begin());
	call(IGNORE, "");
	CHECK(await("ignored "));
	forget();
	start = loop_now();
	server = rpc_server_destroy(server);
	CHECK(loop_now() - start < 1500);
	CHECK_TEXT(trace, "gone ");
	CHECK(await("UNAVAILABLE "));
	CHECK_TEXT(last.message, "the server is going away");
	finish();
}

/* gRPC's event engine closes its own a while after it was shut down. */
static bool descriptors_fall_to(unsigned n)
{
	msec_t until = loop_now() + SECONDS(20);

	while (count_descriptors() > n && loop_now() < until)
		usleep(10000);
	return count_descriptors() <= n;
}

static void a_thing_destroyed_with_nothing_said_is_clean(void)
{
	unsigned n;

	CHECK(begin());
	n = count_descriptors();
	finish();
	for (int i = 0; i < 20; i++) {
		CHECK(begin());
		if (i % 2)
			call(IGNORE, "");
		finish();
	}
	CHECK(descriptors_fall_to(n));
}

static void codes_have_their_names(void)
{
	CHECK_TEXT(rpc_code_name(RPC_OK), "OK");
	CHECK_TEXT(rpc_code_name(RPC_UNAVAILABLE), "UNAVAILABLE");
	CHECK_TEXT(rpc_code_name(RPC_UNAUTHENTICATED), "UNAUTHENTICATED");
	CHECK_TEXT(rpc_code_name((enum rpc_code)17), "UNKNOWN");
	CHECK_TEXT(rpc_code_name((enum rpc_code) - 1), "UNKNOWN");
}

RUN_TESTS(TEST(a_call_is_answered_but_never_at_once),
	  TEST(calls_pass_over_a_unix_socket),
	  TEST(calls_pass_over_ipv6_and_to_any_address),
	  TEST(a_refusal_carries_its_code_and_its_message),
	  TEST(an_unknown_method_is_unimplemented),
	  TEST(a_request_that_does_not_parse_is_an_invalid_argument),
	  TEST(an_answer_that_does_not_parse_is_internal),
	  TEST(the_largest_message_passes_and_a_larger_one_does_not),
	  TEST(a_call_ends_at_its_deadline_on_both_sides),
	  TEST(an_answer_may_come_later),
	  TEST(an_answer_to_a_client_that_left_is_harmless),
	  TEST(headers_reach_the_server), TEST(a_call_knows_its_peer),
	  TEST(a_call_to_nobody_ends_at_its_deadline),
	  TEST(a_call_waits_for_a_server_that_comes_late),
	  TEST(destroying_a_channel_tells_cancelled_within),
	  TEST(a_channel_may_be_destroyed_by_its_own_answer),
	  TEST(destroying_a_server_tells_gone_within_and_unavailable),
	  TEST(a_thing_destroyed_with_nothing_said_is_clean),
	  TEST(codes_have_their_names))
