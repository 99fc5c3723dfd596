/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_HTTP_ASK_H
#define TESTS_UNIT_HTTP_ASK_H

/*
 * Calls of a test: each is waited for, and what came of it is in `got`
 */

#include "http/http.h"
#include "tests/unit/http_room.h"

#include <errno.h>

static struct loop *loop;
static struct http *http;
static struct {
	unsigned done;
	int status;
	char body[4096];
	size_t size;
	msec_t retry_after;
	char failure[600];
	char pieces[4096]; /* with a '|' behind each */
} got;

static void on_done(void *user, const struct http_answer *answer)
{
	got.done++;
	got.status = answer->status;
	got.size = answer->size;
	got.retry_after = answer->retry_after;
	snprintf(got.body, sizeof(got.body), "%s", answer->body);
	snprintf(got.failure, sizeof(got.failure), "%s",
		 answer->failure ? answer->failure : "");
	loop_stop(loop, 0);
}

static UNUSED int on_piece(void *user, const char *bytes, size_t n)
{
	size_t size = strlen(got.pieces);

	snprintf(got.pieces + size, sizeof(got.pieces) - size, "%.*s|", (int)n,
		 bytes);
	return 0;
}

static void on_stuck(void *user)
{
	note("stuck", "nothing came for 20 s");
	loop_stop(loop, 1);
}

/* Runs the loop until somebody stops it; false if nobody does. */
static bool wait_for_it(void)
{
	struct loop_timer stuck = {0};
	int r;

	loop_timer_set(loop, &stuck, SECONDS(20), on_stuck, NULL);
	r = loop_run(loop);
	loop_timer_clear(&stuck);
	return r == 0;
}

static const struct http_events whole = {.done = on_done};

/* The status of the answer; 0: got.failure says why. */
static int ask(const struct http_request *request)
{
	struct http_call *call;
	struct error err;

	memset(&got, 0, sizeof(got));
	if (http_start(&call, http, request, &whole, NULL, &err) < 0) {
		snprintf(got.failure, sizeof(got.failure), "%s", err.text);
		return -1;
	}
	while (!got.done)
		if (!wait_for_it())
			return -2;
	return got.status;
}

static UNUSED int ask_for(const char *server, const char *path,
			  const struct http_tls *tls)
{
	const struct http_request request = {
		.method = "GET",
		.url = room_url(server, path),
		.tls = tls,
		.timeout = SECONDS(10),
	};

	return ask(&request);
}

static bool begin(void)
{
	struct error err;

	return room_begin() && loop_create(&loop, &err) == 0 &&
	       http_create(&http, loop, &err) == 0;
}

static void end(void)
{
	http = http_destroy(http);
	loop = loop_destroy(loop);
	room_end();
}

/* As RUN_TESTS(), in the room. */
#define RUN_TESTS_IN_ROOM(...)                                                 \
	int main(void)                                                         \
	{                                                                      \
		const struct test tests[] = {__VA_ARGS__};                     \
		int r = 1;                                                     \
		if (begin())                                                   \
			r = run_tests(tests,                                   \
				      sizeof(tests) / sizeof(tests[0]));       \
		end();                                                         \
		return r;                                                      \
	}

#endif
