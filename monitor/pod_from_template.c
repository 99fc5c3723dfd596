/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/kube.h"
#include "monitor/owner_internal.h"
#include "monitor/pod_view.h"

#include <stdio.h>
#include <string.h>

/*
 * Pods of our own, after the owner's template
 *
 * What Volcano's job controller adds to the pods of a task is added here too,
 * except the index, version and retry count, by which it knows pods to be its
 * own.
 */

#define VOLCANO "volcano.sh/"

/* Trees that are whole or were never there: what cannot be added is noted. */
struct maker {
	bool failed;
};

static cJSON *put(struct maker *maker, cJSON *object, const char *key,
		  cJSON *item)
{
	cJSON_DeleteItemFromObjectCaseSensitive(object, key);
	if (!item || !cJSON_AddItemToObject(object, key, item)) {
		cJSON_Delete(item);
		maker->failed = true;
		return NULL;
	}
	return item;
}

static void put_text(struct maker *maker, cJSON *object, const char *key,
		     const char *text)
{
	put(maker, object, key, cJSON_CreateString(text));
}

/* The object at key; made if there is none. */
static cJSON *within(struct maker *maker, cJSON *object, const char *key)
{
	cJSON *at = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsObject(at)
		       ? at
		       : put(maker, object, key, cJSON_CreateObject());
}

static cJSON *list_within(struct maker *maker, cJSON *object, const char *key)
{
	cJSON *at = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsArray(at) ? at
				 : put(maker, object, key, cJSON_CreateArray());
}

static cJSON *append(struct maker *maker, cJSON *list)
{
	cJSON *item = cJSON_CreateObject();

	if (!item || !cJSON_AddItemToArray(list, item)) {
		cJSON_Delete(item);
		maker->failed = true;
		return NULL;
	}
	return item;
}

static void put_if_absent(struct maker *maker, cJSON *object, const char *key,
			  const char *text)
{
	if (text && *text && !cJSON_HasObjectItem(object, key))
		put_text(maker, object, key, text);
}

/* ---- metadata ---- */

static void put_reference(struct maker *maker, cJSON *metadata,
			  const struct owner *owner)
{
	static const struct {
		const char *version, *kind;
	} kinds[] = {
		[OWNER_VCJOB] = {"batch.volcano.sh/v1alpha1", "Job"},
		[OWNER_JOB] = {"batch/v1", "Job"},
		[OWNER_POD] = {"v1", "Pod"},
	};
	cJSON *list =
		put(maker, metadata, "ownerReferences", cJSON_CreateArray());
	cJSON *reference = append(maker, list);

	put_text(maker, reference, "apiVersion",
		 kinds[owner->ref.kind].version);
	put_text(maker, reference, "kind", kinds[owner->ref.kind].kind);
	put_text(maker, reference, "name", owner->ref.name);
	put_text(maker, reference, "uid", owner_uid(owner));
	put(maker, reference, "controller", cJSON_CreateFalse());
	put(maker, reference, "blockOwnerDeletion", cJSON_CreateFalse());
}

static void put_volcano(struct maker *maker, cJSON *labels, cJSON *annotations,
			const struct owner *owner)
{
	static const char *const inherited[] = {
		VOLCANO "preemptable",
		VOLCANO "cooldown-time",
		VOLCANO "revocable-zone",
	};
	const char *queue = kube_text(owner->object, "spec.queue");
	char group[OWNER_NAME_MAX + POD_POOL_UID_MAX + 2];

	snprintf(group, sizeof(group), "%s-%s", owner->ref.name,
		 owner_uid(owner));
	put_text(maker, labels, VOLCANO "job-name", owner->ref.name);
	put_text(maker, labels, VOLCANO "job-namespace",
		 kube_text(owner->object, "metadata.namespace"));
	put_text(maker, labels, VOLCANO "task-spec", owner->task);
	put_text(maker, annotations, VOLCANO "job-name", owner->ref.name);
	put_text(maker, annotations, VOLCANO "task-spec", owner->task);
	put_text(maker, annotations, "scheduling.k8s.io/group-name", group);
	if (queue) {
		put_text(maker, labels, VOLCANO "queue-name", queue);
		put_text(maker, annotations, VOLCANO "queue-name", queue);
	}
	for (size_t i = 0; i < sizeof(inherited) / sizeof(*inherited); i++)
		put_if_absent(maker, annotations, inherited[i],
			      kube_text_in(owner->object,
					   "metadata.annotations",
					   inherited[i]));
}

static void put_metadata(struct maker *maker, cJSON *pod,
			 const struct owner *owner, const char *name)
{
	const cJSON *from = kube_at(owner_template(owner), "metadata");
	cJSON *metadata = put(maker, pod, "metadata", cJSON_CreateObject());
	cJSON *labels, *annotations;

	if (kube_at(from, "labels"))
		put(maker, metadata, "labels",
		    cJSON_Duplicate(kube_at(from, "labels"), true));
	if (kube_at(from, "annotations"))
		put(maker, metadata, "annotations",
		    cJSON_Duplicate(kube_at(from, "annotations"), true));
	labels = within(maker, metadata, "labels");
	annotations = within(maker, metadata, "annotations");
	put_text(maker, metadata, "name", name);
	put_text(maker, labels, LABEL_JOB, owner->ref.name);
	put_text(maker, labels, LABEL_ROLE, "executor");
	put_text(maker, labels, LABEL_MANAGER, MANAGER);
	put_reference(maker, metadata, owner);
	if (owner->ref.kind == OWNER_VCJOB)
		put_volcano(maker, labels, annotations, owner);
}

/* ---- spec ---- */

static cJSON *find_variable(cJSON *env, const char *name)
{
	cJSON *at = env->child;

	while (at && !owner_is(at, "name", name))
		at = at->next;
	return at;
}

static void put_environment(struct maker *maker, cJSON *container,
			    const struct owner *owner)
{
	cJSON *env = list_within(maker, container, "env");
	cJSON *role = env ? find_variable(env, "BELLOWS_ROLE") : NULL;
	cJSON *at;

	if (!env)
		return;
	if (!role) {
		role = append(maker, env);
		put_text(maker, role, "name", "BELLOWS_ROLE");
	}
	cJSON_DeleteItemFromObjectCaseSensitive(role, "valueFrom");
	put_text(maker, role, "value", "executor");
	if (!find_variable(env, "BELLOWS_COORDINATOR")) {
		at = append(maker, env);
		put_text(maker, at, "name", "BELLOWS_COORDINATOR");
		put_text(maker, at, "value", owner->coordinator);
	}
	if (!find_variable(env, "BELLOWS_POD_IP")) {
		at = append(maker, env);
		put_text(maker, at, "name", "BELLOWS_POD_IP");
		at = within(maker, at, "valueFrom");
		at = within(maker, at, "fieldRef");
		put_text(maker, at, "fieldPath", "status.podIP");
	}
}

/* The Job's own volumes, which its controller mounts everywhere. */
static void put_volumes(struct maker *maker, cJSON *spec,
			const struct owner *owner)
{
	const cJSON *from = owner_first(owner->object, "spec.volumes");

	for (unsigned i = 0; from; from = from->next, i++) {
		const char *claim = kube_text(from, "volumeClaimName");
		const char *path = kube_text(from, "mountPath");
		const cJSON *first = owner_first(spec, "containers");
		char name[32];
		cJSON *at;

		if (!claim || !path)
			continue;
		snprintf(name, sizeof(name), "job-volume-%u", i);
		at = append(maker, list_within(maker, spec, "volumes"));
		put_text(maker, at, "name", name);
		at = within(maker, at, "persistentVolumeClaim");
		put_text(maker, at, "claimName", claim);
		for (cJSON *c = (cJSON *)first; c; c = c->next) {
			at = append(maker,
				    list_within(maker, c, "volumeMounts"));
			put_text(maker, at, "name", name);
			put_text(maker, at, "mountPath", path);
		}
	}
}

static void put_spec(struct maker *maker, cJSON *pod, const struct owner *owner,
		     const char *name)
{
	cJSON *spec = put(
		maker, pod, "spec",
		cJSON_Duplicate(kube_at(owner_template(owner), "spec"), true));
	cJSON *containers =
		cJSON_GetObjectItemCaseSensitive(spec, "containers");

	if (!containers || !containers->child)
		return;
	put_text(maker, spec, "restartPolicy", "Never");
	put_text(maker, spec, "hostname", name);
	put_environment(maker, containers->child, owner);
	if (owner->ref.kind != OWNER_VCJOB)
		return;
	put_if_absent(maker, spec, "subdomain", owner->ref.name);
	put_if_absent(maker, spec, "schedulerName",
		      kube_text(owner->object, "spec.schedulerName"));
	put_if_absent(maker, spec, "schedulerName", "volcano");
	put_if_absent(maker, spec, "priorityClassName",
		      kube_text(owner->object, "spec.priorityClassName"));
	put_volumes(maker, spec, owner);
}

cJSON *owner_make_pod(const struct owner *owner, const char *name)
{
	struct maker maker = {0};
	cJSON *pod = cJSON_CreateObject();

	put_text(&maker, pod, "apiVersion", "v1");
	put_text(&maker, pod, "kind", "Pod");
	put_metadata(&maker, pod, owner, name);
	put_spec(&maker, pod, owner, name);
	if (!maker.failed)
		return pod;
	cJSON_Delete(pod);
	return NULL;
}

/* A merge patch replaces lists whole, so all tasks are in it. */
cJSON *owner_make_patch(const struct owner *owner, unsigned replicas)
{
	struct maker maker = {0};
	cJSON *patch = cJSON_CreateObject();
	cJSON *metadata = within(&maker, patch, "metadata");
	cJSON *spec = within(&maker, patch, "spec");
	cJSON *tasks = put(
		&maker, spec, "tasks",
		cJSON_Duplicate(kube_at(owner->object, "spec.tasks"), true));
	cJSON *at = tasks ? tasks->child : NULL;

	put_text(&maker, metadata, "resourceVersion",
		 kube_text(owner->object, "metadata.resourceVersion"));
	while (at && !owner_is(at, "name", owner->task))
		at = at->next;
	put(&maker, at, "replicas", cJSON_CreateNumber(replicas));
	if (!maker.failed)
		return patch;
	cJSON_Delete(patch);
	return NULL;
}
