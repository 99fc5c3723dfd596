/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/coordinator_pod.h"

#include "kube/kube.h"
#include "tests/check.h"

#include <errno.h>
#include <string.h>

static struct error err;

#define RUNNING                                                                \
	"\"status\":{\"phase\":\"Running\",\"containerStatuses\":"             \
	"[{\"state\":{\"running\":{}}}]}"

/* ---- finding the coordinator ---- */

/* Finds in a list of these pods, each the members of an object. */
static int find(const char **name, const char *pods)
{
	static cJSON *list;
	char text[4096];
	const cJSON *pod;
	int r;

	cJSON_Delete(list);
	snprintf(text, sizeof(text), "{\"items\":[%s]}", pods);
	list = cJSON_Parse(text);
	if (!list)
		return -EBADMSG;
	r = kube_find_coordinator(&pod, list, "heat", "physics", &err);
	*name = r == 0 ? kube_text(pod, "metadata.name") : NULL;
	return r;
}

static void the_pod_that_runs_is_found_among_former_ones(void)
{
	const char *name;

	CHECK(find(&name, "{\"metadata\":{\"name\":\"old\"},"
			  "\"status\":{\"phase\":\"Failed\"}},"
			  "{\"metadata\":{\"name\":\"heat-master-0\"}," RUNNING
			  "}") == 0);
	CHECK_TEXT(name, "heat-master-0");
}

static void no_pod_or_two_are_told(void)
{
	const char *name;

	CHECK(find(&name, "") == -ENOENT);
	CHECK_TEXT(err.text,
		   "there is no job heat in namespace physics; 'bellows status "
		   "--on kube' lists those that are there");
	CHECK(find(&name,
		   "{\"metadata\":{\"name\":\"a\"}," RUNNING "},"
		   "{\"metadata\":{\"name\":\"b\"}," RUNNING "}") == -EEXIST);
	CHECK_TEXT(err.text,
		   "job heat has two coordinators in namespace physics, pods a "
		   "and b: delete the one that is not wanted");
}

static void why_a_pod_does_not_run_is_told(void)
{
	const char *name;

	CHECK(find(&name,
		   "{\"metadata\":{\"name\":\"p\"},\"status\":{\"phase\":"
		   "\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\","
		   "\"status\":\"False\",\"reason\":\"Unschedulable\","
		   "\"message\":\"0/1 nodes are available\"}]}}") == -EAGAIN);
	CHECK_TEXT(err.text,
		   "the coordinator of heat does not run: pod p in namespace "
		   "physics: Pending: Unschedulable: 0/1 nodes are available");
	CHECK(find(&name,
		   "{\"metadata\":{\"name\":\"p\"},\"status\":{\"phase\":"
		   "\"Pending\",\"containerStatuses\":[{\"state\":{\"waiting\":"
		   "{\"reason\":\"ImagePullBackOff\",\"message\":\"no such "
		   "image\"}}}]}}") == -EAGAIN);
	CHECK(strstr(err.text, "Pending: ImagePullBackOff: no such image"));
	CHECK(find(&name, "{\"metadata\":{\"name\":\"p\"},\"status\":{"
			  "\"phase\":\"Failed\",\"containerStatuses\":[{"
			  "\"state\":{\"terminated\":{\"exitCode\":65}}}]}}") ==
	      -EAGAIN);
	CHECK(strstr(err.text, "Failed: exit status 65"));
	CHECK(find(&name, "{\"metadata\":{\"name\":\"p\",\"deletionTimestamp\":"
			  "\"2026-01-31T12:00:00Z\"}," RUNNING "}") == -EAGAIN);
	CHECK(strstr(err.text, "it is being deleted"));
	CHECK(find(&name, "{\"metadata\":{}}") == -EAGAIN);
}

RUN_TESTS(TEST(the_pod_that_runs_is_found_among_former_ones),
	  TEST(no_pod_or_two_are_told), TEST(why_a_pod_does_not_run_is_told))
