/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

/*
 * Requests over HTTP and TLS, on the loop
 *
 * libcurl's multi interface is driven by the loop's descriptors and timers, so
 * nothing blocks and there is no thread.  Connections are kept and shared.  A
 * call is one request and one answer, whole or in pieces as they come (a
 * watch); a tunnel is a connection that is the caller's after an upgrade (a
 * port forward).  Nothing is retried here and no redirection is followed:
 * the caller knows whether it may.
 *
 * Proxies are those of the environment (HTTPS_PROXY, NO_PROXY and so on), as
 * users of kubectl expect; this machine itself is never behind one.
 */

#include "base/cleanup.h"
#include "base/error.h"
#include "base/time.h"
#include "loop/loop.h"

struct http;
struct http_call;

/* The authority that servers must have, and our own certificate and key.  Texts
 * in PEM; all optional. */
struct http_tls {
	const char *ca; /* NULL: those of the system */
	const char *cert, *key;
	const char
		*name; /* that the certificate must be for, if not the URL's */
	bool unverified; /* as its user has asked for */
};

struct http_request {
	const char *method; /* "GET" */
	const char *url;
	const char *const
		*headers; /* "Accept: text/plain", ends with NULL; or NULL */
	const char *body; /* NULL: none */
	size_t size;
	const struct http_tls *tls; /* NULL: defaults */
	msec_t timeout; /* for the whole answer; 0: none but 30 s to connect */
	msec_t idle;    /* without a byte; 0: none */
	size_t max;     /* bytes of an answer that is gathered; 0: 16 MiB */
	bool direct;    /* by no proxy, whatever the environment names */
};

struct http_answer {
	int status;       /* 200; 0: there was no answer */
	const char *body; /* gathered, ends with NUL; "" if in pieces */
	size_t size;
	msec_t retry_after;  /* from now, as the header says, a day at most;
				negative: it does not */
	const char *failure; /* status 0: a sentence naming host and cause */
};

struct http_events {
	/* Optional: the answer in pieces, if its status is 2xx; another one's
	 * is gathered.  A negative result ends the call with failure. */
	int (*piece)(void *user, const char *bytes, size_t n);

	/* Once, and last; the call is freed after it. */
	void (*done)(void *user, const struct http_answer *answer);
};

int http_create(struct http **out, struct loop *loop, struct error *err);

/* Ends what is under way without a word of it.  Returns NULL. */
struct http *http_destroy(struct http *http);

DEFINE_CLEANUP(struct http, http_destroy)

/* Borrows events; copies the rest.  No event comes from within.  -EINVAL with
 * a sentence for a URL or PEM that is none. */
int http_start(struct http_call **out, struct http *http,
	       const struct http_request *request,
	       const struct http_events *events, void *user, struct error *err);

/* No event comes any more.  Returns NULL; NULL is nothing. */
struct http_call *http_cancel(struct http_call *call);

/* Writes text as a part of a URL, of letters, digits, - . _ ~ and %XX, and
 * returns where its NUL is; to has room for three bytes of each and the NUL. */
char *http_escape(char *to, const char *text);

#endif
