/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "runner/kube/coordinator_pod.h"
#include "runner/kube/job.h"
#include "runner/kube/manifests.h"
#include "runner/log_filter.h"
#include "tests/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct error err;

/* ---- the job file ---- */

static int read_job(struct kube_job *job, const char *more)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "name: heat\napp: parint\nranks: {initial: 2, max: 6}\n"
		 "ranks_per_executor: 2\n"
		 "command: [parint, --array-size, 1000, --iterations, 10, "
		 "--nloop, 1]\n%s",
		 more);
	*job = (struct kube_job){0};
	return kube_job_parse(job, "heat.yaml", text, &err);
}

static void a_job_without_a_directory_runs_in_data(void)
{
	struct kube_job job;

	CHECK(read_job(&job, "checkpoint: {dir: ckpt}\n") == 0);
	CHECK_TEXT(job.job->app.dir, "/data");
	CHECK_TEXT(job.job->app.checkpoint_dir, "/data/ckpt");
	CHECK(strstr(job.text, "\ndir: /data\n"));
	kube_job_fini(&job);
	CHECK(read_job(&job, "dir: /data/a\ncheckpoint: {dir: ckpt}") == 0);
	CHECK_TEXT(job.job->app.checkpoint_dir, "/data/a/ckpt");
	CHECK(!strstr(job.text, "dir: /data\n"));
	kube_job_fini(&job);
}

static void directories_that_pods_do_not_have_are_refused(void)
{
	struct kube_job job;

	CHECK(read_job(&job, "dir: run1\ncheckpoint: {dir: ckpt}\n") ==
	      -EINVAL);
	CHECK(strstr(err.text, ": dir: a pod has no folder of the job file to "
			       "take it from; an absolute one, as /data/run1"));
	kube_job_fini(&job);
	CHECK(read_job(&job, "checkpoint: {dir: /database}\n") == -EINVAL);
	CHECK(strstr(err.text, ": checkpoint.dir: /database is not below /data,"
			       " where the volume is that all pods share"));
	kube_job_fini(&job);
	CHECK(read_job(&job, "checkpoint: {dir: ckpt}\nranks: many\n") ==
	      -EINVAL);
	kube_job_fini(&job);
}

/* ---- objects ---- */

static struct kube_job job_of_wish;
static struct keys keys_of_wish;
static unsigned want_of_wish, grant_of_wish;

static struct kube_objects *make(bool plain, const char *claim)
{
	struct kube_objects *objects = NULL;
	struct kube_wish wish = {
		.namespace = "physics",
		.token = "0123456789abcdef",
		.keys = &keys_of_wish,
		.image = "registry/app:1",
		.mode = "pods",
		.memory = "2Gi",
		.claim = claim,
		.storage_class = "fast",
		.want = want_of_wish,
		.grant = grant_of_wish,
		.run_id = "a1",
		.plain = plain,
	};

	kube_job_fini(&job_of_wish);
	keys_fini(&keys_of_wish);
	if (keys_make(&keys_of_wish, "heat", 0, &err) < 0)
		return NULL;
	if (read_job(&job_of_wish, "checkpoint: {dir: ckpt, deadline: 90s}\n"
				   "environment: {A: '@NAME@ #GANG#'}\n"))
		return NULL;
	wish.job = job_of_wish.job;
	wish.text = job_of_wish.text;
	kube_objects_create(&objects, &wish, &err);
	return objects;
}

static const cJSON *find_object(const struct kube_objects *objects,
				const struct kube_kind *kind, const char *name)
{
	for (size_t i = 0; objects && i < objects->n; i++)
		if (objects->at[i].kind == kind &&
		    strcmp(objects->at[i].name, name) == 0)
			return objects->at[i].object;
	return NULL;
}

static void all_objects_have_a_kind_and_the_labels_of_the_job(void)
{
	for (int plain = 0; plain < 2; plain++) {
		CLEANUP(kube_objects_destroy)
		struct kube_objects *objects = make(plain, NULL);

		CHECK(objects && objects->n == (plain ? 21 : 18));
		for (size_t i = 0; i < objects->n; i++) {
			const cJSON *at = objects->at[i].object;
			const cJSON *labels = kube_at(at, "metadata.labels");

			CHECK(objects->at[i].kind);
			CHECK(!kube_at(at, "for"));
			CHECK_TEXT(kube_text(at, "metadata.namespace"),
				   "physics");
			CHECK_TEXT(cJSON_GetStringValue(
					   cJSON_GetObjectItemCaseSensitive(
						   labels, KUBE_JOB)),
				   "heat");
			CHECK_TEXT(cJSON_GetStringValue(
					   cJSON_GetObjectItemCaseSensitive(
						   labels, KUBE_RUN)),
				   "a1");
		}
		CHECK_TEXT(objects->at[objects->owner].name, "heat");
		CHECK(objects->at[objects->owner].kind ==
		      (plain ? &kube_jobs : &kube_vcjobs));
	}
}

static void nothing_of_the_template_is_left(void)
{
	CLEANUP(kube_objects_destroy)
	struct kube_objects *objects = make(false, NULL);
	const char *text_of_job;

	CHECK(objects);
	for (size_t i = 0; i < objects->n; i++) {
		CLEANUP(free) char *text = NULL;

		/* what stands in the job file is not for us to fill in */
		if (objects->at[i].kind == &kube_configmaps)
			continue;
		text = cJSON_PrintUnformatted(objects->at[i].object);
		if (strpbrk(text, "@#"))
			note("left", text);
		CHECK(!strpbrk(text, "@#"));
	}
	text_of_job = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
		kube_at(find_object(objects, &kube_configmaps, "heat-job"),
			"data"),
		"job.yaml"));
	CHECK(text_of_job && strstr(text_of_job, "A: '@NAME@ #GANG#'"));
}

static void volcanos_job_has_the_sizes_of_the_job_file(void)
{
	CLEANUP(kube_objects_destroy)
	struct kube_objects *objects = make(false, NULL);
	const cJSON *job = find_object(objects, &kube_vcjobs, "heat");
	const cJSON *worker = kube_at(job, "spec.tasks.1");
	const cJSON *pod = kube_at(worker, "template.spec.containers.0");

	CHECK(worker);
	CHECK(kube_number(job, "spec.minAvailable", 0) == 3);
	CHECK(kube_number(worker, "replicas", 0) == 1);
	CHECK(kube_number(worker, "minAvailable", 0) == 1);
	CHECK_TEXT(kube_text(pod, "image"), "registry/app:1");
	CHECK_TEXT(kube_text(pod, "env.1.value"), "heat-master-0.heat:7000");
	CHECK_TEXT(kube_text(pod, "env.3.value"), "2");
	CHECK_TEXT(kube_text(pod, "resources.requests.cpu"), "2");
	CHECK_TEXT(kube_text(pod, "resources.requests.memory"), "2Gi");
	CHECK(!kube_at(pod, "resources.limits"));
	CHECK(kube_number(worker, "template.spec.terminationGracePeriodSeconds",
			  0) == 150);
	CHECK_TEXT(kube_text(job, "spec.tasks.0.template.spec."
				  "initContainers.0.command.4"),
		   "/data/ckpt");
	CHECK_TEXT(kube_text(job,
			     "spec.tasks.2.template.spec.containers.0.args.1"),
		   "--owner=vcjob/heat");
	CHECK_TEXT(kube_text(job,
			     "spec.tasks.2.template.spec.containers.0.args.2"),
		   "--mode=pods");
}

/* The last word of the coordinator's command line, and its workers. */
static const char *last_word(const cJSON *job, double *workers)
{
	const cJSON *words =
		kube_at(job, "spec.tasks.0.template.spec.containers.0.args");
	const cJSON *last =
		cJSON_GetArrayItem(words, cJSON_GetArraySize(words) - 1);

	*workers = (double)kube_number(job, "spec.tasks.1.replicas", 0);
	return cJSON_GetStringValue(last);
}

static void the_coordinator_is_told_the_numbers_that_are_stated(void)
{
	static const struct {
		unsigned want, grant;
		const char *last;
		double workers; /* of two ranks each, for the 2 to begin with */
	} cases[] = {
		{0, 0, "/data/ckpt/bellows-journal", 1},
		{6, 0, "--want=6", 3},
		{0, 4, "--grant=4", 1},
		{6, 4, "--grant=4", 2},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		CLEANUP(kube_objects_destroy)
		struct kube_objects *objects = NULL;
		double workers;
		const char *last;

		want_of_wish = cases[i].want;
		grant_of_wish = cases[i].grant;
		objects = make(false, NULL);
		last = last_word(find_object(objects, &kube_vcjobs, "heat"),
				 &workers);
		CHECK_TEXT(last, cases[i].last);
		CHECK(workers == cases[i].workers);
	}
	want_of_wish = grant_of_wish = 0;
}

static void pods_run_confined_and_know_no_api_but_the_monitors(void)
{
	CLEANUP(kube_objects_destroy)
	struct kube_objects *objects = make(false, NULL);
	const cJSON *job = find_object(objects, &kube_vcjobs, "heat"), *task;
	int n = 0;

	cJSON_ArrayForEach(task, kube_at(job, "spec.tasks"))
	{
		const cJSON *spec = kube_at(task, "template.spec");
		const cJSON *mounts =
			kube_at(spec, "automountServiceAccountToken");

		CHECK(cJSON_IsTrue(
			kube_at(spec, "securityContext.runAsNonRoot")));
		CHECK_TEXT(kube_text(spec, "containers.0.securityContext."
					   "capabilities.drop.0"),
			   "ALL");
		CHECK(cJSON_IsTrue(kube_at(spec, "containers.0.securityContext."
						 "readOnlyRootFilesystem")));
		CHECK(cJSON_IsBool(mounts));
		CHECK((cJSON_IsTrue(mounts) != 0) == (n == 2));
		n++;
	}
	CHECK(n == 3);
}

/* The value of a key with a dot in it. */
static const char *value_of(const cJSON *secret, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
		kube_at(secret, "stringData"), key));
}

static void each_role_has_a_certificate_that_its_pod_alone_mounts(void)
{
	CLEANUP(kube_objects_destroy)
	struct kube_objects *objects = make(false, NULL);
	const cJSON *job = find_object(objects, &kube_vcjobs, "heat");
	static const int volumes[] = {2, 1, 2}; /* where it is in each */
	char name[64], place[80];

	for (enum role role = 0; role < ROLES; role++) {
		const cJSON *secret;

		snprintf(name, sizeof(name), "heat-%s-tls", role_name(role));
		secret = find_object(objects, &kube_secrets, name);
		CHECK(secret);
		CHECK_TEXT(kube_text(secret, "type"), "kubernetes.io/tls");
		CHECK_TEXT(value_of(secret, "tls.key"),
			   keys_of_wish.of[role].key);
		CHECK_TEXT(value_of(secret, "tls.crt"),
			   keys_of_wish.of[role].cert);
		CHECK_TEXT(value_of(secret, "ca.crt"), keys_of_wish.of[0].ca);
		if (role >= ROLE_CLIENT)
			continue;
		snprintf(place, sizeof(place),
			 "spec.tasks.%d.template.spec.volumes.%d.secret."
			 "secretName",
			 (int)role, volumes[role]);
		CHECK(kube_text(job, place));
		CHECK_TEXT(kube_text(job, place), name);
	}
}

static void executors_end_before_they_are_killed(void)
{
	CLEANUP(kube_objects_destroy)
	struct kube_objects *objects = make(true, NULL);
	const cJSON *spec =
		kube_at(find_object(objects, &kube_podtemplates, "heat-worker"),
			"template.spec");
	const char *own = kube_text(spec, "containers.0.args.1");
	long grace = kube_number(spec, "terminationGracePeriodSeconds", 0);

	CHECK_TEXT(kube_text(spec, "containers.0.args.0"), "--grace");
	CHECK(own && strtol(own, NULL, 10) + 5 == grace && grace >= 60);
	CHECK_TEXT(kube_text(spec, "containers.0.startupProbe.exec.command.2"),
		   "/tmp/ready");
}

static void without_volcano_there_are_service_and_pod_template(void)
{
	CLEANUP(kube_objects_destroy)
	struct kube_objects *objects = make(true, "mine");
	const cJSON *worker =
		find_object(objects, &kube_podtemplates, "heat-worker");

	CHECK(find_object(objects, &kube_services, "heat"));
	CHECK(find_object(objects, &kube_jobs, "heat-monitor"));
	CHECK(worker);
	CHECK_TEXT(kube_text(worker, "template.spec.containers.0.env.1.value"),
		   "heat:7000");
	/* a claim of the user's is taken, and none is made */
	CHECK(objects->n == 20);
	CHECK_TEXT(kube_text(worker, "template.spec.volumes.2."
				     "persistentVolumeClaim.claimName"),
		   "mine");
}

static void a_claim_that_is_made_stays_and_has_its_class(void)
{
	CLEANUP(kube_objects_destroy)
	struct kube_objects *objects = make(false, NULL);
	size_t shared = 0;

	CHECK(objects);
	for (size_t i = 0; i < objects->n; i++) {
		if (!objects->at[i].shared)
			continue;
		shared++;
		CHECK_TEXT(objects->at[i].name, "heat-data");
		CHECK_TEXT(kube_text(objects->at[i].object,
				     "spec.storageClassName"),
			   "fast");
	}
	CHECK(shared == 1);
}

static void an_owner_is_named_by_its_uid(void)
{
	CLEANUP(kube_objects_destroy)
	struct kube_objects *objects = make(true, NULL);
	CLEANUP(free) char *text = NULL;
	cJSON *patch;

	CHECK(objects);
	strcpy(objects->uid, "u-1");
	patch = kube_owned_by(objects);
	text = cJSON_PrintUnformatted(patch);
	cJSON_Delete(patch);
	CHECK_TEXT(text, "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":"
			 "\"batch/v1\",\"kind\":\"Job\",\"name\":\"heat\","
			 "\"uid\":\"u-1\"}]}}");
}

static void quantities_are_told_from_other_words(void)
{
	CHECK(kube_is_quantity("1") && kube_is_quantity("0.5"));
	CHECK(kube_is_quantity("500m") && kube_is_quantity("2Gi"));
	CHECK(!kube_is_quantity("") && !kube_is_quantity("2gb"));
	CHECK(!kube_is_quantity(".5") && !kube_is_quantity("1.") &&
	      !kube_is_quantity("-1"));
}

/* ---- the log ---- */

static const char *own(const char *line, enum log_filter_level *level)
{
	return log_filter(line, strlen(line), level);
}

static void lines_of_the_coordinator_are_told_from_output(void)
{
	enum log_filter_level level;

	CHECK_TEXT(
		own("2026-01-31T12:00:00.000Z coordinator error: no\n", &level),
		"no\n");
	CHECK(level == LOG_FILTER_ERROR);
	CHECK(own("2026-01-31T12:00:00.000Z coordinator info: job=heat\n",
		  &level));
	CHECK(level == LOG_FILTER_OTHER);
	CHECK(!own("step 4\n", &level));
	CHECK(!own("2026-01-31T12:00:00.000Z executor info: x\n", &level));
}

static void nothing_is_left_behind(void)
{
	kube_job_fini(&job_of_wish);
	keys_fini(&keys_of_wish);
}

RUN_TESTS(TEST(a_job_without_a_directory_runs_in_data),
	  TEST(directories_that_pods_do_not_have_are_refused),
	  TEST(all_objects_have_a_kind_and_the_labels_of_the_job),
	  TEST(nothing_of_the_template_is_left),
	  TEST(volcanos_job_has_the_sizes_of_the_job_file),
	  TEST(the_coordinator_is_told_the_numbers_that_are_stated),
	  TEST(pods_run_confined_and_know_no_api_but_the_monitors),
	  TEST(each_role_has_a_certificate_that_its_pod_alone_mounts),
	  TEST(executors_end_before_they_are_killed),
	  TEST(without_volcano_there_are_service_and_pod_template),
	  TEST(a_claim_that_is_made_stays_and_has_its_class),
	  TEST(an_owner_is_named_by_its_uid),
	  TEST(quantities_are_told_from_other_words),
	  TEST(lines_of_the_coordinator_are_told_from_output),
	  TEST(nothing_is_left_behind))
