/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "kube/kube.h"
#include "monitor/owner.h"
#include "monitor/pod_view.h"
#include "tests/check.h"

#include <errno.h>

#define JOB_META                                                               \
	"'metadata': {'name': 'heat', 'namespace': 'lab', 'uid': 'u-1',"       \
	" 'resourceVersion': '77', 'annotations':"                             \
	" {'volcano.sh/preemptable': 'true', 'other': 'x'}}"

#define LABELS "'bellows.io/job': 'heat', 'bellows.io/role': 'executor'"

#define LABELS_OUT "'bellows.io/job':'heat','bellows.io/role':'executor',"

#define WORKER                                                                 \
	"{'name': 'worker', 'replicas': 2, 'minAvailable': 1, 'template': {"   \
	" 'metadata': {'labels': {" LABELS ", 'team': 'a'}},"                  \
	" 'spec': {'restartPolicy': 'OnFailure', 'containers': ["              \
	"  {'name': 'executor', 'image': 'img', 'env': ["                      \
	"   {'name': 'OMP_NUM_THREADS', 'value': '1'}]}]}}}"

#define MASTER                                                                 \
	"{'name': 'master', 'replicas': 1, 'template': {'spec':"               \
	" {'containers': [{'name': 'c'}]}}}"

#define SPEC                                                                   \
	"'queue': 'q1', 'schedulerName': 'volcano', 'minAvailable': 2,"        \
	" 'volumes': [{'mountPath': '/data', 'volumeClaimName': 'claim'}],"    \
	" 'tasks': [" MASTER ", " WORKER "]"

#define VCJOB "{" JOB_META ", 'spec': {" SPEC "}}"

static struct owner owner;
static struct error err;

/* JSON with ' for ". */
static cJSON *tree(const char *text)
{
	char copy[4096];

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *at = copy; *at; at++)
		if (*at == '\'')
			*at = '"';
	return cJSON_Parse(copy);
}

static int read_as(const char *reference, const char *text)
{
	struct owner_name name;
	cJSON *object = tree(text);
	int r;

	owner_fini(&owner);
	if (!object || owner_parse(&name, reference, &err) < 0 ||
	    owner_init(&owner, &name, "worker", "10.0.0.1:7000") < 0)
		return -EIO;
	r = owner_read(&owner, object, &err);
	cJSON_Delete(object);
	return r;
}

/* As JSON with ' for "; of the last call. */
static const char *text_at(const cJSON *object, const char *path)
{
	static char *text;
	const cJSON *at = kube_at(object, path);

	cJSON_free(text);
	text = at ? cJSON_PrintUnformatted(at) : NULL;
	for (char *c = text; c && *c; c++)
		if (*c == '"')
			*c = '\'';
	return text ? text : "nothing";
}

static void an_owner_is_named_by_kind_and_name(void)
{
	static const struct {
		const char *text, *reason;
	} wrong[] = {
		{"heat", "--owner heat: vcjob/NAME, job/NAME or pod/NAME"},
		{"cron/heat",
		 "--owner cron/heat: vcjob/NAME, job/NAME or pod/NAME"},
		{"vcjob/", "--owner vcjob/: a name of 1 to 48 of a-z 0-9 -"},
		{"job/Heat",
		 "--owner job/Heat: a name of 1 to 48 of a-z 0-9 -"},
		{"pod/-a", "--owner pod/-a: a name of 1 to 48 of a-z 0-9 -"},
	};
	struct owner_name name;

	CHECK(owner_parse(&name, "vcjob/heat-2", NULL) == 0);
	CHECK(name.kind == OWNER_VCJOB);
	CHECK_TEXT(name.name, "heat-2");
	CHECK(owner_parse(&name, "job/h", NULL) == 0 && name.kind == OWNER_JOB);
	CHECK(owner_parse(&name, "pod/h", NULL) == 0 && name.kind == OWNER_POD);
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		CHECK(owner_parse(&name, wrong[i].text, &err) == -EINVAL);
		CHECK_TEXT(err.text, wrong[i].reason);
	}
}

static void a_pod_of_ours_is_like_those_of_the_task(void)
{
	cJSON *pod;

	CHECK(read_as("vcjob/heat", VCJOB) == 0);
	pod = owner_make_pod(&owner, "heat-bellows-0");
	CHECK(pod);
	CHECK_TEXT(text_at(pod, "metadata.labels"),
		   "{'team':'a'," LABELS_OUT
		   "'app.kubernetes.io/managed-by':'bellows-monitor',"
		   "'volcano.sh/job-name':'heat',"
		   "'volcano.sh/job-namespace':'lab',"
		   "'volcano.sh/task-spec':'worker',"
		   "'volcano.sh/queue-name':'q1'}");
	CHECK_TEXT(text_at(pod, "metadata.annotations"),
		   "{'volcano.sh/job-name':'heat',"
		   "'volcano.sh/task-spec':'worker',"
		   "'scheduling.k8s.io/group-name':'heat-u-1',"
		   "'volcano.sh/queue-name':'q1',"
		   "'volcano.sh/preemptable':'true'}");
	CHECK_TEXT(text_at(pod, "metadata.ownerReferences"),
		   "[{'apiVersion':'batch.volcano.sh/v1alpha1','kind':'Job',"
		   "'name':'heat','uid':'u-1','controller':false,"
		   "'blockOwnerDeletion':false}]");
	CHECK_TEXT(text_at(pod, "metadata.name"), "'heat-bellows-0'");
	CHECK_TEXT(text_at(pod, "spec.hostname"), "'heat-bellows-0'");
	CHECK_TEXT(text_at(pod, "spec.subdomain"), "'heat'");
	CHECK_TEXT(text_at(pod, "spec.schedulerName"), "'volcano'");
	CHECK_TEXT(text_at(pod, "spec.restartPolicy"), "'Never'");
	CHECK_TEXT(text_at(pod, "spec.containers.0.env"),
		   "[{'name':'OMP_NUM_THREADS','value':'1'},"
		   "{'name':'BELLOWS_ROLE','value':'executor'},"
		   "{'name':'BELLOWS_COORDINATOR','value':'10.0.0.1:7000'},"
		   "{'name':'BELLOWS_POD_IP','valueFrom':{'fieldRef':"
		   "{'fieldPath':'status.podIP'}}}]");
	CHECK_TEXT(text_at(pod, "spec.volumes"),
		   "[{'name':'job-volume-0','persistentVolumeClaim':"
		   "{'claimName':'claim'}}]");
	CHECK_TEXT(text_at(pod, "spec.containers.0.volumeMounts"),
		   "[{'name':'job-volume-0','mountPath':'/data'}]");
	cJSON_Delete(pod);
	CHECK_TEXT(text_at(owner.object, "spec.tasks.1.template.spec.volumes"),
		   "nothing");
}

static void what_the_template_says_of_the_coordinator_holds(void)
{
	cJSON *pod, *template;

	CHECK(read_as("job/heat", "{" JOB_META "}") == 0);
	template = tree("{'template': {'spec': {'containers': [{'env': ["
			"{'name': 'BELLOWS_COORDINATOR', 'value': 'here:1'},"
			"{'name': 'BELLOWS_ROLE', 'value': 'monitor'}]}]}}}");
	CHECK(owner_read_template(&owner, template, &err) == 0);
	cJSON_Delete(template);
	pod = owner_make_pod(&owner, "heat-bellows-3");
	CHECK(pod);
	CHECK_TEXT(text_at(pod, "metadata"),
		   "{'labels':{" LABELS_OUT
		   "'app.kubernetes.io/managed-by':'bellows-monitor'},"
		   "'annotations':{},'name':'heat-bellows-3',"
		   "'ownerReferences':[{'apiVersion':'batch/v1','kind':'Job',"
		   "'name':'heat','uid':'u-1','controller':false,"
		   "'blockOwnerDeletion':false}]}");
	CHECK_TEXT(text_at(pod, "spec.containers.0.env"),
		   "[{'name':'BELLOWS_COORDINATOR','value':'here:1'},"
		   "{'name':'BELLOWS_ROLE','value':'executor'},"
		   "{'name':'BELLOWS_POD_IP','valueFrom':{'fieldRef':"
		   "{'fieldPath':'status.podIP'}}}]");
	CHECK_TEXT(text_at(pod, "spec.schedulerName"), "nothing");
	cJSON_Delete(pod);
}

static void a_patch_has_all_tasks_and_the_version_that_was_read(void)
{
	cJSON *patch;

	CHECK(read_as("vcjob/heat", VCJOB) == 0);
	CHECK(owner_replicas(&owner) == 2);
	patch = owner_make_patch(&owner, 5);
	CHECK(patch);
	CHECK_TEXT(text_at(patch, "metadata"), "{'resourceVersion':'77'}");
	CHECK_TEXT(text_at(patch, "spec.tasks.0.replicas"), "1");
	CHECK_TEXT(text_at(patch, "spec.tasks.1.replicas"), "5");
	CHECK_TEXT(text_at(patch, "spec.tasks.1.template.spec.containers.0"
				  ".image"),
		   "'img'");
	CHECK_TEXT(text_at(patch, "spec.queue"), "nothing");
	cJSON_Delete(patch);
}

static void the_fewest_are_those_of_the_task_and_of_the_job(void)
{
	CHECK(read_as("vcjob/heat", VCJOB) == 0);
	CHECK(owner_floor(&owner) == 1);
	CHECK(read_as("vcjob/heat",
		      "{" JOB_META
		      ", 'spec': {'minAvailable': 3, 'tasks': [" MASTER
		      ", " WORKER "]}}") == 0);
	CHECK(owner_floor(&owner) == 2);
	CHECK(read_as("job/heat", "{" JOB_META "}") == 0);
	CHECK(owner_floor(&owner) == 0 && owner_replicas(&owner) == 0);
}

static void what_cannot_be_used_is_refused_in_a_sentence(void)
{
	static const struct {
		const char *text, *reason;
	} table[] = {
		{"{'metadata': {'name': 'heat'}}",
		 "vcjob/heat: the API shows it without uid"},
		{"{" JOB_META ", 'spec': {'tasks': [" MASTER "]}}",
		 "vcjob/heat has no task worker; --task says which one is of "
		 "executors"},
		{"{" JOB_META ", 'spec': {'tasks': [{'name': 'worker'}]}}",
		 "vcjob/heat: task worker has no container"},
		{"{" JOB_META ", 'spec': {'tasks': [{'name': 'worker', "
		 "'template': {'spec': {'containers': [{}]}}}]}}",
		 "vcjob/heat: the template of its task worker needs the label "
		 "bellows.io/job: heat, by which its executors are found"},
		{"[]", "vcjob/heat: the API shows it without uid"},
	};

	for (size_t i = 0; i < LENGTH(table); i++) {
		CHECK(read_as("vcjob/heat", table[i].text) == -EINVAL);
		CHECK_TEXT(err.text, table[i].reason);
	}
}

static void a_policy_that_ends_more_than_a_pod_is_objected_to(void)
{
	static const struct {
		const char *policies, *objection;
	} table[] = {
		{"[{'event': 'PodEvicted', 'action': 'RestartJob'}]",
		 "vcjob/heat has the policy PodEvicted: RestartJob, so that "
		 "one "
		 "pod that goes ends more than itself: remove it"},
		{"[{'event': 'TaskCompleted', 'action': 'CompleteJob'},"
		 " {'events': ['PodFailed', '*'], 'action': 'AbortJob'}]",
		 "vcjob/heat has the policy *: AbortJob, so that one pod that "
		 "goes ends more than itself: remove it"},
		{"[{'event': 'TaskCompleted', 'action': 'CompleteJob'}]", ""},
		{"[{'event': 'PodEvicted', 'action': 'SyncJob'}, 3, {}]", ""},
		{"{}", ""},
	};

	for (size_t i = 0; i < LENGTH(table); i++) {
		char text[2048], objection[POD_POOL_TEXT_MAX];

		snprintf(text, sizeof(text),
			 "{" JOB_META ", 'spec': {'policies': %s, " SPEC "}}",
			 table[i].policies);
		CHECK(read_as("vcjob/heat", text) == 0);
		owner_object_to(&owner, objection);
		CHECK_TEXT(objection, table[i].objection);
	}
}

RUN_TESTS(TEST(an_owner_is_named_by_kind_and_name),
	  TEST(a_pod_of_ours_is_like_those_of_the_task),
	  TEST(what_the_template_says_of_the_coordinator_holds),
	  TEST(a_patch_has_all_tasks_and_the_version_that_was_read),
	  TEST(the_fewest_are_those_of_the_task_and_of_the_job),
	  TEST(what_cannot_be_used_is_refused_in_a_sentence),
	  TEST(a_policy_that_ends_more_than_a_pod_is_objected_to))
