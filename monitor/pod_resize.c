/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/pod_resize.h"

#include "base/list.h"
#include "kube/kube.h"
#include "monitor/pod_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OF_FIRST "spec.containers.0."

/* A quantity in thousandths: "2", "250m", "0.25", "250000u"; 0: none. */
static double read_milli(const char *text)
{
	static const struct {
		char suffix;
		double factor;
	} table[] = {{'n', 1e-6}, {'u', 1e-3}, {'m', 1},
		     {'k', 1e6},  {'M', 1e9},  {'\0', 1000}};
	char *end;
	double value = text ? strtod(text, &end) : 0;

	for (size_t i = 0; text && i < LENGTH(table); i++)
		if (*end == table[i].suffix)
			return value * table[i].factor;
	return 0;
}

static void put(cJSON *resources, const char *kind, unsigned shares)
{
	char text[16];

	snprintf(text, sizeof(text), "%um", shares);
	cJSON_AddStringToObject(cJSON_AddObjectToObject(resources, kind), "cpu",
				text);
}

cJSON *pod_resize_make(const cJSON *pod, unsigned shares)
{
	const char *name = kube_text(pod, OF_FIRST "name");
	double requested =
		read_milli(kube_text(pod, OF_FIRST "resources.requests.cpu"));
	cJSON *patch, *containers, *container, *resources;

	if (!name)
		return NULL;
	patch = cJSON_CreateObject();
	containers = cJSON_AddArrayToObject(
		cJSON_AddObjectToObject(patch, "spec"), "containers");
	container = cJSON_CreateObject();
	cJSON_AddItemToArray(containers, container);
	cJSON_AddStringToObject(container, "name", name);
	resources = cJSON_AddObjectToObject(container, "resources");
	put(resources, "limits", shares);
	if (pod_view_is_guaranteed(pod))
		put(resources, "requests", shares);
	else if (requested >= shares && shares > 1)
		/* just as much would be another class where memory is so */
		put(resources, "requests", shares - 1);
	return patch;
}

/* "Deferred: the node has not enough" of a condition that is true. */
static bool read_condition(const cJSON *pod, const char *type,
			   char why[POD_POOL_TEXT_MAX])
{
	const cJSON *at;

	cJSON_ArrayForEach(at, kube_at(pod, "status.conditions"))
	{
		const char *is = kube_text(at, "type");
		const char *status = kube_text(at, "status");
		const char *reason = kube_text(at, "reason");
		const char *message = kube_text(at, "message");

		if (!is || !status || strcmp(is, type) != 0 ||
		    strcmp(status, "True") != 0 || !reason)
			continue;
		snprintf(why, POD_POOL_TEXT_MAX, "%.40s%s%.180s", reason,
			 message ? ": " : "", message ? message : "");
		return true;
	}
	return false;
}

bool pod_resize_is_done(const cJSON *pod, unsigned shares,
			char why[POD_POOL_TEXT_MAX])
{
	double has = read_milli(
		kube_text(pod, "status.containerStatuses.0.resources.limits."
			       "cpu"));

	*why = '\0';
	if (fabs(has - shares) < 0.5)
		return true;
	if (!read_condition(pod, "PodResizePending", why) &&
	    !read_condition(pod, "PodResizeInProgress", why))
		snprintf(why, POD_POOL_TEXT_MAX,
			 "the kubelet of its node has not done it yet");
	return false;
}
