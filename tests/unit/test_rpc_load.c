/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/descriptors.h"
#include "tests/unit/rpc_room.h"

#include <malloc.h>

#define CHAT "/test.room.Room/Chat"
#define ECHO "/test.room.Room/Echo"

static unsigned n_answers, n_ends;

static void count_answer(void *user, const struct rpc_status *status,
			 const ProtobufCMessage *answer)
{
	n_answers += status->code == RPC_OK;
	look();
}

static void count_end(void *user, const struct rpc_status *status)
{
	n_ends += status->code == RPC_OK;
	look();
}

static const struct rpc_stream_events counting = {
	.on_message = on_note,
	.on_end = count_end,
};

/* A port is open to more than this user, and one connection may make so many
 * calls a second only (rpc/frames.h). */
static bool begin_uncounted(void)
{
	return begin_at("unix:rpc-load.sock");
}

static bool make_calls(unsigned n)
{
	note_t a = a_note("load");

	n_answers = 0;
	for (unsigned i = 0; i < n; i++)
		rpc_call_unary(channel, ECHO, &a.base, NOTE, SECONDS(30),
			       count_answer, NULL);
	return await_count(&n_answers, n);
}

static bool make_streams(unsigned n)
{
	note_t a = a_note("load");
	struct rpc_stream *streams[200];

	n_ends = 0;
	forget();
	for (unsigned i = 0; i < n; i++)
		if (rpc_stream_open(&streams[i], channel, CHAT, &a.base, NOTE,
				    0, &counting, NULL, NULL) < 0)
			return false;
	if (!await_count(&n_got, n))
		return false;
	for (unsigned i = 0; i < n; i++)
		rpc_stream_half_close(streams[i]);
	return await_count(&n_ends, n);
}

static size_t memory_in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void calls_and_streams_leave_nothing_behind(void)
{
	size_t memory;
	unsigned fds;

	CHECK(begin_uncounted());
	CHECK(make_calls(1000) && make_streams(200));
	CHECK(make_calls(1000) && make_streams(200));
	run_for(100);
	fds = count_descriptors();
	memory = memory_in_use();
	for (int i = 0; i < 3; i++)
		CHECK(make_calls(1000) && make_streams(200));
	run_for(100);
	CHECK(count_descriptors() == fds);
	printf("# %zd bytes more\n", (ssize_t)(memory_in_use() - memory));
	CHECK(memory_in_use() < memory + (256 << 10));
	finish();
}

static void clients_that_come_and_go_leave_nothing_behind(void)
{
	unsigned fds = 0;

	CHECK(begin());
	for (int i = 0; i < 60; i++) {
		note_t a = a_note("x");

		channel = rpc_channel_destroy(channel);
		CHECK(rpc_channel_create(&channel, rpc,
					 rpc_server_address(server), NULL,
					 NULL) == 0);
		forget();
		CHECK(open_stream(CHAT, &a, 0));
		CHECK(await("got:x "));
		if (i == 10) {
			run_for(100);
			fds = count_descriptors();
		}
	}
	run_for(200);
	CHECK(count_descriptors() <= fds);
	finish();
}

static void a_thousand_calls_at_once_may_be_abandoned(void)
{
	note_t a = a_note("x");

	CHECK(begin_uncounted());
	n_answers = 0;
	for (int i = 0; i < 1000; i++)
		rpc_call_unary(channel, ECHO, &a.base, NOTE, SECONDS(30),
			       count_answer, NULL);
	run_for(2);
	channel = rpc_channel_destroy(channel);
	finish();
	CHECK(n_answers <= 1000);
}

static void a_busy_server_still_keeps_time(void)
{
	note_t a = a_note("x");
	msec_t start;

	CHECK(begin_uncounted());
	for (int i = 0; i < 3000; i++)
		rpc_call_unary(channel, ECHO, &a.base, NOTE, SECONDS(30),
			       count_answer, NULL);
	start = loop_now();
	run_for(1);
	CHECK(loop_now() - start < 200);
	finish();
}

RUN_TESTS(TEST(calls_and_streams_leave_nothing_behind),
	  TEST(clients_that_come_and_go_leave_nothing_behind),
	  TEST(a_thousand_calls_at_once_may_be_abandoned),
	  TEST(a_busy_server_still_keeps_time))
