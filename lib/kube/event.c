/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Events
 *
 * Each is an object of its own with a name that is made here, so that a create
 * that is tried again makes one event, not two.
 */

#include "kube/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

enum {
	NOTE_MAX = 1024,
	WORD_MAX = 128,      /* reason, action, instance */
	NAME_PART_MAX = 200, /* of the object's; 253 with the rest */
};

/* RFC 3339 with microseconds, as MicroTime wants it. */
static void now(char *text, size_t size)
{
	struct timespec ts;
	struct tm tm;
	char seconds[32];

	clock_gettime(CLOCK_REALTIME, &ts);
	gmtime_r(&ts.tv_sec, &tm);
	strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, size, "%s.%06ldZ", seconds, ts.tv_nsec / 1000);
}

static void add_cut(cJSON *to, const char *key, const char *text, size_t max)
{
	char *copy = strdup(text);

	if (!copy)
		return;
	kube_cut(copy, max);
	cJSON_AddStringToObject(to, key, copy);
	free(copy);
}

static void add_reference(cJSON *to, const cJSON *object)
{
	static const char *const paths[] = {"apiVersion", "kind",
					    "metadata.namespace",
					    "metadata.name", "metadata.uid"};
	cJSON *out = cJSON_AddObjectToObject(to, "regarding");

	for (size_t i = 0; i < LENGTH(paths); i++) {
		const char *key = strrchr(paths[i], '.');
		const char *text = kube_text(object, paths[i]);

		if (text)
			cJSON_AddStringToObject(out, key ? key + 1 : paths[i],
						text);
	}
}

static cJSON *make(const struct kube_event *event, const char *namespace)
{
	cJSON *object = cJSON_CreateObject();
	cJSON *metadata = cJSON_AddObjectToObject(object, "metadata");
	const char *of = kube_text(event->regarding, "metadata.name");
	char name[256], at[64], host[256] = "";

	snprintf(name, sizeof(name), "%.*s.%08" PRIx32 "%08" PRIx32,
		 NAME_PART_MAX, of, arc4random(), arc4random());
	now(at, sizeof(at));
	if (gethostname(host, sizeof(host) - 1) < 0)
		strcpy(host, "localhost");

	cJSON_AddStringToObject(object, "apiVersion", "events.k8s.io/v1");
	cJSON_AddStringToObject(object, "kind", "Event");
	cJSON_AddStringToObject(metadata, "name", name);
	cJSON_AddStringToObject(metadata, "namespace", namespace);
	cJSON_AddStringToObject(object, "eventTime", at);
	cJSON_AddStringToObject(object, "reportingController",
				"bellows.io/monitor");
	add_cut(object, "reportingInstance", host, WORD_MAX);
	add_cut(object, "type", event->type, WORD_MAX);
	add_cut(object, "reason", event->reason, WORD_MAX);
	add_cut(object, "action", event->action, WORD_MAX);
	add_cut(object, "note", event->note, NOTE_MAX);
	add_reference(object, event->regarding);
	return object;
}

int kube_post_event(struct kube *kube, const struct kube_event *event,
		    kube_answer_f fn, void *user, struct error *err)
{
	const char *namespace =
		kube_text(event->regarding, "metadata.namespace");
	const struct kube_target target = {
		.kind = &kube_events,
		/* where events of what is in no namespace are looked for */
		.namespace = namespace ? namespace : "default",
	};
	cJSON *object;
	int r;

	if (!kube_text(event->regarding, "metadata.name") ||
	    !kube_text(event->regarding, "kind") ||
	    !kube_text(event->regarding, "apiVersion"))
		return error_set(err, -EINVAL,
				 "event %s: what it regards has no apiVersion, "
				 "kind or name",
				 event->reason);
	object = make(event, target.namespace);
	r = kube_create_object(kube, NULL, &target, object, 0, fn, user, err);
	cJSON_Delete(object);
	return r;
}
