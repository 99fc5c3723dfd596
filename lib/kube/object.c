/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/kube.h"

#include <string.h>

enum { KEY_MAX = 256 };

const struct kube_kind kube_pods = {"", "v1", "pods"};
const struct kube_kind kube_services = {"", "v1", "services"};
const struct kube_kind kube_secrets = {"", "v1", "secrets"};
const struct kube_kind kube_configmaps = {"", "v1", "configmaps"};
const struct kube_kind kube_podtemplates = {"", "v1", "podtemplates"};
const struct kube_kind kube_jobs = {"batch", "v1", "jobs"};
const struct kube_kind kube_vcjobs = {"batch.volcano.sh", "v1alpha1", "jobs"};
const struct kube_kind kube_podgroups = {"scheduling.volcano.sh", "v1beta1",
					 "podgroups"};
const struct kube_kind kube_events = {"events.k8s.io", "v1", "events"};

static const cJSON *step(const cJSON *at, const char *key)
{
	char *end;
	long index;

	if (!cJSON_IsArray(at))
		return cJSON_GetObjectItemCaseSensitive(at, key);
	index = strtol(key, &end, 10);
	if (*end || end == key || index < 0 || index > INT32_MAX)
		return NULL;
	return cJSON_GetArrayItem(at, (int)index);
}

const cJSON *kube_at(const cJSON *object, const char *path)
{
	while (object && *path) {
		size_t n = strcspn(path, ".");
		char key[KEY_MAX];

		if (n >= sizeof(key))
			return NULL;
		memcpy(key, path, n);
		key[n] = '\0';
		object = step(object, key);
		path += n + (path[n] == '.');
	}
	return object;
}

const char *kube_text(const cJSON *object, const char *path)
{
	return cJSON_GetStringValue(kube_at(object, path));
}

const char *kube_text_in(const cJSON *object, const char *path, const char *key)
{
	return cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(kube_at(object, path), key));
}

long kube_number(const cJSON *object, const char *path, long otherwise)
{
	const cJSON *at = kube_at(object, path);

	/* what does not fit is no number that we could mean */
	if (!cJSON_IsNumber(at) || !(at->valuedouble > -9e15) ||
	    !(at->valuedouble < 9e15))
		return otherwise;
	return (long)at->valuedouble;
}
