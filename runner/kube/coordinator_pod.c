/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/coordinator_pod.h"

#include "jobfile/exit.h"
#include "kube/kube.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define STATE "status.containerStatuses.0.state."

void kube_find_query(char *out, size_t n, const char *job)
{
	/* a name of a job needs no quoting: [a-z0-9-] */
	snprintf(out, n, "labelSelector=bellows.io%%2Frole%%3Dcoordinator%s%s",
		 job ? "%2Cbellows.io%2Fjob%3D" : "", job ? job : "");
}

static bool is_phase(const cJSON *pod, const char *phase)
{
	const char *text = kube_text(pod, "status.phase");

	return text && strcmp(text, phase) == 0;
}

bool kube_pod_is_over(const cJSON *pod)
{
	return is_phase(pod, "Succeeded") || is_phase(pod, "Failed");
}

bool kube_pod_runs(const cJSON *pod)
{
	return is_phase(pod, "Running") &&
	       !kube_text(pod, "metadata.deletionTimestamp") &&
	       !kube_at(pod, STATE "waiting") &&
	       !kube_at(pod, STATE "terminated");
}

static int exit_code(const cJSON *pod, const char *path)
{
	long code = kube_number(pod, path, -1);

	return code >= 0 && code <= 255 ? (int)code : -1;
}

int kube_pod_exit_code(const cJSON *pod)
{
	return exit_code(pod, STATE "terminated.exitCode");
}

int kube_pod_last_exit_code(const cJSON *pod)
{
	int code = kube_pod_exit_code(pod);

	return code >= 0 ? code
			 : exit_code(pod, "status.containerStatuses.0."
					  "lastState.terminated.exitCode");
}

bool kube_is_leave(int code)
{
	return code == EXIT_SUSPENDED || code == EXIT_CANCELLED;
}

bool kube_pod_has_left(const cJSON *pod)
{
	return kube_is_leave(kube_pod_last_exit_code(pod));
}

/* ---- telling ---- */

static bool describe_reason(char *out, size_t n, const cJSON *at)
{
	const char *reason = kube_text(at, "reason");
	const char *message = kube_text(at, "message");

	if (!reason && !message)
		return false;
	snprintf(out, n, ": %s%s%s", reason ? reason : "",
		 reason && message ? ": " : "", message ? message : "");
	return true;
}

/* Tells about the first init container that has not succeeded. */
static bool tell_first(char *out, size_t n, const cJSON *pod)
{
	const cJSON *all = kube_at(pod, "status.initContainerStatuses"), *at;

	cJSON_ArrayForEach(at, all)
	{
		if (describe_reason(out, n, kube_at(at, "state.waiting")))
			return true;
	}
	return false;
}

static bool tell_scheduling(char *out, size_t n, const cJSON *pod)
{
	const cJSON *all = kube_at(pod, "status.conditions"), *at;

	cJSON_ArrayForEach(at, all)
	{
		const char *type = kube_text(at, "type");
		const char *status = kube_text(at, "status");

		if (type && status && strcmp(type, "PodScheduled") == 0 &&
		    strcmp(status, "False") == 0)
			return describe_reason(out, n, at);
	}
	return false;
}

void kube_pod_tell(char *out, size_t n, const cJSON *pod)
{
	const char *phase = kube_text(pod, "status.phase");
	int code = kube_pod_exit_code(pod);
	size_t k;

	if (kube_text(pod, "metadata.deletionTimestamp")) {
		snprintf(out, n, "it is being deleted");
		return;
	}
	snprintf(out, n, "%s", phase ? phase : "no phase yet");
	k = strlen(out);
	if (describe_reason(out + k, n - k, kube_at(pod, STATE "waiting")) ||
	    tell_first(out + k, n - k, pod) ||
	    tell_scheduling(out + k, n - k, pod) ||
	    describe_reason(out + k, n - k, kube_at(pod, "status")))
		return;
	if (code >= 0)
		snprintf(out + k, n - k, ": exit status %d", code);
}

/* ---- finding ---- */

static const char *name_of(const cJSON *pod)
{
	const char *name = kube_text(pod, "metadata.name");

	return name ? name : "without a name";
}

static bool is_newer(const cJSON *pod, const cJSON *than)
{
	const char *a = kube_text(pod, "metadata.creationTimestamp");
	const char *b = kube_text(than, "metadata.creationTimestamp");

	return a && (!b || strcmp(a, b) > 0);
}

int kube_find_coordinator(const cJSON **out, const cJSON *list, const char *job,
			  const char *namespace, struct error *err)
{
	const cJSON *items = kube_at(list, "items"), *at;
	const cJSON *running = NULL, *newest = NULL;
	char state[256];

	cJSON_ArrayForEach(at, items)
	{
		if (!newest || is_newer(at, newest))
			newest = at;
		if (!kube_pod_runs(at))
			continue;
		if (running)
			return error_set(err, -EEXIST,
					 "job %s has two coordinators in "
					 "namespace %s, pods %s and %s: delete "
					 "the one that is not wanted",
					 job, namespace, name_of(running),
					 name_of(at));
		running = at;
	}
	if (running) {
		*out = running;
		return 0;
	}
	if (!newest)
		return error_set(err, -ENOENT,
				 "there is no job %s in namespace %s; 'bellows "
				 "status --on kube' lists those that are there",
				 job, namespace);
	kube_pod_tell(state, sizeof(state), newest);
	return error_set(err, -EAGAIN,
			 "the coordinator of %s does not run: pod %s in "
			 "namespace %s: %s",
			 job, name_of(newest), namespace, state);
}
