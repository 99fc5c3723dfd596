/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/owner.h"

#include "base/list.h"
#include "kube/kube.h"
#include "monitor/owner_internal.h"
#include "monitor/pod_view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {
	[OWNER_VCJOB] = "vcjob",
	[OWNER_JOB] = "job",
	[OWNER_POD] = "pod",
};

/* As of RFC 1123, which pods and Services want. */
static bool is_label(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return n > 0 && name[n] == '\0' && name[0] != '-' && name[n - 1] != '-';
}

int owner_parse(struct owner_name *out, const char *text, struct error *err)
{
	for (size_t i = 0; i < LENGTH(kinds); i++) {
		size_t n = strlen(kinds[i]);

		if (strncmp(text, kinds[i], n) != 0 || text[n] != '/')
			continue;
		text += n + 1;
		if (!is_label(text) || strlen(text) > OWNER_NAME_MAX)
			return error_set(err, -EINVAL,
					 "--owner %s/%s: a name of 1 to %d of "
					 "a-z 0-9 -",
					 kinds[i], text, (int)OWNER_NAME_MAX);
		out->kind = (enum owner_kind)i;
		snprintf(out->name, sizeof(out->name), "%s", text);
		return 0;
	}
	return error_set(err, -EINVAL,
			 "--owner %s: vcjob/NAME, job/NAME or pod/NAME", text);
}

int owner_init(struct owner *owner, const struct owner_name *ref,
	       const char *task, const char *coordinator)
{
	*owner = (struct owner){.ref = *ref};
	owner->task = strdup(task);
	owner->coordinator = strdup(coordinator);
	return owner->task && owner->coordinator ? 0 : -ENOMEM;
}

void owner_fini(struct owner *owner)
{
	free(owner->task);
	free(owner->coordinator);
	cJSON_Delete(owner->object);
	cJSON_Delete(owner->podtemplate);
	*owner = (struct owner){0};
}

/* ---- reading ---- */

const cJSON *owner_first(const cJSON *object, const char *path)
{
	const cJSON *list = object ? kube_at(object, path) : NULL;

	return list ? list->child : NULL;
}

bool owner_is(const cJSON *object, const char *path, const char *expected)
{
	const char *text = kube_text(object, path);

	return text && strcmp(text, expected) == 0;
}

static const cJSON *find_task(const cJSON *object, const char *name)
{
	const cJSON *at = owner_first(object, "spec.tasks");

	while (at && !owner_is(at, "name", name))
		at = at->next;
	return at;
}

/* The task of the executors; NULL: there is none, or it was not read. */
static const cJSON *task_of(const struct owner *owner)
{
	return owner->ref.kind == OWNER_VCJOB && owner->object
		       ? find_task(owner->object, owner->task)
		       : NULL;
}

const cJSON *owner_template(const struct owner *owner)
{
	if (owner->ref.kind == OWNER_VCJOB)
		return kube_at(task_of(owner), "template");
	return kube_at(owner->podtemplate, "template");
}

static int replace(cJSON **old, const cJSON *new, struct error *err)
{
	cJSON *copy = cJSON_Duplicate(new, true);

	if (!copy)
		return error_set(err, -ENOMEM, "out of memory");
	cJSON_Delete(*old);
	*old = copy;
	return 0;
}

static int check_labels(const struct owner *owner, const cJSON *template,
			struct error *err)
{
	const struct {
		const char *name, *value;
	} labels[] = {
		{LABEL_JOB, owner->ref.name},
		{LABEL_ROLE, "executor"},
	};

	for (size_t i = 0; i < LENGTH(labels); i++) {
		const char *is = kube_text_in(template, "metadata.labels",
					      labels[i].name);

		if (!is || strcmp(is, labels[i].value) != 0)
			return error_set(err, -EINVAL,
					 "vcjob/%s: the template of its task "
					 "%s needs the label %s: %s, by which "
					 "its executors are found",
					 owner->ref.name, owner->task,
					 labels[i].name, labels[i].value);
	}
	return 0;
}

static int check_task(const struct owner *owner, const cJSON *object,
		      struct error *err)
{
	const cJSON *task = find_task(object, owner->task);
	const cJSON *template;

	if (!task)
		return error_set(err, -EINVAL,
				 "vcjob/%s has no task %s; --task says which "
				 "one is of executors",
				 owner->ref.name, owner->task);
	template = kube_at(task, "template");
	if (!owner_first(template, "spec.containers"))
		return error_set(err, -EINVAL,
				 "vcjob/%s: task %s has no container",
				 owner->ref.name, owner->task);
	return check_labels(owner, template, err);
}

int owner_read(struct owner *owner, const cJSON *object, struct error *err)
{
	int r = 0;

	if (!kube_text(object, "metadata.uid") ||
	    !kube_text(object, "metadata.resourceVersion"))
		return error_set(err, -EINVAL,
				 "%s/%s: the API shows it without uid",
				 kinds[owner->ref.kind], owner->ref.name);
	if (owner->ref.kind == OWNER_VCJOB)
		r = check_task(owner, object, err);
	return r < 0 ? r : replace(&owner->object, object, err);
}

int owner_read_template(struct owner *owner, const cJSON *podtemplate,
			struct error *err)
{
	if (!owner_first(podtemplate, "template.spec.containers"))
		return error_set(err, -EINVAL,
				 "podtemplate %s has no container",
				 kube_text(podtemplate, "metadata.name"));
	return replace(&owner->podtemplate, podtemplate, err);
}

const char *owner_uid(const struct owner *owner)
{
	return kube_text(owner->object, "metadata.uid");
}

static unsigned number(const cJSON *object, const char *path)
{
	long n = object ? kube_number(object, path, 0) : 0;

	return n < 0                        ? 0
	       : n > POD_POOL_EXECUTORS_MAX ? POD_POOL_EXECUTORS_MAX
					    : (unsigned)n;
}

unsigned owner_replicas(const struct owner *owner)
{
	return number(task_of(owner), "replicas");
}

unsigned owner_floor(const struct owner *owner)
{
	unsigned own = number(task_of(owner), "minAvailable");
	unsigned all = number(owner->object, "spec.minAvailable"), others = 0;
	const cJSON *at = owner_first(owner->object, "spec.tasks");

	if (!task_of(owner))
		return 0;
	for (; at; at = at->next)
		if (at != task_of(owner))
			others += number(at, "replicas");
	return all > others && all - others > own ? all - others : own;
}

/* ---- policies ---- */

static bool is_eviction(const cJSON *event)
{
	const char *text = cJSON_GetStringValue(event);

	return text &&
	       (strcmp(text, "PodEvicted") == 0 || strcmp(text, "*") == 0);
}

/* The event by which a policy is about a pod that is evicted; NULL: none. */
static const char *eviction_of(const cJSON *policy)
{
	const cJSON *at = owner_first(policy, "events");

	if (is_eviction(kube_at(policy, "event")))
		return kube_text(policy, "event");
	while (at && !is_eviction(at))
		at = at->next;
	return cJSON_GetStringValue(at);
}

static bool object_to(const cJSON *policies, const struct owner *owner,
		      const char *where, char text[POD_POOL_TEXT_MAX])
{
	for (; policies; policies = policies->next) {
		const char *event = eviction_of(policies);
		const char *action = kube_text(policies, "action");

		if (!event || !action || strcmp(action, "SyncJob") == 0)
			continue;
		snprintf(text, POD_POOL_TEXT_MAX,
			 "vcjob/%s has the policy %s: %s%s, so that one pod "
			 "that goes ends more than itself: remove it",
			 owner->ref.name, event, action, where);
		return true;
	}
	return false;
}

void owner_object_to(const struct owner *owner, char text[POD_POOL_TEXT_MAX])
{
	text[0] = '\0';
	if (!task_of(owner))
		return;
	if (!object_to(owner_first(owner->object, "spec.policies"), owner, "",
		       text))
		object_to(owner_first(task_of(owner), "policies"), owner,
			  " in a task", text);
}
