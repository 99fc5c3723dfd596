/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HTTP_INTERNAL_H
#define HTTP_INTERNAL_H

/*
 * What the parts of lib/http share
 *
 *     http.c       curl's multi handle on the loop
 *     url.c        where a URL leads
 *     transfer.c   one easy handle, made of a request
 *     call.c       a request and its answer
 *     tunnel.c     a connection after its upgrade
 *     trust.c      is that PEM?
 *     failure.c    what went wrong, as a sentence
 *     websocket.c, websocket_open.c    frames; they need nothing of this
 *
 * Within callbacks of curl only bytes are stored.  The caller's functions run
 * when curl has returned, so they may start, cancel and destroy any transfer.
 */

#include "base/list.h"
#include "http/http.h"

#include <curl/curl.h>
#include <time.h>

#define HTTP_CONNECT_PATIENCE SECONDS(30)

enum { HTTP_PEER_MAX = 280 };

struct http_url {
	CURLU *parts;
	char *host; /* "[::1]" */
	char *port;
	char *target;                  /* "/api?limit=1" */
	char authority[HTTP_PEER_MAX]; /* what Host says */
	bool tls;
	bool here; /* it leads to this machine */
};

/* 0, or -EINVAL with a sentence for what is no URL of http or https.
 * http_url_fini() in either case. */
int http_url_init(struct http_url *url, const char *text, struct error *err);
void http_url_fini(struct http_url *url);

struct http {
	struct loop *loop;
	CURLM *multi;
	struct loop_timer timer;
	struct list sockets;
	struct list transfers;
	struct list ready; /* those that have something to tell */
	bool turning;      /* calls are being told: */
	bool dead;         /* it is freed after that */
};

/* What a call and a tunnel have in common; their first member. */
struct http_transfer {
	struct http *http;
	struct list link;  /* of http->transfers */
	struct list ready; /* of http->ready */
	CURL *easy;
	struct curl_slist *headers, *connect_to;
	char peer[HTTP_PEER_MAX]; /* "example.org port 6443" */
	char words[CURL_ERROR_SIZE];
	bool over; /* curl is through with it: */
	CURLcode result;
	bool telling, dead; /* as in struct http */

	/* Outside of curl; may free it. */
	void (*tell)(struct http_transfer *transfer);
	void (*destroy)(struct http_transfer *transfer);
};

/* The easy handle, with what the request says; not given to curl yet.
 * What was made is freed by http_transfer_fini() also after a failure. */
int http_transfer_init(struct http_transfer *transfer, struct http *http,
		       const struct http_request *request, struct error *err);
int http_transfer_begin(struct http_transfer *transfer, struct error *err);
void http_transfer_fini(struct http_transfer *transfer);

/* Frees the struct that the transfer is the first member of: at once, or when
 * the callback that is running has returned. */
void http_transfer_free(struct http_transfer *transfer);

/* Before and after a callback, which may destroy anything.  Returns whether the
 * transfer is still there. */
void http_transfer_telling(struct http_transfer *transfer);
bool http_transfer_told(struct http_transfer *transfer);

/* It has something to tell. */
void http_transfer_ready(struct http_transfer *transfer);

/* 0, or -EINVAL with a sentence. */
int http_trust_check(const struct http_tls *tls, struct error *err);

/* The sentence of a transfer that curl has ended with result. */
void http_failure(const struct http_transfer *transfer, CURLcode result,
		  struct error *err);

/* A Retry-After, in seconds or a date, from now; a day at most.  -1: it is
 * neither. */
msec_t http_retry_after(const char *text, time_t now);

#endif
