/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "runner/kube/job.h"
#include "runner/kube/manifests.h"
#include "tests/check.h"

#include <errno.h>
#include <string.h>

static struct error err;
static struct kube_job job;
static struct kube_objects *objects;

/* The executors' pods of a job of two ranks each, of Volcano or without. */
static const cJSON *make(const char *placement, const char *cpu, bool plain)
{
	static const struct keys keys;
	struct kube_wish wish = {
		.namespace = "physics",
		.keys = &keys,
		.mode = "pods",
		.cpu = cpu,
		.memory = "2Gi",
		.plain = plain,
	};
	char text[512];

	objects = kube_objects_destroy(objects);
	kube_job_fini(&job);
	job = (struct kube_job){0};
	snprintf(text, sizeof(text),
		 "name: heat\napp: parint\nranks: {initial: 2, max: 6}\n"
		 "ranks_per_executor: 2\ncheckpoint: {dir: ckpt}\n"
		 "command: [parint, --array-size, 1000, --iterations, 10, "
		 "--nloop, 1]\n%s",
		 placement);
	if (kube_job_parse(&job, "heat.yaml", text, &err) < 0)
		return NULL;
	wish.job = job.job;
	wish.text = job.text;
	if (kube_objects_create(&objects, &wish, &err) < 0)
		return NULL;
	for (size_t i = 0; i < objects->n; i++) {
		const cJSON *at = objects->at[i].object;

		if (objects->at[i].kind == &kube_podtemplates)
			return kube_at(at, "template.spec");
		if (objects->at[i].kind == &kube_vcjobs)
			return kube_at(at, "spec.tasks.1.template.spec");
	}
	return NULL;
}

#define EXCLUSIVE "placement: {exclusive: true}\n"

static void exclusive_pods_are_limited_to_what_they_request(void)
{
	static const struct {
		const char *cpu, *expected;
	} table[] = {{NULL, "2"}, {"4", "4"}, {"3000m", "3000m"}};

	for (size_t i = 0; i < LENGTH(table); i++) {
		const cJSON *spec = make(EXCLUSIVE, table[i].cpu, i == 0);
		const cJSON *resources =
			kube_at(spec, "containers.0.resources");

		CHECK(kube_at(resources, "limits"));
		CHECK_TEXT(kube_text(resources, "limits.cpu"),
			   table[i].expected);
		CHECK_TEXT(kube_text(resources, "limits.memory"), "2Gi");
		CHECK(cJSON_Compare(kube_at(resources, "limits"),
				    kube_at(resources, "requests"), true));
		/* one more without limits would make the pod Burstable */
		CHECK(cJSON_GetArraySize(kube_at(spec, "containers")) == 1);
		CHECK(!kube_at(spec, "initContainers"));
	}
}

static void other_pods_have_no_limits(void)
{
	CHECK(kube_at(make("", "4", false), "containers.0.resources.requests"));
	CHECK(!kube_at(make("", "4", false), "containers.0.resources.limits"));
	CHECK(!kube_at(make("placement: {exclusive: false}\n", "4", false),
		       "containers.0.resources.limits"));
}

static int check(const char *placement, const char *cpu, const char *memory)
{
	struct kube_wish wish = {.cpu = cpu, .memory = memory};

	if (!make(placement, NULL, false))
		return -EIO;
	wish.job = job.job;
	return kube_wish_check_job(&wish, &err);
}

static void exclusive_pods_need_whole_processors(void)
{
	static const char *const whole[] = {"1", "16", "2.0", "1000m"};
	static const char *const others[] = {"1500m", "0.5", "0", "1.5", "1k"};
	char sentence[128];

	for (size_t i = 0; i < LENGTH(whole); i++)
		CHECK(check(EXCLUSIVE, whole[i], "1Gi") == 0);
	for (size_t i = 0; i < LENGTH(others); i++) {
		CHECK(check("", others[i], "1Gi") == 0);
		CHECK(check(EXCLUSIVE, others[i], "1Gi") == -EINVAL);
		snprintf(sentence, sizeof(sentence),
			 "--cpu: '%s' is no whole number of processors, which "
			 "placement.exclusive needs; 2 is",
			 others[i]);
		CHECK_TEXT(err.text, sentence);
	}
}

static void exclusive_pods_need_a_quantity_of_memory(void)
{
	static const char *const none[] = {NULL, "0", "0Gi"};

	for (size_t i = 0; i < LENGTH(none); i++) {
		CHECK(check("", "2", none[i]) == 0);
		CHECK(check(EXCLUSIVE, "2", none[i]) == -EINVAL);
		CHECK_TEXT(err.text, "--memory: placement.exclusive needs the "
				     "memory of an executor, as --memory 2Gi");
	}
}

/* The preference for hosts with executors of the job, or against them. */
#define AFFINITY(kind)                                                         \
	"{\"" kind                                                             \
	"\": {\"preferredDuringSchedulingIgnoredDuringExecution\": "           \
	"[{\"weight\": 100, \"podAffinityTerm\": "                             \
	"{\"topologyKey\": \"kubernetes.io/hostname\", \"labelSelector\": "    \
	"{\"matchLabels\": {\"bellows.io/job\": \"heat\", "                    \
	"\"bellows.io/role\": \"executor\"}}}}]}}"

static void the_profile_says_which_hosts_executors_prefer(void)
{
	static const struct {
		const char *placement, *expected;
	} table[] = {
		{"placement: {profile: network}\n", AFFINITY("podAffinity")},
		{"placement: {profile: cpu}\n", AFFINITY("podAntiAffinity")},
		{"placement: {profile: memory}\n", AFFINITY("podAntiAffinity")},
	};

	for (size_t i = 0; i < 2 * LENGTH(table); i++) {
		cJSON *expected = cJSON_Parse(table[i / 2].expected);
		const cJSON *spec =
			make(table[i / 2].placement, NULL, i % 2 == 1);

		CHECK(expected && spec);
		CHECK(cJSON_Compare(kube_at(spec, "affinity"), expected, true));
		cJSON_Delete(expected);
	}
}

static void without_a_profile_executors_may_be_anywhere(void)
{
	for (int plain = 0; plain < 2; plain++) {
		CHECK(kube_at(make("", NULL, plain), "containers"));
		CHECK(!kube_at(make("", NULL, plain), "affinity"));
	}
}

static void pods_without_ranks_may_be_anywhere(void)
{
	const cJSON *spec =
		make("placement: {profile: network}\n", NULL, false);
	const cJSON *tasks =
		kube_at(objects->at[objects->owner].object, "spec.tasks");

	CHECK(spec && cJSON_GetArraySize(tasks) == 3);
	CHECK(kube_at(tasks, "1.template.spec.affinity"));
	CHECK(!kube_at(tasks, "0.template.spec.affinity"));
	CHECK(!kube_at(tasks, "2.template.spec.affinity"));
}

static void nothing_is_left_behind(void)
{
	objects = kube_objects_destroy(objects);
	kube_job_fini(&job);
}

RUN_TESTS(TEST(exclusive_pods_are_limited_to_what_they_request),
	  TEST(other_pods_have_no_limits),
	  TEST(exclusive_pods_need_whole_processors),
	  TEST(exclusive_pods_need_a_quantity_of_memory),
	  TEST(the_profile_says_which_hosts_executors_prefer),
	  TEST(without_a_profile_executors_may_be_anywhere),
	  TEST(pods_without_ranks_may_be_anywhere),
	  TEST(nothing_is_left_behind))
