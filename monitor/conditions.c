/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/conditions.h"

#include "base/log.h"
#include "monitor/pod_view.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* Until a pod that is not there, was changed meanwhile, or an API that is away,
 * is asked again. */
#define AGAIN SECONDS(1)

static void look(void *user);

/* ---- the patch ---- */

static const cJSON *find(const cJSON *pod, const char *type)
{
	const cJSON *at;

	cJSON_ArrayForEach(at, kube_at(pod, "status.conditions"))
	{
		const char *is = kube_text(at, "type");

		if (is && strcmp(is, type) == 0)
			return at;
	}
	return NULL;
}

static bool is_ours(const struct condition wish[STATUS_CONDITIONS],
		    const char *type)
{
	for (size_t i = 0; type && i < STATUS_CONDITIONS; i++)
		if (strcmp(wish[i].type, type) == 0)
			return true;
	return false;
}

static cJSON *to_json(const struct condition *condition, const cJSON *before,
		      const char *now)
{
	const char *status = condition->holds ? "True" : "False";
	const char *was = before ? kube_text(before, "status") : NULL;
	const char *since =
		before ? kube_text(before, "lastTransitionTime") : NULL;
	cJSON *out = cJSON_CreateObject();

	if (!was || !since || strcmp(was, status) != 0)
		since = now;
	cJSON_AddStringToObject(out, "type", condition->type);
	cJSON_AddStringToObject(out, "status", status);
	cJSON_AddStringToObject(out, "lastTransitionTime", since);
	cJSON_AddStringToObject(out, "reason", condition->reason);
	cJSON_AddStringToObject(out, "message", condition->message);
	return out;
}

/* What makes a pod have them.  now: RFC 3339, in seconds, for those whose
 * status changes. */
static cJSON *make_patch(const struct condition wish[STATUS_CONDITIONS],
			 const cJSON *pod, const char *now)
{
	const char *version = kube_text(pod, "metadata.resourceVersion");
	cJSON *patch = cJSON_CreateObject();
	cJSON *metadata = cJSON_AddObjectToObject(patch, "metadata");
	cJSON *status = cJSON_AddObjectToObject(patch, "status");
	cJSON *all = cJSON_AddArrayToObject(status, "conditions");
	const cJSON *at;

	cJSON_AddStringToObject(metadata, "resourceVersion",
				version ? version : "");
	cJSON_ArrayForEach(at, kube_at(pod, "status.conditions"))
	{
		if (!is_ours(wish, kube_text(at, "type")))
			cJSON_AddItemToArray(all, cJSON_Duplicate(at, true));
	}
	for (size_t i = 0; i < STATUS_CONDITIONS; i++)
		cJSON_AddItemToArray(
			all, to_json(&wish[i], find(pod, wish[i].type), now));
	return patch;
}

/* ---- reading and writing ---- */

static void close_eyes(struct conditions *conditions, const char *text)
{
	log_warn("conditions are not told: %s", text);
	conditions->blind = true;
	conditions->dirty = false;
	conditions->rest(conditions->user);
}

/* True: it is done, and well. */
static bool is_done(struct conditions *conditions,
		    const struct kube_answer *answer)
{
	conditions->busy = false;
	if (answer->r == 0)
		return true;
	if (answer->r == -EACCES || answer->r == -EINVAL) {
		close_eyes(conditions, answer->text);
		return false;
	}
	conditions->dirty = true;
	loop_timer_set(conditions->loop, &conditions->again, AGAIN, look,
		       conditions);
	return false;
}

static void on_written(void *user, const struct kube_answer *answer)
{
	struct conditions *conditions = user;

	if (!is_done(conditions, answer))
		return;
	if (conditions->dirty)
		look(conditions);
	else
		conditions->rest(conditions->user);
}

static int write_to(struct conditions *conditions, const cJSON *pod,
		    struct error *err)
{
	const struct kube_target target = {
		.kind = conditions->pods.kind,
		.namespace = conditions->pods.namespace,
		.name = kube_text(pod, "metadata.name"),
		.subresource = "status",
	};
	char text[32];
	struct tm tm;
	time_t now = time(NULL);
	cJSON *patch;
	int r;

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	patch = make_patch(conditions->wish, pod, text);
	r = kube_patch(conditions->kube, NULL, &target, patch, 0, on_written,
		       conditions, err);
	cJSON_Delete(patch);
	return r;
}

static void on_pods(void *user, const struct kube_answer *answer)
{
	struct conditions *conditions = user;
	const cJSON *pod;
	struct error err;

	if (!is_done(conditions, answer))
		return;
	pod = pod_view_choose(answer->object);
	if (!pod) {
		loop_timer_set(conditions->loop, &conditions->again, AGAIN,
			       look, conditions);
		return;
	}
	if (write_to(conditions, pod, &err) < 0) {
		close_eyes(conditions, err.text);
		return;
	}
	conditions->busy = true;
	conditions->dirty = false;
}

static void look(void *user)
{
	struct conditions *conditions = user;
	struct error err;

	loop_timer_clear(&conditions->again);
	if (kube_get(conditions->kube, NULL, &conditions->pods, 0, on_pods,
		     conditions, &err) < 0)
		close_eyes(conditions, err.text);
	else
		conditions->busy = true;
}

/* ---- the wish ---- */

static bool differ(const struct condition *a, const struct condition *b)
{
	return !a->type || a->holds != b->holds ||
	       strcmp(a->reason, b->reason) != 0 ||
	       strcmp(a->message, b->message) != 0;
}

void conditions_hold(struct conditions *conditions,
		     const struct condition wish[STATUS_CONDITIONS])
{
	bool changed = false;

	for (size_t i = 0; i < STATUS_CONDITIONS; i++)
		changed |= differ(&conditions->wish[i], &wish[i]);
	if (!changed || conditions->blind)
		return;
	memcpy(conditions->wish, wish, sizeof(conditions->wish));
	conditions->dirty = true;
	if (!conditions->busy && !loop_timer_is_set(&conditions->again))
		look(conditions);
}

bool conditions_rest(const struct conditions *conditions)
{
	return !conditions->dirty && !conditions->busy;
}

void conditions_fini(struct conditions *conditions)
{
	loop_timer_clear(&conditions->again);
}
