/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/pod_view.h"

#include "base/list.h"
#include "kube/kube.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(const cJSON *object, const char *path)
{
	const char *text = kube_text(object, path);

	return text ? text : "";
}

static const cJSON *first(const cJSON *object, const char *path)
{
	const cJSON *list = kube_at(object, path);

	return list ? list->child : NULL;
}

static bool is_owned_by(const cJSON *pod, const char *owner)
{
	const cJSON *at = first(pod, "metadata.ownerReferences");

	while (at && strcmp(text_of(at, "uid"), owner) != 0)
		at = at->next;
	return at != NULL;
}

static bool read_phase(enum pod_pool_phase *phase, const char *text)
{
	static const struct {
		const char *text;
		enum pod_pool_phase phase;
	} table[] = {
		{"Pending", POD_POOL_PENDING},
		{"Running", POD_POOL_RUNNING},
		{"Unknown", POD_POOL_RUNNING}, /* its node is silent */
		{"Succeeded", POD_POOL_SUCCEEDED},
		{"Failed", POD_POOL_FAILED},
	};

	for (size_t i = 0; i < LENGTH(table); i++) {
		if (strcmp(table[i].text, text) != 0)
			continue;
		*phase = table[i].phase;
		return true;
	}
	return false;
}

/* ---- which ---- */

static int standing(const cJSON *pod)
{
	enum pod_pool_phase phase = POD_POOL_PENDING;

	if (kube_at(pod, "metadata.deletionTimestamp"))
		return 0;
	read_phase(&phase, text_of(pod, "status.phase"));
	return phase == POD_POOL_PENDING || phase == POD_POOL_RUNNING ? 2 : 1;
}

static bool is_better(const cJSON *pod, const cJSON *than)
{
	static const char made[] = "metadata.creationTimestamp";

	if (standing(pod) != standing(than))
		return standing(pod) > standing(than);
	return strcmp(text_of(pod, made), text_of(than, made)) > 0;
}

const cJSON *pod_view_choose(const cJSON *list)
{
	const cJSON *at = first(list, "items"), *best = at;

	for (; at; at = at->next)
		if (is_better(at, best))
			best = at;
	return best;
}

void pod_view_query(char out[POD_VIEW_QUERY_MAX], const char *job,
		    const char *role)
{
	snprintf(out, POD_VIEW_QUERY_MAX,
		 "labelSelector=bellows.io%%2Fjob%%3D%s%%2C"
		 "bellows.io%%2Frole%%3D%s",
		 job, role);
}

/* ---- what keeps it ---- */

static bool is_about_image(const char *reason)
{
	static const char *const reasons[] = {
		"ErrImagePull",      "ImagePullBackOff",  "InvalidImageName",
		"ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable",
	};

	for (size_t i = 0; i < LENGTH(reasons); i++)
		if (strcmp(reasons[i], reason) == 0)
			return true;
	return false;
}

static bool is_stuck(const char *reason)
{
	static const char *const reasons[] = {
		"CreateContainerConfigError",
		"CreateContainerError",
		"RunContainerError",
		"CrashLoopBackOff",
	};

	for (size_t i = 0; i < LENGTH(reasons); i++)
		if (strcmp(reasons[i], reason) == 0)
			return true;
	return is_about_image(reason);
}

/* A container that waits; others may run. */
static void read_waiting(struct pod_view *out, const cJSON *status,
			 char why[POD_POOL_TEXT_MAX])
{
	const char *reason = text_of(status, "state.waiting.reason");
	const char *message = text_of(status, "state.waiting.message");

	if (out->hitch == POD_POOL_STUCK || !*reason)
		return;
	if (is_about_image(reason))
		snprintf(why, POD_POOL_TEXT_MAX,
			 "image %.80s is not to be had (%s): %.120s",
			 text_of(status, "image"), reason, message);
	else
		snprintf(why, POD_POOL_TEXT_MAX, "%s%s%.150s", reason,
			 *message ? ": " : "", message);
	if (is_stuck(reason))
		out->hitch = POD_POOL_STUCK;
}

static void read_scheduled(struct pod_view *out, const cJSON *pod,
			   char why[POD_POOL_TEXT_MAX])
{
	const cJSON *at = first(pod, "status.conditions");

	for (; at; at = at->next) {
		const char *message = text_of(at, "message");

		if (strcmp(text_of(at, "type"), "PodScheduled") != 0 ||
		    strcmp(text_of(at, "status"), "False") != 0)
			continue;
		out->hitch = POD_POOL_UNPLACED;
		snprintf(why, POD_POOL_TEXT_MAX, "%.200s",
			 *message ? message : text_of(at, "reason"));
	}
}

static void read_hitch(struct pod_view *out, const cJSON *pod,
		       char why[POD_POOL_TEXT_MAX])
{
	static const char *const lists[] = {"status.initContainerStatuses",
					    "status.containerStatuses"};

	for (size_t i = 0; i < LENGTH(lists); i++)
		for (const cJSON *at = first(pod, lists[i]); at; at = at->next)
			read_waiting(out, at, why);
	if (out->hitch == POD_POOL_NO_HITCH)
		read_scheduled(out, pod, why);
}

/* ---- how it ended ---- */

static void read_terminated(const cJSON *end, long code,
			    char why[POD_POOL_TEXT_MAX])
{
	const char *reason = text_of(end, "reason");
	const char *message = text_of(end, "message");

	if (strcmp(reason, "Error") == 0 || strcmp(reason, "Completed") == 0)
		reason = "";
	snprintf(why, POD_POOL_TEXT_MAX, "%.40s%sexit code %ld%s%.120s", reason,
		 *reason ? ", " : "", code, *message ? ": " : "", message);
}

/* By the first container that failed, or by the first. */
static void read_end(const cJSON *pod, char why[POD_POOL_TEXT_MAX])
{
	const cJSON *at = first(pod, "status.containerStatuses");
	long code = 0;

	if (*text_of(pod, "status.reason"))
		snprintf(why, POD_POOL_TEXT_MAX, "%.60s: %.150s",
			 text_of(pod, "status.reason"),
			 text_of(pod, "status.message"));
	for (; at && code == 0; at = at->next) {
		const cJSON *end = kube_at(at, "state.terminated");

		code = end ? kube_number(end, "exitCode", 0) : 0;
		if (end && (code != 0 || !*why))
			read_terminated(end, code, why);
	}
}

int pod_view_read(struct pod_view *out, const cJSON *pod, const char *owner,
		  char why[POD_POOL_TEXT_MAX])
{
	const char *manager =
		kube_text_in(pod, "metadata.labels", LABEL_MANAGER);
	const char *phase = text_of(pod, "status.phase");

	*out = (struct pod_view){
		.name = kube_text(pod, "metadata.name"),
		.uid = kube_text(pod, "metadata.uid"),
		.why = why,
		.ours = manager && strcmp(manager, MANAGER) == 0,
		.ending = kube_at(pod, "metadata.deletionTimestamp") != NULL,
	};
	why[0] = '\0';
	if (!out->name || !out->uid)
		return -EINVAL;
	/* until a status is written it is to come */
	if (!read_phase(&out->phase, *phase ? phase : "Pending"))
		return -EINVAL;
	if (out->ours && !is_owned_by(pod, owner))
		return 1;
	if (out->phase == POD_POOL_PENDING || out->phase == POD_POOL_RUNNING)
		read_hitch(out, pod, why);
	else
		read_end(pod, why);
	return 0;
}

bool pod_view_is_guaranteed(const cJSON *pod)
{
	return strcmp(text_of(pod, "status.qosClass"), "Guaranteed") == 0;
}
