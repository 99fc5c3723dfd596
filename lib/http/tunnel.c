/* SPDX-License-Identifier: Apache-2.0 */

/*
 *     connecting -> asking -> open
 *                      '-> refused
 *
 * curl connects, with TLS and through proxies, and then lends the connection:
 * what goes over it is written and read here.  The easy handle stays with the
 * multi handle, which would close the connection otherwise.
 */

#include "http/tunnel.h"

#include "http/internal.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#define REFUSAL SECONDS(2) /* for the body of an answer that refuses */

enum {
	HEAD_MAX = 64 * 1024,
	BODY_MAX = 8 * 1024,
	READ_SIZE = 16 * 1024,
	READS_AT_ONCE = 16,
};

enum phase {
	CONNECTING,
	ASKING,
	REFUSED,
	OPEN,
};

struct http_tunnel {
	struct http_transfer base;
	const struct http_tunnel_events *events; /* borrowed */
	void *user;
	enum phase phase;
	curl_socket_t fd;
	struct loop_fd *source;
	struct loop_timer late;
	struct loop_timer again; /* TLS may have bytes that the socket lacks */
	msec_t timeout;
	bool held;

	/* To the server.  What was once tried is tried again from the same
	 * place: OpenSSL insists. */
	char queue[HTTP_TUNNEL_QUEUE];
	size_t from, to;
	size_t tried; /* 0: nothing waits for a second attempt */

	/* The answer: its head, and its body if it refuses; ends with NUL. */
	char answer[HEAD_MAX + BODY_MAX + 1];
	size_t size, head;
	size_t rest; /* what came behind the head, at head + 1 */
	int status;
};

/* ---- ends ---- */

static void destroy(struct http_transfer *transfer)
{
	struct http_tunnel *tunnel = (struct http_tunnel *)(void *)transfer;

	loop_timer_clear(&tunnel->late);
	loop_timer_clear(&tunnel->again);
	loop_fd_remove(tunnel->source);
	http_transfer_fini(transfer);
	http_transfer_free(transfer);
}

struct http_tunnel *http_tunnel_close(struct http_tunnel *tunnel)
{
	if (tunnel)
		destroy(&tunnel->base);
	return NULL;
}

DEFINE_CLEANUP(struct http_tunnel, http_tunnel_close)

static void end(struct http_tunnel *tunnel, int r, const char *text)
{
	http_transfer_telling(&tunnel->base);
	tunnel->events->ended(tunnel->user, r, text);
	if (http_transfer_told(&tunnel->base))
		destroy(&tunnel->base);
}

static void end_as(struct http_tunnel *tunnel, int r, const char *what)
{
	struct error err;

	end(tunnel, error_set(&err, r, "%s: %s", tunnel->base.peer, what),
	    err.text);
}

static void end_refused(struct http_tunnel *tunnel)
{
	const char *body = tunnel->answer + tunnel->head;
	size_t line = strcspn(tunnel->answer, "\r\n");
	struct error err;

	if (tunnel->events->refused) {
		http_transfer_telling(&tunnel->base);
		tunnel->events->refused(tunnel->user, tunnel->status, body);
		if (!http_transfer_told(&tunnel->base))
			return;
	}
	error_describe(&err, "%s: answers '%.*s', and 101 was expected",
		       tunnel->base.peer, line < 200 ? (int)line : 200,
		       tunnel->answer);
	end(tunnel, -EPROTO, err.text);
}

static void on_late(void *user)
{
	struct http_tunnel *tunnel = user;
	char text[64];

	if (tunnel->phase == REFUSED) {
		end_refused(tunnel);
		return;
	}
	snprintf(text, sizeof(text), "no connection within %lld ms",
		 (long long)tunnel->timeout);
	end_as(tunnel, -ETIMEDOUT, text);
}

/* ---- what is waited for ---- */

static bool is_held(const struct http_tunnel *tunnel)
{
	return tunnel->held && tunnel->phase == OPEN;
}

/* EPOLLET: a tunnel that neither reads nor writes would else be woken again and
 * again by the end of its connection. */
static void arm(struct http_tunnel *tunnel)
{
	uint32_t events = 0;

	if (!tunnel->source)
		return;
	if (!is_held(tunnel))
		events |= EPOLLIN;
	if (tunnel->to > tunnel->from)
		events |= EPOLLOUT;
	loop_fd_set(tunnel->source, events ? events : (uint32_t)EPOLLET);
}

/* ---- to the server ---- */

/* 0, or -errno of a connection that is no more. */
static int flush(struct http_tunnel *tunnel, struct error *err)
{
	while (tunnel->to > tunnel->from) {
		size_t n = tunnel->tried ? tunnel->tried
					 : tunnel->to - tunnel->from;
		size_t sent = 0;
		CURLcode code =
			curl_easy_send(tunnel->base.easy,
				       tunnel->queue + tunnel->from, n, &sent);

		if (code == CURLE_AGAIN) {
			tunnel->tried = n;
			return 0;
		}
		if (code != CURLE_OK)
			return error_set(
				err, -EPIPE, "%s: the connection is lost: %s",
				tunnel->base.peer, curl_easy_strerror(code));
		tunnel->from += sent;
		tunnel->tried = 0;
	}
	tunnel->from = tunnel->to = 0;
	return 0;
}

int http_tunnel_send(struct http_tunnel *tunnel, const void *bytes, size_t n)
{
	size_t waiting = tunnel->to - tunnel->from;

	assert(tunnel->phase == OPEN && n <= HTTP_TUNNEL_QUEUE);
	if (n > sizeof(tunnel->queue) - tunnel->to) {
		if (tunnel->tried || n > sizeof(tunnel->queue) - waiting)
			return -EAGAIN;
		memmove(tunnel->queue, tunnel->queue + tunnel->from, waiting);
		tunnel->from = 0;
		tunnel->to = waiting;
	}
	if (n > 0)
		memcpy(tunnel->queue + tunnel->to, bytes, n);
	tunnel->to += n;
	arm(tunnel);
	return 0;
}

/* ---- the answer ---- */

static bool header_number(const char *head, const char *name, size_t *value)
{
	const char *line = strcasestr(head, name);

	if (!line)
		return false;
	*value = strtoull(line + strlen(name), NULL, 10);
	return true;
}

/* Whether nothing more of the body is to come. */
static bool is_body_whole(const struct http_tunnel *tunnel)
{
	static const char last_chunk[] = "\r\n0\r\n\r\n";
	size_t body = tunnel->size - tunnel->head, length,
	       tail = strlen(last_chunk);

	if (body >= BODY_MAX)
		return true;
	if (header_number(tunnel->answer, "\ncontent-length:", &length))
		return body >= length;
	return body >= tail && memcmp(tunnel->answer + tunnel->size - tail,
				      last_chunk, tail) == 0;
}

/* 0 or -EPROTO. */
static int read_status(struct http_tunnel *tunnel)
{
	const char *text = tunnel->answer;
	int end = 0;

	if (sscanf(text, "HTTP/1.%*1[0-9] %3d%n", &tunnel->status, &end) != 1 ||
	    end != 12 || tunnel->status < 100)
		return -EPROTO;
	return 0;
}

/* The head is whole.  Whether the tunnel is still there. */
static bool open_up(struct http_tunnel *tunnel)
{
	loop_timer_clear(&tunnel->late);
	tunnel->phase = OPEN;
	tunnel->rest = tunnel->size - tunnel->head;
	memmove(tunnel->answer + tunnel->head + 1,
		tunnel->answer + tunnel->head, tunnel->rest);
	tunnel->answer[tunnel->head] = '\0';
	http_transfer_telling(&tunnel->base);
	tunnel->events->open(tunnel->user, tunnel->answer);
	if (!http_transfer_told(&tunnel->base))
		return false;
	arm(tunnel);
	return true;
}

static bool take_refusal(struct http_tunnel *tunnel)
{
	if (!is_body_whole(tunnel))
		return true;
	end_refused(tunnel);
	return false;
}

static bool take_head(struct http_tunnel *tunnel)
{
	const char *blank = memmem(tunnel->answer, tunnel->size, "\r\n\r\n", 4);

	tunnel->head =
		blank ? (size_t)(blank - tunnel->answer) + 4 : tunnel->size;
	if (tunnel->head > HEAD_MAX) {
		end_as(tunnel, -EPROTO,
		       "the head of its answer is larger than 64 KiB");
		return false;
	}
	if (!blank)
		return true;
	if (read_status(tunnel) < 0) {
		end_as(tunnel, -EPROTO, "it does not speak HTTP");
		return false;
	}
	if (tunnel->status == 101)
		return open_up(tunnel);
	tunnel->phase = REFUSED;
	loop_timer_set(tunnel->base.http->loop, &tunnel->late, REFUSAL, on_late,
		       tunnel);
	return take_refusal(tunnel);
}

/* ---- from the server ---- */

static bool on_bytes(struct http_tunnel *tunnel, char *bytes, size_t n)
{
	if (tunnel->phase == OPEN) {
		http_transfer_telling(&tunnel->base);
		tunnel->events->bytes(tunnel->user, bytes, n);
		return http_transfer_told(&tunnel->base);
	}
	memcpy(tunnel->answer + tunnel->size, bytes, n);
	tunnel->size += n;
	tunnel->answer[tunnel->size] = '\0';
	return tunnel->phase == ASKING ? take_head(tunnel)
				       : take_refusal(tunnel);
}

static bool take_rest(struct http_tunnel *tunnel)
{
	size_t n = tunnel->rest;

	tunnel->rest = 0;
	return on_bytes(tunnel, tunnel->answer + tunnel->head + 1, n);
}

static bool end_of_bytes(struct http_tunnel *tunnel)
{
	if (tunnel->phase == OPEN)
		end(tunnel, 0, "");
	else if (tunnel->phase == REFUSED)
		end_refused(tunnel);
	else
		end_as(tunnel, -ECONNRESET, "it closed without an answer");
	return false;
}

static void on_again(void *user);

/* Whether the tunnel is still there. */
static bool read_some(struct http_tunnel *tunnel)
{
	char bytes[READ_SIZE];

	for (int i = 0; i < READS_AT_ONCE && !is_held(tunnel); i++) {
		size_t room = sizeof(tunnel->answer) - 1 - tunnel->size, n = 0;
		bool any = tunnel->phase == OPEN || room > sizeof(bytes);
		CURLcode code;

		if (tunnel->rest > 0) {
			if (!take_rest(tunnel))
				return false;
			continue;
		}
		code = curl_easy_recv(tunnel->base.easy, bytes,
				      any ? sizeof(bytes) : room, &n);

		if (code == CURLE_AGAIN)
			return true;
		if (code != CURLE_OK) {
			end_as(tunnel, -ECONNRESET, curl_easy_strerror(code));
			return false;
		}
		if (n == 0)
			return end_of_bytes(tunnel);
		if (!on_bytes(tunnel, bytes, n))
			return false;
	}
	if (!is_held(tunnel))
		loop_timer_set(tunnel->base.http->loop, &tunnel->again, 0,
			       on_again, tunnel);
	return true;
}

static void on_again(void *user)
{
	read_some(user);
}

void http_tunnel_hold(struct http_tunnel *tunnel, bool hold)
{
	if (tunnel->held == hold)
		return;
	tunnel->held = hold;
	loop_timer_clear(&tunnel->again);
	if (tunnel->source && !hold)
		loop_timer_set(tunnel->base.http->loop, &tunnel->again, 0,
			       on_again, tunnel);
	arm(tunnel);
}

/* Its reason may still be there to be read. */
static void lose(struct http_tunnel *tunnel, int r, const char *text)
{
	tunnel->from = tunnel->to = 0;
	if (read_some(tunnel))
		end(tunnel, r, text);
}

static void on_ready(void *user, uint32_t events)
{
	struct http_tunnel *tunnel = user;
	bool waited = tunnel->to > tunnel->from;
	struct error err;
	int r = flush(tunnel, &err);

	if (r < 0) {
		lose(tunnel, r, err.text);
		return;
	}
	arm(tunnel);
	if (waited && tunnel->to == 0 && tunnel->phase == OPEN) {
		http_transfer_telling(&tunnel->base);
		tunnel->events->drained(tunnel->user);
		if (!http_transfer_told(&tunnel->base))
			return;
	}
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		read_some(tunnel);
}

/* ---- beginning ---- */

static void on_opened(struct http_transfer *transfer)
{
	struct http_tunnel *tunnel = (struct http_tunnel *)(void *)transfer;
	struct error err;
	int r;

	if (transfer->result != CURLE_OK) {
		http_failure(transfer, transfer->result, &err);
		end(tunnel, -ECONNREFUSED, err.text);
		return;
	}
	tunnel->phase = ASKING;
	curl_easy_getinfo(transfer->easy, CURLINFO_ACTIVESOCKET, &tunnel->fd);
	r = loop_fd_add(&tunnel->source, transfer->http->loop, tunnel->fd,
			EPOLLIN | EPOLLOUT, on_ready, tunnel, &err);
	if (r < 0)
		end(tunnel, r, err.text);
}

/* The request, as the first that waits in the queue. */
static int write_request(struct http_tunnel *tunnel,
			 const struct http_request *request, struct error *err)
{
	struct http_url url;
	int r = http_url_init(&url, request->url, err);
	CLEANUP(fclose) FILE *f = NULL;

	if (r == 0)
		f = fmemopen(tunnel->queue, sizeof(tunnel->queue), "w");
	if (f) {
		fprintf(f, "%s %s HTTP/1.1\r\nHost: %s\r\n", request->method,
			url.target, url.authority);
		for (const char *const *at = request->headers; at && *at; at++)
			fprintf(f, "%s\r\n", *at);
		fprintf(f, "\r\n");
	}
	http_url_fini(&url);
	if (r < 0)
		return r;
	if (!f || fflush(f) != 0 || ferror(f))
		return error_set(err, -EINVAL, "%s: the request is too long",
				 tunnel->base.peer);
	tunnel->to = (size_t)ftell(f);
	return 0;
}

static bool set_connect_only(CURL *easy)
{
	return !curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L) &&
	       !curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L) &&
	       !curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
				 (long)CURL_HTTP_VERSION_1_1);
}

int http_tunnel_start(struct http_tunnel **out, struct http *http,
		      const struct http_request *request,
		      const struct http_tunnel_events *events, void *user,
		      struct error *err)
{
	CLEANUP(http_tunnel_close)
	struct http_tunnel *tunnel = calloc(1, sizeof(*tunnel));
	int r;

	if (!tunnel)
		return error_set(err, -ENOMEM, "out of memory");
	tunnel->base.tell = on_opened;
	tunnel->base.destroy = destroy;
	tunnel->events = events;
	tunnel->user = user;
	tunnel->timeout = request->timeout;
	r = http_transfer_init(&tunnel->base, http, request, err);
	if (r == 0)
		r = write_request(tunnel, request, err);
	if (r < 0)
		return r;
	if (!set_connect_only(tunnel->base.easy))
		return error_set(err, -ENOMEM, "out of memory");
	r = http_transfer_begin(&tunnel->base, err);
	if (r < 0)
		return r;
	if (tunnel->timeout > 0)
		loop_timer_set(http->loop, &tunnel->late, tunnel->timeout,
			       on_late, tunnel);
	*out = STEAL(tunnel);
	return 0;
}
