/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "tests/descriptors.h"
#include "tests/unit/http_ask.h"

/* ---- pieces ---- */

static struct http_call *open_call;

static int piece_then_go(void *user, const char *bytes, size_t n)
{
	static const struct http_events deaf = {.done = on_done};
	const struct http_request request = {.method = "GET",
					     .url = room_url("plain", "/go")};
	struct http_call *call;

	on_piece(user, bytes, n);
	return strcmp(got.pieces, "one,|") == 0
		       ? http_start(&call, http, &request, &deaf, NULL, NULL)
		       : 0;
}

static bool start(const char *path, const struct http_events *events)
{
	const struct http_request request = {.method = "GET",
					     .url = room_url("plain", path)};

	memset(&got, 0, sizeof(got));
	return http_start(&open_call, http, &request, events, NULL, NULL) == 0;
}

static void pieces_come_while_the_answer_goes_on(void)
{
	static const struct http_events events = {.piece = piece_then_go,
						  .done = on_done};

	CHECK(start("/pieces/200", &events));
	while (got.done < 2)
		CHECK(wait_for_it());
	CHECK_TEXT(got.pieces, "one,|two|");
	CHECK(got.status == 200);
	CHECK(got.size == 0);
	CHECK_TEXT(got.body, "");
}

static void an_answer_that_refuses_is_gathered(void)
{
	static const struct http_events events = {.piece = on_piece,
						  .done = on_done};

	CHECK(start("/status/410", &events));
	CHECK(wait_for_it());
	CHECK(got.status == 410);
	CHECK_TEXT(got.body, "because");
	CHECK_TEXT(got.pieces, "");
}

static int refuse_piece(void *user, const char *bytes, size_t n)
{
	return -EPROTO;
}

static void a_piece_that_is_not_understood_ends_the_call(void)
{
	static const struct http_events events = {.piece = refuse_piece,
						  .done = on_done};

	CHECK(start("/silent", &events));
	CHECK(wait_for_it());
	CHECK(got.status == 0);
	CHECK(strstr(got.failure,
		     ": what it sent was not understood: Protocol error"));
}

/* ---- ending from within ---- */

static int cancel_in_piece(void *user, const char *bytes, size_t n)
{
	open_call = http_cancel(open_call);
	loop_stop(loop, 0);
	return 0;
}

static void a_call_may_be_cancelled_by_its_piece(void)
{
	static const struct http_events events = {.piece = cancel_in_piece,
						  .done = on_done};

	CHECK(start("/silent", &events));
	CHECK(wait_for_it());
	CHECK(!open_call);
	CHECK(ask_for("plain", "/hello", NULL) == 200);
	CHECK(got.done == 1);
}

static void cancel_when_done(void *user, const struct http_answer *answer)
{
	open_call = http_cancel(open_call);
	on_done(user, answer); /* what it was told is still there */
}

static void a_call_may_be_cancelled_by_its_end(void)
{
	static const struct http_events events = {.done = cancel_when_done};

	CHECK(start("/hello", &events));
	CHECK(wait_for_it());
	CHECK_TEXT(got.body, "hello\n");
	CHECK(got.done == 1);
}

static struct http_call *many[100];

static void cancel_others(void *user, const struct http_answer *answer)
{
	for (size_t i = 0; i < LENGTH(many); i++)
		if (user != &many[i])
			many[i] = http_cancel(many[i]);
	on_done(user, answer);
}

static bool start_many(const char *path, const struct http_events *events)
{
	const struct http_request request = {.method = "GET",
					     .url = room_url("plain", path)};

	memset(&got, 0, sizeof(got));
	for (size_t i = 0; i < LENGTH(many); i++)
		if (http_start(&many[i], http, &request, events, &many[i],
			       NULL) < 0)
			return false;
	return true;
}

static void a_call_may_cancel_all_others(void)
{
	static const struct http_events events = {.done = cancel_others};

	CHECK(start_many("/hello", &events));
	CHECK(wait_for_it());
	CHECK(ask_for("plain", "/hello", NULL) == 200);
	CHECK(got.done == 1);
}

static void a_hundred_calls_go_side_by_side(void)
{
	CHECK(start_many("/drip", &whole));
	msec_t before = loop_now();

	while (got.done < LENGTH(many)) {
		CHECK(wait_for_it());
		CHECK(got.status == 200);
		CHECK_TEXT(got.body, "........");
	}
	/* one after the other they would take 80 s */
	CHECK(loop_now() - before < SECONDS(15));
}

static void destroy_in_done(void *user, const struct http_answer *answer)
{
	http = http_destroy(http);
	on_done(user, answer);
}

static int destroy_in_piece(void *user, const char *bytes, size_t n)
{
	http = http_destroy(http);
	loop_stop(loop, 0);
	return 0;
}

static void all_may_end_while_calls_run(void)
{
	static const struct http_events by_done = {.done = destroy_in_done};
	static const struct http_events by_piece = {.piece = destroy_in_piece,
						    .done = on_done};

	CHECK(start_many("/hello", &by_done));
	CHECK(wait_for_it());
	CHECK(got.done == 1);
	CHECK(http_create(&http, loop, NULL) == 0);
	CHECK(start_many("/silent", &by_piece));
	CHECK(wait_for_it());
	CHECK(got.done == 0);
	CHECK(http_create(&http, loop, NULL) == 0);
	CHECK(start_many("/silent", &whole));
	http = http_destroy(http);
	CHECK(http_create(&http, loop, NULL) == 0);
	CHECK(ask_for("plain", "/hello", NULL) == 200);
}

/* ---- connections ---- */

static void a_connection_is_used_again(void)
{
	char port[sizeof(got.body)];

	CHECK(ask_for("plain", "/port", NULL) == 200);
	strcpy(port, got.body);
	CHECK(ask_for("plain", "/port", NULL) == 200);
	CHECK_TEXT(got.body, port);
}

static void nothing_is_left_open(void)
{
	unsigned before;

	http = http_destroy(http);
	before = count_descriptors();
	CHECK(http_create(&http, loop, NULL) == 0);
	CHECK(ask_for("plain", "/hello", NULL) == 200);
	CHECK(ask_for("plain", "/cut", NULL) == 0);
	http = http_destroy(http);
	CHECK(count_descriptors() == before);
	CHECK(http_create(&http, loop, NULL) == 0);
}

RUN_TESTS_IN_ROOM(TEST(pieces_come_while_the_answer_goes_on),
		  TEST(an_answer_that_refuses_is_gathered),
		  TEST(a_piece_that_is_not_understood_ends_the_call),
		  TEST(a_call_may_be_cancelled_by_its_piece),
		  TEST(a_call_may_be_cancelled_by_its_end),
		  TEST(a_call_may_cancel_all_others),
		  TEST(a_hundred_calls_go_side_by_side),
		  TEST(all_may_end_while_calls_run),
		  TEST(a_connection_is_used_again), TEST(nothing_is_left_open))
