/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "kube/kube.h"
#include "monitor/pod_view.h"
#include "tests/check.h"

#include <errno.h>

static char why[POD_POOL_TEXT_MAX];
static struct pod_view view;
static cJSON *pod;

#define META   "'metadata': {'name': 'w-1', 'uid': 'p1'}"
#define STATUS "{" META ", 'status': "

static int look(const char *text)
{
	char copy[4096];

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *at = copy; *at; at++)
		if (*at == '\'')
			*at = '"';
	cJSON_Delete(pod);
	pod = cJSON_Parse(copy);
	return pod_view_read(&view, pod, "u-1", why);
}

static void a_pod_is_as_far_as_its_phase(void)
{
	static const struct {
		const char *phase;
		enum pod_pool_phase expected;
	} table[] = {
		{"Pending", POD_POOL_PENDING},
		{"Running", POD_POOL_RUNNING},
		{"Succeeded", POD_POOL_SUCCEEDED},
		{"Failed", POD_POOL_FAILED},
		{"Unknown", POD_POOL_RUNNING},
		{"", POD_POOL_PENDING},
	};
	char text[256];

	for (size_t i = 0; i < LENGTH(table); i++) {
		snprintf(text, sizeof(text), STATUS "{'phase': '%s'}}",
			 table[i].phase);
		CHECK(look(text) == 0);
		CHECK(view.phase == table[i].expected && !view.ours);
		CHECK_TEXT(view.name, "w-1");
		CHECK_TEXT(view.uid, "p1");
		CHECK_TEXT(why, "");
	}
	CHECK(look("{" META "}") == 0 && view.phase == POD_POOL_PENDING);
}

static void what_is_no_pod_is_passed_over(void)
{
	CHECK(look("{}") == -EINVAL);
	CHECK(look("[]") == -EINVAL);
	CHECK(look("{'metadata': {'name': 'w-1'}}") == -EINVAL);
	CHECK(look("{'metadata': {'name': 7, 'uid': {}}}") == -EINVAL);
	CHECK(look(STATUS "{'phase': 'Dancing'}}") == -EINVAL);
	CHECK(look(STATUS "{'phase': 'Pending', 'conditions': [3, 'x', {}],"
			  " 'containerStatuses': {'state': 4}}}") == 0);
}

static void ours_are_of_the_same_owner(void)
{
#define OURS                                                                   \
	"{'metadata': {'name': 'w-1', 'uid': 'p1', 'labels':"                  \
	" {'app.kubernetes.io/managed-by': 'bellows-monitor'},"                \
	" 'ownerReferences': [{'uid': 'x'}, {'uid': '%s'}]}}"
	char text[512];

	snprintf(text, sizeof(text), OURS, "u-1");
	CHECK(look(text) == 0 && view.ours && !view.ending);
	snprintf(text, sizeof(text), OURS, "u-2");
	CHECK(look(text) == 1);
#undef OURS
}

static void a_pod_that_is_being_deleted_is_ending(void)
{
	CHECK(look("{'metadata': {'name': 'w-1', 'uid': 'p1',"
		   " 'deletionTimestamp': '2026-01-01T00:00:00Z'}}") == 0);
	CHECK(view.ending);
}

static void what_keeps_it_is_said_in_words(void)
{
#define PENDING(more) STATUS "{'phase': 'Pending', " more "}}"
#define WAITS(reason, message)                                                 \
	"'containerStatuses': [{'image': 'reg/x:dev', 'state': {'waiting':"    \
	" {'reason': '" reason "', 'message': '" message "'}}}]"
	static const struct {
		const char *pod;
		enum pod_pool_hitch hitch;
		const char *why;
	} table[] = {
		{PENDING("'conditions': [{'type': 'Ready', 'status': 'False'},"
			 "{'type': 'PodScheduled', 'status': 'False',"
			 " 'reason': 'Unschedulable',"
			 " 'message': '0/1 nodes: 1 Insufficient cpu.'}]"),
		 POD_POOL_UNPLACED, "0/1 nodes: 1 Insufficient cpu."},
		{PENDING("'conditions': [{'type': 'PodScheduled',"
			 " 'status': 'False', 'reason': 'SchedulingGated'}]"),
		 POD_POOL_UNPLACED, "SchedulingGated"},
		{PENDING("'conditions': [{'type': 'PodScheduled',"
			 " 'status': 'True'}], " WAITS("ContainerCreating",
						       "")),
		 POD_POOL_NO_HITCH, "ContainerCreating"},
		{PENDING(WAITS("ErrImagePull", "not found")), POD_POOL_STUCK,
		 "image reg/x:dev is not to be had (ErrImagePull): not found"},
		{PENDING(WAITS("InvalidImageName", "bad")), POD_POOL_STUCK,
		 "image reg/x:dev is not to be had (InvalidImageName): bad"},
		{PENDING(WAITS("CreateContainerConfigError",
			       "configmap heat-job not found")),
		 POD_POOL_STUCK,
		 "CreateContainerConfigError: configmap heat-job not found"},
		{PENDING("'initContainerStatuses': [{'state': {'waiting':"
			 " {'reason': 'ImagePullBackOff'}}}], " WAITS(
				 "PodInitializing", "")),
		 POD_POOL_STUCK,
		 "image  is not to be had (ImagePullBackOff): "},
		{STATUS "{'phase': 'Running', " WAITS("CrashLoopBackOff",
						      "back-off 10s") "}}",
		 POD_POOL_STUCK, "CrashLoopBackOff: back-off 10s"},
	};

	for (size_t i = 0; i < LENGTH(table); i++) {
		CHECK(look(table[i].pod) == 0);
		CHECK_TEXT(why, table[i].why);
		CHECK(view.hitch == table[i].hitch);
	}
#undef WAITS
#undef PENDING
}

static void how_it_ended_is_said_in_words(void)
{
#define ENDED(text) "{'state': {'terminated': {" text "}}}"
	static const struct {
		const char *pod, *why;
	} table[] = {
		{STATUS "{'phase': 'Failed', 'containerStatuses': [" ENDED(
			 "'exitCode': 137, 'reason': 'OOMKilled'") "]}"
								   "}",
		 "OOMKilled, exit code 137"},
		{STATUS "{'phase': 'Failed', 'containerStatuses': "
			"[" ENDED("'exitCode': 0") ", " ENDED(
				"'exitCode': 3, 'reason': 'Error', "
				"'message': 'oh'") "]}}",
		 "exit code 3: oh"},
		{STATUS "{'phase': 'Succeeded', 'containerStatuses': [" ENDED(
			 "'exitCode': 0, 'reason': 'Completed'") "]}}",
		 "exit code 0"},
		{STATUS "{'phase': 'Failed', 'reason': 'Evicted',"
			" 'message': 'The node was low on memory.'}}",
		 "Evicted: The node was low on memory."},
		{STATUS "{'phase': 'Failed'}}", ""},
	};

	for (size_t i = 0; i < LENGTH(table); i++) {
		CHECK(look(table[i].pod) == 0);
		CHECK_TEXT(why, table[i].why);
	}
#undef ENDED
}

static const char *chosen(const char *items)
{
	char text[512];
	const cJSON *best;

	snprintf(text, sizeof(text), "{'items': [%s]}", items);
	for (char *at = text; *at; at++)
		if (*at == '\'')
			*at = '"';
	cJSON_Delete(pod);
	pod = cJSON_Parse(text);
	best = pod_view_choose(pod);
	return best ? kube_text(best, "metadata.name") : "none";
}

static void of_several_the_one_that_stands_is_chosen(void)
{
	CHECK_TEXT(chosen(""), "none");
	CHECK_TEXT(chosen("{'metadata': {'name': 'only', "
			  "'deletionTimestamp': 'x'}}"),
		   "only");
	CHECK_TEXT(chosen("{'metadata': {'name': 'a'}, 'status': "
			  "{'phase': 'Running'}}, {'metadata': {'name': 'b'}, "
			  "'status': {'phase': 'Failed'}}"),
		   "a");
	CHECK_TEXT(chosen("{'metadata': {'name': 'a', 'creationTimestamp': "
			  "'2026-01-02T00:00:00Z'}}, {'metadata': {'name': "
			  "'b', 'creationTimestamp': '2026-01-01T00:00:00Z'}}"),
		   "a");
}

RUN_TESTS(TEST(a_pod_is_as_far_as_its_phase),
	  TEST(what_is_no_pod_is_passed_over), TEST(ours_are_of_the_same_owner),
	  TEST(a_pod_that_is_being_deleted_is_ending),
	  TEST(what_keeps_it_is_said_in_words),
	  TEST(how_it_ended_is_said_in_words),
	  TEST(of_several_the_one_that_stands_is_chosen))
