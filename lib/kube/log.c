/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/log.h"

#include "kube/internal.h"

#include <errno.h>
#include <string.h>

/*
 * Each line comes with the instant at which it was printed (timestamps=true).
 * The API takes seconds to go on from (sinceTime), so of what it then says, the
 * lines up to the last instant that was seen are dropped.
 */

#define BACKOFF_FIRST MSEC(200)
#define BACKOFF_LAST  SECONDS(3)

enum { STAMP = 40, QUERY = 256 };

struct kube_log {
	struct kube *kube;
	struct kube_target target;
	char *namespace, *pod, *container;
	const struct kube_log_events *events;
	void *user;
	struct http_call *call;
	struct kube_waiter waiter;
	struct loop_timer timer;
	msec_t wait;
	bool held, troubled, renewed;

	char last[STAMP];  /* instant of the newest line; "": none */
	char since[STAMP]; /* the same when it was asked */
	char line[KUBE_LOG_LINE + STAMP];
	size_t n;
	bool within; /* a line whose first piece has been told */
	bool old;    /* and it was known: it is dropped */
};

static void begin_request(void *user);

static void retry(struct kube_log *log)
{
	if (log->held)
		return;
	loop_timer_set(log->kube->loop, &log->timer, log->wait, begin_request,
		       log);
	log->wait = log->wait * 2 < BACKOFF_LAST ? log->wait * 2 : BACKOFF_LAST;
}

/* ---- lines ---- */

/* Compares two times of RFC 3339 in UTC; the last zeros of a fraction may be
 * missing. */
static int compare_stamps(const char *a, const char *b)
{
	size_t i = 0;
	int order = strncmp(a, b, 19);

	if (order != 0 || strlen(a) < 20 || strlen(b) < 20)
		return order;
	a += 19 + (a[19] == '.');
	b += 19 + (b[19] == '.');
	for (; i < 9; i++) {
		char x = *a >= '0' && *a <= '9' ? *a++ : '0';
		char y = *b >= '0' && *b <= '9' ? *b++ : '0';

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

/* Length of the instant before text and the blank behind it; 0: there is none.
 */
static size_t take_stamp(char stamp[STAMP], const char *text, size_t n)
{
	const char *blank = memchr(text, ' ', n < STAMP ? n : STAMP);
	size_t k = blank ? (size_t)(blank - text) : 0;

	if (k < 20 || k >= STAMP || text[4] != '-' || text[10] != 'T')
		return 0;
	memcpy(stamp, text, k);
	stamp[k] = '\0';
	return k + 1;
}

static void hand_on_line(struct kube_log *log, const char *text, size_t n,
			 bool last)
{
	char stamp[STAMP];
	size_t k = 0;

	if (!log->within) {
		k = take_stamp(stamp, text, n);
		log->old = k && log->since[0] &&
			   compare_stamps(stamp, log->since) <= 0;
		if (k &&
		    (!log->last[0] || compare_stamps(stamp, log->last) > 0))
			strcpy(log->last, stamp);
	}
	log->within = !last;
	if (!log->old && n > k)
		log->events->lines(log->user, text + k, n - k);
}

static int on_piece(void *user, const char *bytes, size_t n)
{
	struct kube_log *log = user;

	log->wait = BACKOFF_FIRST;
	log->troubled = log->renewed = false;
	while (n > 0) {
		const char *newline = memchr(bytes, '\n', n);
		size_t k = newline ? (size_t)(newline + 1 - bytes) : n;

		if (k > sizeof(log->line) - log->n) {
			k = sizeof(log->line) - log->n;
			newline = NULL;
		}
		memcpy(log->line + log->n, bytes, k);
		log->n += k;
		bytes += k;
		n -= k;
		if (newline || log->n == sizeof(log->line)) {
			k = log->n;
			log->n = 0;
			hand_on_line(log, log->line, k, newline);
		}
	}
	return 0;
}

/* ---- asking ---- */

static void refused(struct kube_log *log, const struct http_answer *answer)
{
	const struct kube_act act = {
		.verb = "get",
		.target = log->target,
		.origin = log->kube->config->origin,
	};
	cJSON *status = cJSON_ParseWithLength(answer->body, answer->size);
	char text[KUBE_TEXT_MAX];
	struct kube_answer what = {.code = answer->status, .text = text};

	what.r = kube_refusal(text, &act, answer, status);
	cJSON_Delete(status);
	if (!log->troubled) {
		log->troubled = true;
		log->events->trouble(log->user, &what);
	}
}

static void on_done(void *user, const struct http_answer *answer)
{
	struct kube_log *log = user;
	bool waits = answer->status == 400;

	log->call = NULL;
	/* a line that was cut off comes again, whole */
	log->n = 0;
	log->within = false;
	if (answer->status == 401 && !log->renewed &&
	    kube_access_renew(log->kube)) {
		log->renewed = true;
		log->wait = 0;
	}
	retry(log);
	if (log->wait == 0)
		log->wait = BACKOFF_FIRST;
	else if (answer->status >= 200 && answer->status < 300)
		log->events->paused(log->user);
	else if (!waits) /* 400: the container has not been started yet */
		refused(log, answer);
}

static char *make_url(const struct kube_log *log, const char *server)
{
	char query[QUERY + 2 * STAMP];

	/* RFC 3339 without a fraction; ':' may stand in a query */
	snprintf(query, sizeof(query),
		 "container=%s&follow=true&"
		 "timestamps=true%s%.19s%s",
		 log->container, log->last[0] ? "&sinceTime=" : "", log->last,
		 log->last[0] ? "Z" : "");
	return kube_url(server, &log->target, query);
}

static int start(struct kube_log *log, const struct kube_access *access,
		 struct error *err)
{
	static const struct http_events events = {on_piece, on_done};
	CLEANUP(free) char *url = make_url(log, access->server);
	const char *headers[] = {"Accept: */*", access->authorization, NULL};
	const struct http_request request = {
		.method = "GET",
		.url = url,
		.headers = headers,
		.tls = &access->tls,
	};

	if (!url)
		return error_set(err, -ENOMEM, "out of memory");
	strcpy(log->since, log->last);
	return http_start(&log->call, log->kube->http, &request, &events, log,
			  err);
}

static void begin_request(void *user)
{
	struct kube_log *log = user;
	struct kube_access access;
	struct error err;
	int r = kube_access_get(log->kube, &access, &log->waiter, &err);

	if (r == 0)
		r = start(log, &access, &err);
	if (r >= 0)
		return;
	retry(log);
	if (!log->troubled) {
		const struct kube_answer what = {.r = r, .text = err.text};

		log->troubled = true;
		log->events->trouble(log->user, &what);
	}
}

int kube_log_start(struct kube_log **out, struct kube *kube,
		   const char *namespace, const char *pod,
		   const char *container, const struct kube_log_events *events,
		   void *user, struct error *err)
{
	struct kube_log *log = calloc(1, sizeof(*log));

	if (!log)
		return error_set(err, -ENOMEM, "out of memory");
	log->kube = kube;
	log->events = events;
	log->user = user;
	log->wait = BACKOFF_FIRST;
	log->namespace = strdup(namespace);
	log->pod = strdup(pod);
	log->container = kube_escape(container);
	log->waiter.fn = begin_request;
	log->waiter.user = log;
	list_init(&log->waiter.link);
	if (!log->namespace || !log->pod || !log->container ||
	    strlen(container) > QUERY / 4) {
		kube_log_stop(log);
		return error_set(err, -ENOMEM, "out of memory");
	}
	log->target = (struct kube_target){
		.kind = &kube_pods,
		.namespace = log->namespace,
		.name = log->pod,
		.subresource = "log",
	};
	loop_timer_set(kube->loop, &log->timer, 0, begin_request, log);
	*out = log;
	return 0;
}

void kube_log_hold(struct kube_log *log, bool hold)
{
	if (hold == log->held)
		return;
	log->held = hold;
	if (hold) {
		log->call = http_cancel(log->call);
		kube_waiter_clear(&log->waiter);
		loop_timer_clear(&log->timer);
		log->n = 0;
		log->within = false;
	} else {
		loop_timer_set(log->kube->loop, &log->timer, 0, begin_request,
			       log);
	}
}

struct kube_log *kube_log_stop(struct kube_log *log)
{
	if (!log)
		return NULL;
	http_cancel(log->call);
	kube_waiter_clear(&log->waiter);
	loop_timer_clear(&log->timer);
	free(log->namespace);
	free(log->pod);
	free(log->container);
	free(log);
	return NULL;
}
