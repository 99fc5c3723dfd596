/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HTTP_TUNNEL_H
#define HTTP_TUNNEL_H

/*
 * A connection that an HTTP server lets go: after `101 Switching Protocols`
 * its bytes, both ways, are the caller's
 *
 * TLS and its names are as of any request.  What is sent waits in a queue of at
 * most HTTP_TUNNEL_QUEUE bytes: a caller that has filled it waits for
 * drained().
 */

#include "http/http.h"

enum { HTTP_TUNNEL_QUEUE = 256 * 1024 };

struct http_tunnel;

struct http_tunnel_events {
	/* answer: its head, status line and headers, as text. */
	void (*open)(void *user, const char *answer);
	void (*bytes)(void *user, const void *bytes, size_t n);
	void (*drained)(void *user); /* the queue is empty again */
	/* Optional; just before the end: the answer was another one than 101.
	 * body: as it came, 8 KiB at most. */
	void (*refused)(void *user, int status, const char *body);
	/* Once, and last: 0 if the server closed it, or a sentence. */
	void (*ended)(void *user, int r, const char *text);
};

/* request: GET without a body; Host, Connection and Upgrade among its headers
 * are the caller's but for Host.  timeout: until it is open. */
int http_tunnel_start(struct http_tunnel **out, struct http *http,
		      const struct http_request *request,
		      const struct http_tunnel_events *events, void *user,
		      struct error *err);

/* All or nothing: -EAGAIN if the queue has no room for it now.  An empty one
 * has room for HTTP_TUNNEL_QUEUE bytes, and n is no more than that. */
int http_tunnel_send(struct http_tunnel *tunnel, const void *bytes, size_t n);

/* Whether bytes() is wanted: flow control towards the server. */
void http_tunnel_hold(struct http_tunnel *tunnel, bool hold);

/* No event comes any more.  Returns NULL; NULL is nothing. */
struct http_tunnel *http_tunnel_close(struct http_tunnel *tunnel);

#endif
