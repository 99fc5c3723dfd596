/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One call: a request, tried again while that may help and is safe
 *
 *     resting --timer--> asking for access --> under way --answer--> done
 *        ^                                          |
 *        '--------------- may be tried again -------'
 *
 * A try gets half of the time that is left, ten seconds at least, so that one
 * that is swallowed by the network is not the only one.  After a try without an
 * answer it is not known whether the object was made; if the next one finds it
 * there, it is ours, and is read, if it may be.
 */

#include "kube/internal.h"

#include "base/backoff.h"
#include "base/secret.h"

#include <errno.h>
#include <string.h>

#define BACKOFF      MSEC(200)
#define BACKOFF_LAST SECONDS(5)
#define TRY_LEAST    SECONDS(10)

enum {
	LAST_TRY = 1000, /* time that a try is worth starting with */
	ANSWER_MAX = 64 << 20,
};

struct kube_call {
	struct list link;
	struct kube *kube;
	struct kube_act act;
	char *namespace, *name, *subresource, *query; /* that act points to */
	const char *method, *type;
	char *body;   /* or NULL */
	bool reading; /* what was there already is being read */
	bool renewed; /* a token was read anew */
	bool unsure;  /* an earlier try may have been carried out */
	unsigned tries;
	msec_t until, try_until, deadline;
	struct http_call *request;
	struct kube_waiter waiter;
	struct loop_timer timer;
	kube_answer_f fn;
	void *user;
};

static void try(void *user);

struct kube_call *kube_cancel(struct kube_call *call)
{
	if (!call)
		return NULL;
	if (call->link.next)
		list_remove(&call->link);
	http_cancel(call->request);
	kube_waiter_clear(&call->waiter);
	loop_timer_clear(&call->timer);
	free(call->namespace);
	free(call->name);
	free(call->subresource);
	free(call->query);
	secret_free(call->body);
	free(call);
	return NULL;
}

DEFINE_CLEANUP(struct kube_call, kube_cancel)

void kube_calls_cancel(struct kube *kube)
{
	list_for_each (at, &kube->calls)
		kube_cancel(CONTAINER(at, struct kube_call, link));
}

/* ---- the end ---- */

static void finish(struct kube_call *call, const struct kube_answer *answer)
{
	kube_answer_f fn = call->fn;
	void *user = call->user;

	kube_cancel(call);
	if (fn)
		fn(user, answer);
}

static void fail(struct kube_call *call, int r, int code, const char *text)
{
	const struct kube_answer answer = {.r = r, .code = code, .text = text};

	finish(call, &answer);
}

/* Ends a call that never reached the API. */
static void fail_before(struct kube_call *call, int r, const char *why)
{
	char text[KUBE_TEXT_MAX];

	kube_act_say(text, &call->act, why);
	fail(call, r, 0, text);
}

static void give_up(struct kube_call *call, const struct http_answer *answer,
		    const cJSON *status)
{
	char text[KUBE_TEXT_MAX];
	int r = kube_refusal(text, &call->act, answer, status);
	size_t n = strlen(text);

	if (answer->status == 0 && loop_now() >= call->try_until)
		r = -ETIMEDOUT;
	if (call->tries > 1)
		snprintf(text + n, sizeof(text) - n,
			 "; tried %u times within %lld s", call->tries,
			 (long long)call->deadline / 1000);
	fail(call, r, answer->status, text);
}

static void succeed(struct kube_call *call, const struct http_answer *answer,
		    const cJSON *object)
{
	const struct kube_answer good = {
		.code = answer->status, .object = object, .text = ""};

	if (cJSON_IsObject(object))
		finish(call, &good);
	else
		fail_before(call, -EIO,
			    "the answer is no object of Kubernetes; is "
			    "that its API?");
}

/* A user who may create objects may lack the right to read them: the object is
 * taken to be as it was sent. */
static void succeed_unread(struct kube_call *call,
			   const struct http_answer *answer)
{
	cJSON *sent = cJSON_Parse(call->body);

	succeed(call, answer, sent);
	cJSON_Delete(sent);
}

/* ---- answers ---- */

static bool may_pass(const struct kube_call *call,
		     const struct http_answer *answer, const cJSON *status)
{
	const char *reason = kube_text(status, "reason");
	int code = answer->status;

	/* another client counts a quota at the same moment */
	if (code == 409 && reason && strcmp(reason, "Conflict") == 0 &&
	    strcmp(call->act.verb, "create") == 0)
		return true;
	return code == 0 || code == 429 ||
	       (code >= 500 && code != 501 && code != 505);
}

/* Sets the timer for another try, if there is time for one. */
static bool again(struct kube_call *call, msec_t retry_after)
{
	msec_t left = call->until - loop_now();
	msec_t wait = backoff(call->tries - 1, BACKOFF, BACKOFF_LAST);

	if (wait > left - LAST_TRY)
		wait = left - LAST_TRY;
	if (wait < retry_after)
		wait = retry_after;
	if (wait < 0 || wait >= left)
		return false;
	loop_timer_set(call->kube->loop, &call->timer, wait, try, call);
	return true;
}

/* One of that name is there, and an earlier try may have made it. */
static bool read_instead(struct kube_call *call, const cJSON *status)
{
	const char *reason = kube_text(status, "reason");

	if (!call->unsure || !call->name || call->reading || !reason ||
	    strcmp(reason, "AlreadyExists") != 0)
		return false;
	call->reading = true;
	loop_timer_set(call->kube->loop, &call->timer, 0, try, call);
	return true;
}

static bool goes_on(struct kube_call *call, const struct http_answer *answer,
		    const cJSON *status)
{
	if (answer->status == 401 && !call->renewed) {
		call->renewed = true;
		if (!kube_access_renew(call->kube))
			return false;
		loop_timer_set(call->kube->loop, &call->timer, 0, try, call);
		return true;
	}
	if (answer->status == 409 && read_instead(call, status))
		return true;
	if (!may_pass(call, answer, status))
		return false;
	if (answer->status == 0 || answer->status >= 500)
		call->unsure = true;
	return again(call, answer->retry_after);
}

static void on_done(void *user, const struct http_answer *answer)
{
	struct kube_call *call = user;
	cJSON *body = cJSON_ParseWithLength(answer->body ? answer->body : "",
					    answer->size);

	call->request = NULL;
	if (call->reading && answer->status == 403)
		succeed_unread(call, answer);
	else if (answer->status >= 200 && answer->status < 300)
		succeed(call, answer, body);
	else if (!goes_on(call, answer, body))
		give_up(call, answer, body);
	cJSON_Delete(body);
}

/* ---- tries ---- */

static char *url_of(const struct kube_call *call,
		    const struct kube_access *access)
{
	struct kube_target target = call->act.target;

	/* a new object is put among all of its kind */
	if (strcmp(call->act.verb, "create") == 0 && !call->reading &&
	    !target.subresource)
		target.name = NULL;
	return kube_url(access->server, &target, NULL);
}

static int send_request(struct kube_call *call,
			const struct kube_access *access, struct error *err)
{
	static const struct http_events events = {.done = on_done};
	CLEANUP(free) char *url = url_of(call, access);
	const char *headers[4] = {"Accept: application/json"};
	msec_t left = call->until - loop_now();
	msec_t time = left / 2 > TRY_LEAST ? left / 2 : TRY_LEAST;
	const bool bare = call->reading || !call->body;
	struct http_request request = {
		.method = call->reading ? "GET" : call->method,
		.url = url,
		.headers = headers,
		.body = bare ? NULL : call->body,
		.size = bare ? 0 : strlen(call->body),
		.tls = &access->tls,
		.direct = access->direct,
		.timeout = time < left ? time : left,
		.max = ANSWER_MAX,
	};
	size_t k = 1;

	if (!url)
		return error_set(err, -ENOMEM, "out of memory");
	if (access->authorization)
		headers[k++] = access->authorization;
	if (request.body)
		headers[k++] = call->type;
	call->try_until = loop_now() + request.timeout;
	call->tries++;
	return http_start(&call->request, call->kube->http, &request, &events,
			  call, err);
}

static void try(void *user)
{
	struct kube_call *call = user;
	struct kube_access access;
	struct error err;
	int r;

	if (loop_now() >= call->until) {
		fail_before(call, -ETIMEDOUT, "no answer before the deadline");
		return;
	}
	/* a plugin may take longer than this call has */
	loop_timer_set(call->kube->loop, &call->timer, call->until - loop_now(),
		       try, call);
	r = kube_access_get(call->kube, &access, &call->waiter, &err);
	if (r > 0)
		return;
	loop_timer_clear(&call->timer);
	if (r == 0)
		r = send_request(call, &access, &err);
	if (r < 0)
		fail_before(call, r, err.text);
}

/* ---- the beginning ---- */

static bool copy(char **out, const char *text)
{
	*out = text ? strdup(text) : NULL;
	return !text || *out;
}

static int check(const struct kube_target *target, struct error *err)
{
	if ((target->name && !*target->name) ||
	    (target->namespace && !*target->namespace))
		return error_set(err, -EINVAL,
				 "%s: an empty name; the name of an object and "
				 "its namespace",
				 target->kind->plural);
	return 0;
}

/* Refuses a call without a name, which would be for all objects of the kind. */
static int check_named(const char *verb, const struct kube_target *target,
		       struct error *err)
{
	return target->name
		       ? 0
		       : error_set(err, -EINVAL, "%s %s: a name is missing",
				   verb, target->kind->plural);
}

static int make(struct kube_call **out, struct kube *kube, const char *verb,
		const char *method, const struct kube_target *target,
		const char *name, msec_t deadline, struct error *err)
{
	CLEANUP(kube_cancel) struct kube_call *call = calloc(1, sizeof(*call));
	int r = check(target, err);

	if (!call)
		return error_set(err, -ENOMEM, "out of memory");
	if (r < 0)
		return r;
	if (!copy(&call->namespace, target->namespace) ||
	    !copy(&call->name, name) ||
	    !copy(&call->subresource, target->subresource) ||
	    !copy(&call->query, target->query))
		return error_set(err, -ENOMEM, "out of memory");
	call->kube = kube;
	call->method = method;
	call->deadline = deadline ? deadline : KUBE_DEADLINE;
	call->waiter = (struct kube_waiter){.fn = try, .user = call};
	call->act = (struct kube_act){
		.verb = verb,
		.target = {target->kind, call->namespace, call->name,
			   call->subresource, call->query},
		.origin = kube->config->origin,
	};
	*out = STEAL(call);
	return 0;
}

/* Takes the call. */
static int begin_call(struct kube_call **out, struct kube_call *call,
		      kube_answer_f fn, void *user)
{
	call->fn = fn;
	call->user = user;
	call->until = loop_now() + call->deadline;
	list_append(&call->kube->calls, &call->link);
	loop_timer_set(call->kube->loop, &call->timer, 0, try, call);
	if (out)
		*out = call;
	return 0;
}

static int set_body(struct kube_call *call, const char *type,
		    const cJSON *object, struct error *err)
{
	call->type = type;
	call->body = cJSON_PrintUnformatted(object);
	return call->body ? 0 : error_set(err, -ENOMEM, "out of memory");
}

int kube_get(struct kube *kube, struct kube_call **out,
	     const struct kube_target *target, msec_t deadline,
	     kube_answer_f fn, void *user, struct error *err)
{
	CLEANUP(kube_cancel) struct kube_call *call = NULL;
	int r = make(&call, kube, target->name ? "get" : "list", "GET", target,
		     target->name, deadline, err);

	return r < 0 ? r : begin_call(out, STEAL(call), fn, user);
}

int kube_create_object(struct kube *kube, struct kube_call **out,
		       const struct kube_target *target, const cJSON *object,
		       msec_t deadline, kube_answer_f fn, void *user,
		       struct error *err)
{
	CLEANUP(kube_cancel) struct kube_call *call = NULL;
	const char *name = target->name ? target->name
					: kube_text(object, "metadata.name");
	int r = make(&call, kube, "create", "POST", target, name, deadline,
		     err);

	/* their names are of chance, and libcurl tries again by itself where a
	 * connection that was used before has ended */
	if (r == 0)
		call->unsure = target->kind == &kube_events;
	if (r == 0)
		r = set_body(call, "Content-Type: application/json", object,
			     err);
	return r < 0 ? r : begin_call(out, STEAL(call), fn, user);
}

/* Makes the call; the caller begins it. */
static int make_patch(struct kube_call **out, struct kube *kube,
		      const struct kube_target *target, const char *type,
		      const cJSON *patch, msec_t deadline, struct error *err)
{
	CLEANUP(kube_cancel) struct kube_call *call = NULL;
	int r = check_named("patch", target, err);

	if (r == 0)
		r = make(&call, kube, "patch", "PATCH", target, target->name,
			 deadline, err);
	if (r == 0)
		r = set_body(call, type, patch, err);
	if (r == 0)
		*out = STEAL(call);
	return r;
}

int kube_patch(struct kube *kube, struct kube_call **out,
	       const struct kube_target *target, const cJSON *patch,
	       msec_t deadline, kube_answer_f fn, void *user, struct error *err)
{
	struct kube_call *call;
	int r = make_patch(&call, kube, target,
			   "Content-Type: application/merge-patch+json", patch,
			   deadline, err);

	return r < 0 ? r : begin_call(out, call, fn, user);
}

int kube_patch_items(struct kube *kube, struct kube_call **out,
		     const struct kube_target *target, const cJSON *patch,
		     msec_t deadline, kube_answer_f fn, void *user,
		     struct error *err)
{
	struct kube_call *call;
	int r = make_patch(
		&call, kube, target,
		"Content-Type: application/strategic-merge-patch+json", patch,
		deadline, err);

	return r < 0 ? r : begin_call(out, call, fn, user);
}

static int set_options(struct kube_call *call, const char *uid, int grace,
		       struct error *err)
{
	cJSON *options = cJSON_CreateObject();
	int r;

	cJSON_AddStringToObject(options, "apiVersion", "v1");
	cJSON_AddStringToObject(options, "kind", "DeleteOptions");
	/* an object may go before what it owns, as with kubectl */
	cJSON_AddStringToObject(options, "propagationPolicy", "Background");
	if (grace >= 0)
		cJSON_AddNumberToObject(options, "gracePeriodSeconds", grace);
	if (uid)
		cJSON_AddStringToObject(
			cJSON_AddObjectToObject(options, "preconditions"),
			"uid", uid);
	r = set_body(call, "Content-Type: application/json", options, err);
	cJSON_Delete(options);
	return r;
}

int kube_delete(struct kube *kube, struct kube_call **out,
		const struct kube_target *target, const char *uid, int grace,
		msec_t deadline, kube_answer_f fn, void *user,
		struct error *err)
{
	CLEANUP(kube_cancel) struct kube_call *call = NULL;
	int r = check_named("delete", target, err);

	if (r == 0)
		r = make(&call, kube, "delete", "DELETE", target, target->name,
			 deadline, err);
	if (r == 0)
		r = set_options(call, uid, grace, err);
	return r < 0 ? r : begin_call(out, STEAL(call), fn, user);
}
