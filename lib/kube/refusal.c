/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a refusal of the API means
 *
 * The code of HTTP says too little: 403 is RBAC, a quota or an admission
 * plugin, 409 a name that is taken or a change by another client, and 404 may
 * be of a kind that is not installed.  The Status in the body tells them apart,
 * in part only by its message.
 */

#include "kube/internal.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

struct saying {
	const struct kube_act *act;
	const cJSON *status;
	const char *message; /* of the Status, or the body's beginning */
	const char *reason;
	int code;
	char *text; /* of KUBE_TEXT_MAX */
};

void kube_cut(char *text, size_t max)
{
	size_t n = strlen(text);

	if (n <= max)
		return;
	for (n = max; n > 0 && (text[n] & 0xc0) == 0x80;)
		n--;
	text[n] = '\0';
}

/* "create pods heat-0 in namespace heat" */
static void put_act(char *text, size_t size, const struct kube_act *act)
{
	const struct kube_target *target = &act->target;

	snprintf(text, size, "%s %s%s%s%s%s%s%s", act->verb,
		 target->kind->plural, target->subresource ? "/" : "",
		 target->subresource ? target->subresource : "",
		 target->name ? " " : "", target->name ? target->name : "",
		 target->namespace ? " in namespace " : "",
		 target->namespace ? target->namespace : "");
}

void kube_act_say(char text[static KUBE_TEXT_MAX], const struct kube_act *act,
		  const char *what)
{
	char whole[2 * KUBE_TEXT_MAX], name[KUBE_TEXT_MAX / 2];

	put_act(name, sizeof(name), act);
	snprintf(whole, sizeof(whole), "%s: %.*s", name, KUBE_TEXT_MAX, what);
	kube_cut(whole, KUBE_TEXT_MAX - 1);
	for (char *at = whole; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = ' ';
	strcpy(text, whole);
}

static int say(struct saying *saying, int r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int say(struct saying *saying, int r, const char *fmt, ...)
{
	char what[KUBE_TEXT_MAX + 1];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	kube_act_say(saying->text, saying->act, what);
	return r;
}

static bool has(const struct saying *saying, const char *part)
{
	return strstr(saying->message, part) != NULL;
}

static bool is(const struct saying *saying, const char *reason)
{
	return strcmp(saying->reason, reason) == 0;
}

static int say_message(struct saying *saying, int r)
{
	return say(saying, r, "the API refuses it: %s", saying->message);
}

static int unknown(struct saying *saying)
{
	return say(saying, -EACCES,
		   "the API does not know us; a valid token or certificate is "
		   "needed in %s",
		   saying->act->origin);
}

/* ---- 403 ---- */

/* Message: pods is forbidden: User "NAME" cannot create resource "pods" ... */
static int forbidden(struct saying *saying)
{
	static const char mark[] = "User \"";
	const struct kube_target *target = &saying->act->target;
	const char *user = strstr(saying->message, mark);
	int n = 0;

	if (user) {
		user += strlen(mark);
		n = (int)strcspn(user, "\"");
	}
	return say(saying, -EACCES,
		   "forbidden for %.*s; its role needs the verb \"%s\" on "
		   "\"%s%s%s\"%s%s",
		   n > 0 ? n : 2, n > 0 ? user : "us", saying->act->verb,
		   target->kind->plural, target->subresource ? "/" : "",
		   target->subresource ? target->subresource : "",
		   *target->kind->group ? " of " : "", target->kind->group);
}

static int on_403(struct saying *saying)
{
	const char *quota = strstr(saying->message, "exceeded quota: ");

	if (quota)
		return say(saying, -EDQUOT,
			   "%s; a larger quota, or less that uses it", quota);
	/* anything but RBAC has something against what was sent */
	if (!is(saying, "Forbidden") ||
	    (has(saying, "User \"") && has(saying, "\" cannot ")))
		return forbidden(saying);
	return say_message(saying, -EINVAL);
}

/* ---- 404, 409 ---- */

static int on_404(struct saying *saying)
{
	const struct kube_kind *kind = saying->act->target.kind;
	const char *name = kube_text(saying->status, "details.name");
	const char *of = kube_text(saying->status, "details.kind");

	if (!name || !*name)
		return say(saying, -ENOENT,
			   "the server has no \"%s\" of %s%s%s; what defines "
			   "them must be installed",
			   kind->plural, kind->group, *kind->group ? "/" : "",
			   kind->version);
	if (of && strcmp(of, kind->plural) != 0)
		return say(saying, -ENOENT, "%s", saying->message);
	return say(saying, -ENOENT, "there is none");
}

static int on_409(struct saying *saying)
{
	if (is(saying, "AlreadyExists"))
		return say(saying, -EEXIST, "one of this name is there");
	return say(saying, -EAGAIN, "it was changed meanwhile: %s",
		   saying->message);
}

/* ---- all ---- */

static int judge(struct saying *saying)
{
	switch (saying->code) {
	case 401:
		return unknown(saying);
	case 403:
		return on_403(saying);
	case 404:
		return on_404(saying);
	case 409:
		return on_409(saying);
	case 400:
	case 405:
	case 406:
	case 413:
	case 415:
	case 422:
		return say_message(saying, -EINVAL);
	case 429:
		return say(saying, -EIO, "the API has too much to do: %s",
			   saying->message);
	default:
		return say(saying, -EIO, "the API answers with %d: %s",
			   saying->code, saying->message);
	}
}

/* The first line, as far as it can be shown. */
static void beginning(char *to, size_t size, const char *body)
{
	size_t n = strcspn(body, "\r\n");

	n = n < size - 1 ? n : size - 1;
	for (size_t i = 0; i < n; i++)
		to[i] = body[i] >= ' ' && body[i] <= '~' ? body[i] : '?';
	to[n] = '\0';
}

int kube_refusal(char text[static KUBE_TEXT_MAX], const struct kube_act *act,
		 const struct http_answer *answer, const cJSON *status)
{
	const char *message = kube_text(status, "message");
	const char *reason = kube_text(status, "reason");
	char body[128] = "";
	struct saying saying = {
		.act = act,
		.status = status,
		.reason = reason ? reason : "",
		.code = answer->status,
		.text = text,
	};

	if (answer->status == 0)
		return say(&saying, -ECONNREFUSED, "no answer: %s",
			   answer->failure ? answer->failure : "");
	if (!message && answer->body)
		beginning(body, sizeof(body), answer->body);
	saying.message = message && *message ? message
			 : *body             ? body
					     : "it does not say why";
	return judge(&saying);
}
