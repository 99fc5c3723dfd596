/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A list, and a watch from there on
 *
 *     listing --last page--> watching --closed--> watching ...
 *        ^                      |
 *        '------- 410 ----------'
 *
 * What is known of the server is the version: with one it watches, without one
 * it lists.  Pages are told when the last has come: an object of a list that
 * had to be begun again may be gone meanwhile, without an event.  A
 * watch that the server closes is normal, and one that broke is tried again
 * from where it was; waits between failures grow until something is heard.
 */

#include "kube/internal.h"

#include "base/backoff.h"
#include "kube/stream.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define LIST_TIMEOUT MINUTES(1)
#define BACKOFF      MSEC(200)
#define BACKOFF_LAST SECONDS(30)
#define LASTED       SECONDS(5)  /* a watch that did was a good one */
#define WATCH_LATE   SECONDS(30) /* for a server that does not close it */

enum {
	PAGE = 100,    /* four megabytes of pods, as a tree */
	WATCH_S = 240, /* and up to a quarter more, lest all come at once */
	ANSWER_MAX = 64 << 20,
	LIST_ANEW = 3, /* failures, after which our version may be lost there */
};

struct kube_watch {
	struct list link;
	struct kube *kube;
	struct kube_target target;
	char *namespace, *query; /* that target points to */
	const struct kube_watch_events *events;
	void *user;
	char *version; /* to watch from; NULL: to be listed */
	char *next;    /* page; NULL: the first */
	cJSON *pages;  /* texts of those that came, an array */
	struct kube_stream stream;
	struct http_call *request;
	struct kube_waiter waiter;
	struct loop_timer timer;
	msec_t begun;
	unsigned failures;
	bool open;    /* something was heard on this connection */
	bool renewed; /* a token was read anew, and nothing heard since */
	char told[KUBE_TEXT_MAX]; /* the trouble that was told last, since */
	bool *gone; /* set when this is freed; NULL: nothing needs to know */
};

DEFINE_CLEANUP(struct kube_watch, kube_watch_stop)

static void reopen(void *user);

static void set_text(char **at, const char *text)
{
	free(*at);
	*at = text ? strdup(text) : NULL;
}

static void drop_pages(struct kube_watch *watch)
{
	cJSON_Delete(watch->pages);
	watch->pages = NULL;
	set_text(&watch->next, NULL);
}

struct kube_watch *kube_watch_stop(struct kube_watch *watch)
{
	if (!watch)
		return NULL;
	if (watch->gone)
		*watch->gone = true;
	if (watch->link.next)
		list_remove(&watch->link);
	http_cancel(watch->request);
	kube_waiter_clear(&watch->waiter);
	loop_timer_clear(&watch->timer);
	drop_pages(watch);
	kube_stream_fini(&watch->stream);
	free(watch->version);
	free(watch->namespace);
	free(watch->query);
	free(watch);
	return NULL;
}

/* ---- what went wrong ---- */

static struct kube_act act_of(const struct kube_watch *watch)
{
	return (struct kube_act){
		.verb = watch->version ? "watch" : "list",
		.target = watch->target,
		.origin = watch->kube->config->origin,
	};
}

static void rest(struct kube_watch *watch, msec_t at_least)
{
	msec_t wait = backoff(watch->failures, BACKOFF, BACKOFF_LAST);

	watch->failures++;
	loop_timer_set(watch->kube->loop, &watch->timer,
		       wait > at_least ? wait : at_least, reopen, watch);
}

/* Last in whatever calls it: the watch may be gone after it. */
static void say(struct kube_watch *watch, int r, int code, const char *text)
{
	const struct kube_answer answer = {.r = r, .code = code, .text = text};

	if (strcmp(watch->told, text) == 0)
		return;
	snprintf(watch->told, sizeof(watch->told), "%s", text);
	if (watch->events->trouble)
		watch->events->trouble(watch->user, &answer);
}

/* A failure that has no answer of HTTP. */
static void fail(struct kube_watch *watch, const struct kube_act *act, int r,
		 int code, const char *why)
{
	char text[KUBE_TEXT_MAX];

	kube_act_say(text, act, why);
	rest(watch, 0);
	say(watch, r, code, text);
}

static void list_anew(struct kube_watch *watch)
{
	drop_pages(watch);
	set_text(&watch->version, NULL);
}

static void refused(struct kube_watch *watch, const struct http_answer *answer)
{
	const struct kube_act act = act_of(watch);
	const int code = answer->status;
	char text[KUBE_TEXT_MAX];
	cJSON *status;
	int r;

	if (code == 410) {
		list_anew(watch);
		rest(watch, 0);
		return;
	}
	if (code == 401 && !watch->renewed && kube_access_renew(watch->kube)) {
		watch->renewed = true;
		rest(watch, 0);
		return;
	}
	if (code == 400 || (code >= 500 && watch->failures >= LIST_ANEW))
		list_anew(watch);
	status = cJSON_ParseWithLength(answer->body, answer->size);
	r = kube_refusal(text, &act, answer, status);
	cJSON_Delete(status);
	rest(watch, answer->retry_after);
	say(watch, r, code, text);
}

static void heard(struct kube_watch *watch)
{
	watch->failures = 0;
	watch->open = true;
	watch->renewed = false;
	*watch->told = '\0';
}

/* ---- listing ---- */

/* Items of a list leave out what the list says. */
static void complete(const cJSON *list, cJSON *item)
{
	const char *version = kube_text(list, "apiVersion");
	const char *kind = kube_text(list, "kind");
	size_t n = kind ? strlen(kind) : 0;
	char of[64];

	if (n <= 4 || n - 4 >= sizeof(of) || !version)
		return;
	snprintf(of, sizeof(of), "%.*s", (int)n - 4, kind);
	if (!cJSON_GetObjectItemCaseSensitive(item, "kind"))
		cJSON_AddStringToObject(item, "kind", of);
	if (!cJSON_GetObjectItemCaseSensitive(item, "apiVersion"))
		cJSON_AddStringToObject(item, "apiVersion", version);
}

/* Whether the watch is still there. */
static bool tell_items(struct kube_watch *watch, const cJSON *list)
{
	bool gone = false;
	cJSON *item;

	watch->gone = &gone;
	cJSON_ArrayForEach(item, kube_at(list, "items"))
	{
		complete(list, item);
		watch->events->object(watch->user, KUBE_THERE, item);
		if (gone)
			return false;
	}
	watch->gone = NULL;
	return true;
}

static bool tell_listed(struct kube_watch *watch)
{
	bool gone = false;

	watch->gone = &gone;
	if (watch->events->listed)
		watch->events->listed(watch->user);
	if (!gone)
		watch->gone = NULL;
	return !gone;
}

static bool tell_pages(struct kube_watch *watch, const cJSON *pages,
		       const cJSON *last)
{
	const cJSON *page;

	if (watch->events->listing)
		watch->events->listing(watch->user);
	cJSON_ArrayForEach(page, pages)
	{
		cJSON *list = cJSON_Parse(page->valuestring);
		bool there = tell_items(watch, list);

		cJSON_Delete(list);
		if (!there)
			return false;
	}
	return tell_items(watch, last) && tell_listed(watch);
}

static bool is_list(const cJSON *list)
{
	const char *version = kube_text(list, "metadata.resourceVersion");
	const cJSON *items = kube_at(list, "items");
	const cJSON *item;

	cJSON_ArrayForEach(item, items) if (!cJSON_IsObject(item)) return false;
	return version && *version &&
	       (cJSON_IsArray(items) || cJSON_IsNull(items));
}

/* As text, which is a sixth of what it is as a tree. */
static void hold(struct kube_watch *watch, const char *text)
{
	if (!watch->pages)
		watch->pages = cJSON_CreateArray();
	cJSON_AddItemToArray(watch->pages, cJSON_CreateString(text));
}

static void on_last(struct kube_watch *watch, const cJSON *list)
{
	cJSON *pages = STEAL(watch->pages);

	set_text(&watch->next, NULL);
	set_text(&watch->version, kube_text(list, "metadata.resourceVersion"));
	if (tell_pages(watch, pages, list))
		reopen(watch);
	cJSON_Delete(pages);
}

static void on_page(struct kube_watch *watch, const char *text,
		    const cJSON *list)
{
	const struct kube_act act = act_of(watch);
	const char *next = kube_text(list, "metadata.continue");

	if (!is_list(list)) {
		fail(watch, &act, -EIO, 200,
		     "the answer is no list of Kubernetes; is that its API?");
		return;
	}
	watch->renewed = false;
	*watch->told = '\0';
	if (!next || !*next) {
		on_last(watch, list);
		return;
	}
	hold(watch, text);
	set_text(&watch->next, next);
	reopen(watch);
}

static void on_list(void *user, const struct http_answer *answer)
{
	struct kube_watch *watch = user;
	cJSON *list;

	watch->request = NULL;
	if (answer->status != 200) {
		refused(watch, answer);
		return;
	}
	list = cJSON_ParseWithLength(answer->body, answer->size);
	on_page(watch, answer->body, list);
	cJSON_Delete(list);
}

/* ---- watching ---- */

static int on_error(struct kube_watch *watch, const cJSON *status)
{
	const struct kube_act act = act_of(watch);
	const char *message = kube_text(status, "message");
	long code = kube_number(status, "code", 0);

	watch->request = http_cancel(watch->request);
	if (code == 410 || watch->failures >= LIST_ANEW)
		list_anew(watch);
	if (code == 410)
		rest(watch, 0);
	else
		fail(watch, &act, -EIO, (int)code,
		     message ? message : "an error");
	return -ECANCELED;
}

static int on_event(void *user, enum kube_stream_kind kind, const cJSON *object)
{
	struct kube_watch *watch = user;
	const char *version = kube_text(object, "metadata.resourceVersion");
	bool gone = false;

	if (kind == KUBE_STREAM_ERROR)
		return on_error(watch, object);
	heard(watch);
	if (version && *version)
		set_text(&watch->version, version);
	if (kind == KUBE_STREAM_BOOKMARK)
		return 0;
	watch->gone = &gone;
	watch->events->object(watch->user,
			      kind == KUBE_STREAM_GONE ? KUBE_GONE : KUBE_THERE,
			      object);
	if (gone)
		return -ECANCELED;
	watch->gone = NULL;
	return 0;
}

static int on_piece(void *user, const char *bytes, size_t n)
{
	struct kube_watch *watch = user;
	const struct kube_act act = act_of(watch);
	struct error err;
	int r = kube_stream_feed(&watch->stream, bytes, n, on_event, watch,
				 &err);

	/* by us, and everything is done */
	if (r == 0 || r == -ECANCELED)
		return 0;
	watch->request = http_cancel(watch->request);
	list_anew(watch);
	fail(watch, &act, -EIO, 200, err.text);
	return 0;
}

static void on_closed(void *user, const struct http_answer *answer)
{
	struct kube_watch *watch = user;
	bool lasted = loop_now() - watch->begun >= LASTED;
	bool closed = answer->status == 200;

	watch->request = NULL;
	/* one that broke is opened again; only if that fails is it trouble */
	if (answer->status == 0 && lasted && watch->failures == 0)
		watch->open = true;
	if (closed && lasted)
		heard(watch);
	if (closed && watch->open)
		loop_timer_set(watch->kube->loop, &watch->timer,
			       backoff(0, BACKOFF, BACKOFF_LAST), reopen,
			       watch);
	else if (closed || (answer->status == 0 && watch->open))
		rest(watch, 0);
	else
		refused(watch, answer);
}

/* ---- requests ---- */

static char *query_of(const struct kube_watch *watch)
{
	CLEANUP(free)
	char *text = kube_escape(watch->version ? watch->version
				 : watch->next  ? watch->next
						: "");
	char *out;
	int r;

	if (!text)
		return NULL;
	if (watch->version)
		r = asprintf(&out,
			     "watch=true&allowWatchBookmarks=true&"
			     "timeoutSeconds=%u&resourceVersion=%s",
			     WATCH_S + arc4random_uniform(WATCH_S / 4), text);
	else
		r = asprintf(&out, "limit=%d%s%s", PAGE,
			     *text ? "&continue=" : "", text);
	return r < 0 ? NULL : out;
}

static int send_request(struct kube_watch *watch,
			const struct kube_access *access, struct error *err)
{
	static const struct http_events lists = {.done = on_list};
	static const struct http_events watches = {.piece = on_piece,
						   .done = on_closed};
	CLEANUP(free) char *query = query_of(watch);
	CLEANUP(free) char *url = NULL;
	const char *const headers[] = {"Accept: application/json",
				       access->authorization, NULL};
	struct http_request request = {
		.method = "GET",
		.headers = headers,
		.tls = &access->tls,
		.direct = access->direct,
		.timeout = LIST_TIMEOUT,
		.max = ANSWER_MAX,
	};

	if (query)
		url = kube_url(access->server, &watch->target, query);
	if (!url)
		return error_set(err, -ENOMEM, "out of memory");
	request.url = url;
	if (watch->version)
		request.timeout = SECONDS(WATCH_S + WATCH_S / 4) + WATCH_LATE;
	kube_stream_fini(&watch->stream);
	watch->open = false;
	watch->begun = loop_now();
	return http_start(&watch->request, watch->kube->http, &request,
			  watch->version ? &watches : &lists, watch, err);
}

static void reopen(void *user)
{
	struct kube_watch *watch = user;
	const struct kube_act act = act_of(watch);
	struct kube_access access;
	struct error err;
	int r = kube_access_get(watch->kube, &access, &watch->waiter, &err);

	if (r == 0)
		r = send_request(watch, &access, &err);
	if (r < 0)
		fail(watch, &act, r, 0, err.text);
}

/* ---- life ---- */

static bool copy(char **out, const char *text)
{
	*out = text ? strdup(text) : NULL;
	return !text || *out;
}

int kube_watch_start(struct kube_watch **out, struct kube *kube,
		     const struct kube_target *target,
		     const struct kube_watch_events *events, void *user,
		     struct error *err)
{
	CLEANUP(kube_watch_stop)
	struct kube_watch *watch = calloc(1, sizeof(*watch));

	assert(!target->name);
	if (!watch || !copy(&watch->namespace, target->namespace) ||
	    !copy(&watch->query, target->query))
		return error_set(err, -ENOMEM, "out of memory");
	watch->kube = kube;
	watch->target = (struct kube_target){.kind = target->kind,
					     .namespace = watch->namespace,
					     .query = watch->query};
	watch->events = events;
	watch->user = user;
	watch->waiter = (struct kube_waiter){.fn = reopen, .user = watch};
	list_append(&kube->watches, &watch->link);
	loop_timer_set(kube->loop, &watch->timer, 0, reopen, watch);
	*out = STEAL(watch);
	return 0;
}
