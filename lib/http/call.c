/* SPDX-License-Identifier: Apache-2.0 */
#include "http/internal.h"

#include <errno.h>
#include <string.h>

enum { ANSWER_MAX = 16 * 1024 * 1024, HEADERS_MAX = 256 * 1024 };

struct http_call {
	struct http_transfer base;
	const struct http_events *events; /* borrowed */
	void *user;
	char *bytes; /* not told yet */
	size_t size, room, max;
	size_t headers; /* bytes of them */
	bool in_pieces;
	bool too_large;
	msec_t timeout, idle, heard;
	struct loop_timer late, silent;
};

/* ---- within curl: bytes are kept ---- */

static bool has_room(struct http_call *call, size_t n)
{
	size_t room = call->room ? call->room : 4096;
	char *bytes;

	while (room < call->size + n + 1)
		room *= 2;
	if (room == call->room)
		return true;
	bytes = realloc(call->bytes, room);
	if (!bytes)
		return false;
	call->bytes = bytes;
	call->room = room;
	return true;
}

static long status_of(const struct http_call *call)
{
	long status = 0;

	curl_easy_getinfo(call->base.easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

static size_t on_body(char *bytes, size_t one, size_t n, void *user)
{
	struct http_call *call = user;

	call->heard = loop_now();
	call->in_pieces = call->events->piece && status_of(call) / 100 == 2;
	call->too_large = !call->in_pieces && n > call->max - call->size;
	if (call->too_large || !has_room(call, n))
		return CURL_WRITEFUNC_ERROR;
	memcpy(call->bytes + call->size, bytes, n);
	call->size += n;
	call->bytes[call->size] = '\0';
	if (call->in_pieces)
		http_transfer_ready(&call->base);
	return n;
}

static size_t on_header(char *bytes, size_t one, size_t n, void *user)
{
	struct http_call *call = user;

	call->heard = loop_now();
	call->headers += n;
	call->too_large = call->headers > HEADERS_MAX;
	return call->too_large ? CURL_WRITEFUNC_ERROR : n;
}

/* ---- telling ---- */

static void destroy(struct http_transfer *transfer)
{
	struct http_call *call = (struct http_call *)(void *)transfer;

	loop_timer_clear(&call->late);
	loop_timer_clear(&call->silent);
	http_transfer_fini(transfer);
	free(call->bytes);
	http_transfer_free(transfer);
}

struct http_call *http_cancel(struct http_call *call)
{
	if (call)
		destroy(&call->base);
	return NULL;
}

/* Tells the caller that the call is over, and frees it, if the caller did not.
 */
static void tell_end(struct http_call *call, const struct http_answer *answer)
{
	CLEANUP(free) char *bytes = STEAL(call->bytes);

	http_transfer_telling(&call->base);
	call->events->done(call->user, answer);
	if (http_transfer_told(&call->base))
		destroy(&call->base);
}

static void fail(struct http_call *call, const char *sentence)
{
	const struct http_answer answer = {
		.body = "", .retry_after = -1, .failure = sentence};

	tell_end(call, &answer);
}

/* The connection may be the cause, so the next call gets another. */
static void give_up(struct http_call *call, const char *sentence)
{
	curl_easy_setopt(call->base.easy, CURLOPT_FORBID_REUSE, 1L);
	fail(call, sentence);
}

static void tell_failure(struct http_call *call)
{
	struct error err;

	if (call->too_large)
		error_describe(&err, "%s: its answer is larger than %zu bytes",
			       call->base.peer,
			       call->headers > HEADERS_MAX ? (size_t)HEADERS_MAX
							   : call->max);
	else
		http_failure(&call->base, call->base.result, &err);
	fail(call, err.text);
}

static void tell_answer(struct http_call *call)
{
	struct http_answer answer = {
		.status = (int)status_of(call),
		.body = call->size > 0 ? call->bytes : "",
		.size = call->size,
		.retry_after = -1,
	};
	struct curl_header *header;

	if (curl_easy_header(call->base.easy, "Retry-After", 0, CURLH_HEADER,
			     -1, &header) == CURLHE_OK)
		answer.retry_after =
			http_retry_after(header->value, time(NULL));
	tell_end(call, &answer);
}

/* Whether there is more to tell. */
static bool tell_piece(struct http_call *call)
{
	CLEANUP(free) char *bytes = STEAL(call->bytes);
	size_t size = call->size;
	struct error err;
	int r;

	call->size = call->room = 0;
	http_transfer_telling(&call->base);
	r = call->events->piece(call->user, bytes, size);
	if (!http_transfer_told(&call->base))
		return false;
	if (r >= 0)
		return true;
	error_describe(&err, "%s: what it sent was not understood: %s",
		       call->base.peer, strerror(-r));
	fail(call, err.text);
	return false;
}

static void notify_caller(struct http_transfer *transfer)
{
	struct http_call *call = (struct http_call *)(void *)transfer;

	if (call->in_pieces && call->size > 0 && !tell_piece(call))
		return;
	if (!transfer->over)
		return;
	if (transfer->result == CURLE_OK)
		tell_answer(call);
	else
		tell_failure(call);
}

/* ---- time ---- */

static void on_late(void *user)
{
	struct http_call *call = user;
	struct error err;

	error_describe(&err, "%s: no whole answer within %lld ms",
		       call->base.peer, (long long)call->timeout);
	give_up(call, err.text);
}

static void on_silent(void *user)
{
	struct http_call *call = user;
	msec_t left = call->heard + call->idle - loop_now();
	struct error err;

	if (left > 0) {
		loop_timer_set(call->base.http->loop, &call->silent, left,
			       on_silent, call);
		return;
	}
	error_describe(&err, "%s: silent for %lld ms", call->base.peer,
		       (long long)call->idle);
	give_up(call, err.text);
}

/* ---- beginning ---- */

static bool set_callbacks(struct http_call *call)
{
	CURL *easy = call->base.easy;

	/* pieces would wait for a block of gzip to be full */
	if (!call->events->piece &&
	    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip"))
		return false;
	return !curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) &&
	       !curl_easy_setopt(easy, CURLOPT_WRITEDATA, call) &&
	       !curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header) &&
	       !curl_easy_setopt(easy, CURLOPT_HEADERDATA, call);
}

static void set_timers(struct http_call *call)
{
	struct loop *loop = call->base.http->loop;

	call->heard = loop_now();
	if (call->timeout > 0)
		loop_timer_set(loop, &call->late, call->timeout, on_late, call);
	if (call->idle > 0)
		loop_timer_set(loop, &call->silent, call->idle, on_silent,
			       call);
}

DEFINE_CLEANUP(struct http_call, http_cancel)

int http_start(struct http_call **out, struct http *http,
	       const struct http_request *request,
	       const struct http_events *events, void *user, struct error *err)
{
	CLEANUP(http_cancel) struct http_call *call = calloc(1, sizeof(*call));
	int r;

	if (!call)
		return error_set(err, -ENOMEM, "out of memory");
	call->base.tell = notify_caller;
	call->base.destroy = destroy;
	call->events = events;
	call->user = user;
	call->max = request->max ? request->max : (size_t)ANSWER_MAX;
	call->timeout = request->timeout;
	call->idle = request->idle;
	r = http_transfer_init(&call->base, http, request, err);
	if (r < 0)
		return r;
	if (!set_callbacks(call))
		return error_set(err, -ENOMEM, "out of memory");
	r = http_transfer_begin(&call->base, err);
	if (r < 0)
		return r;
	set_timers(call);
	*out = STEAL(call);
	return 0;
}
