/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/workload.h"

#include "base/cleanup.h"
#include "base/list.h"
#include "core/sched_usage.h"
#include "sim/measured.h"
#include "sim/workload_class.h"
#include "sim/workload_failures.h"
#include "sim/workload_random.h"
#include "sim/workload_users.h"
#include "json/json_document.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SECOND ((usec_t)1000000)

#define RAW(type, member) offsetof(struct type, member)

struct raw_workload {
	struct workload *to;
	struct raw_classes classes;
	const cJSON *failures, *users, *sets, *jobs, *random;
};

struct raw_set {
	char name[WORKLOAD_NAME_MAX + 1];
	const cJSON *jobs;
};

/* ---- jobs ---- */

struct raw_job {
	char class[WORKLOAD_NAME_MAX + 1], user[WORKLOAD_NAME_MAX + 1];
	struct workload_job job;
};

static int read_job(const struct json_reader *reader, const cJSON *item,
		    struct workload *workload, struct workload_job *job)
{
	static const struct json_key keys[] = {
		{"class", JSON_NAME, RAW(raw_job, class), 0, 0, true},
		{"name", JSON_NAME, RAW(raw_job, job.name), 0, 0, false},
		{"user", JSON_NAME, RAW(raw_job, user), 0, 0, false},
		{"priority", JSON_INTEGER, RAW(raw_job, job.priority), 1,
		 WORKLOAD_PRIORITY_MAX, false},
		{"steps", JSON_NUMBER, RAW(raw_job, job.steps), 1, 1e15, false},
		{"submit", JSON_SECONDS, RAW(raw_job, job.submit), 0,
		 WORKLOAD_SECONDS_MAX, false},
		{"estimate", JSON_SECONDS, RAW(raw_job, job.estimate), 0,
		 WORKLOAD_SECONDS_MAX, false},
	};
	struct raw_job raw = {
		.job = {.priority = 1, .submit = -1, .estimate = -1}};
	int r = json_read_object(reader, item, keys, LENGTH(keys), &raw);

	if (r < 0)
		return r;
	*job = raw.job;
	job->class = (unsigned)workload_class_find(workload, raw.class);
	if (job->class == workload->n_classes)
		return json_refuse(reader, item, "there is no class named %s",
				   raw.class);
	r = workload_users_find(reader, item, workload, raw.user, &job->user);
	if (r < 0)
		return r;
	return workload_class_check(reader, item,
				    &workload->classes[job->class], job->steps);
}

static int compare_names(const void *a, const void *b)
{
	const struct workload_job *const *first = a, *const *second = b;
	int by = strcmp((*first)->name, (*second)->name);

	/* of two jobs of one name the later one is to be refused */
	return by ? by : (*first > *second) - (*first < *second);
}

static const cJSON *nth(const cJSON *array, size_t n)
{
	const cJSON *at = array->child;

	while (n-- > 0)
		at = at->next;
	return at;
}

static int check_names(const struct json_reader *reader, const cJSON *jobs,
		       const struct workload_set *set)
{
	CLEANUP(free)
	const struct workload_job **sorted = malloc(set->n * sizeof(*sorted));

	if (!sorted)
		return error_set(reader->err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < set->n; i++)
		sorted[i] = &set->jobs[i];
	qsort(sorted, set->n, sizeof(*sorted), compare_names);
	for (size_t i = 1; i < set->n; i++)
		if (*sorted[i]->name &&
		    strcmp(sorted[i]->name, sorted[i - 1]->name) == 0)
			return json_refuse(
				reader,
				nth(jobs, (size_t)(sorted[i] - set->jobs)),
				"there are two jobs named %s", sorted[i]->name);
	return 0;
}

static int read_jobs(const struct json_reader *reader, const cJSON *item,
		     struct workload *workload, struct workload_set *set)
{
	size_t n;
	int r = json_check_array(reader, item, "jobs", 1, WORKLOAD_JOBS_MAX,
				 &n);

	if (r < 0)
		return r;
	set->jobs = calloc(n, sizeof(*set->jobs));
	if (!set->jobs)
		return error_set(reader->err, -ENOMEM, "out of memory");
	for (const cJSON *at = item->child; at; at = at->next) {
		r = read_job(reader, at, workload, &set->jobs[set->n]);
		if (r < 0)
			return r;
		set->n++;
	}
	return check_names(reader, item, set);
}

static int read_set(const struct json_reader *reader, const cJSON *item,
		    struct workload *workload)
{
	static const struct json_key keys[] = {
		{"name", JSON_NAME, RAW(raw_set, name), 0, 0, false},
		{"jobs", JSON_ITEM, RAW(raw_set, jobs), 0, 0, true},
	};
	struct workload_set *set = &workload->sets[workload->n_sets++];
	struct raw_set raw = {"", NULL};
	int r = json_read_object(reader, item, keys, LENGTH(keys), &raw);

	if (r < 0)
		return r;
	strcpy(set->name, raw.name);
	for (size_t i = 0; *set->name && i + 1 < workload->n_sets; i++)
		if (strcmp(workload->sets[i].name, set->name) == 0)
			return json_refuse(reader, item,
					   "there are two sets named %s",
					   set->name);
	return read_jobs(reader, raw.jobs, workload, set);
}

static int read_sets(const struct json_reader *reader,
		     const struct raw_workload *raw)
{
	struct workload *workload = raw->to;
	size_t n = 1;
	int r = 0;

	if (!!raw->sets + !!raw->jobs + !!raw->random != 1)
		return json_refuse(reader, reader->root,
				   "there is to be one of 'jobs', 'sets' and "
				   "'random'");
	if (raw->random)
		return workload_random_read(reader, raw->random, workload);
	if (raw->sets)
		r = json_check_array(reader, raw->sets, "sets", 1,
				     WORKLOAD_SETS_MAX, &n);
	if (r < 0)
		return r;
	workload->sets = calloc(n, sizeof(*workload->sets));
	if (!workload->sets)
		return error_set(reader->err, -ENOMEM, "out of memory");
	if (raw->jobs) {
		workload->n_sets = 1;
		return read_jobs(reader, raw->jobs, workload, workload->sets);
	}
	for (const cJSON *at = raw->sets->child; at && r == 0; at = at->next)
		r = read_set(reader, at, workload);
	return r;
}

/* ---- the whole ---- */

struct whole {
	struct workload workload;
	struct raw_workload raw;
	const cJSON *source, *on;
};

#define KEY(member) offsetof(struct whole, member)

static const struct json_key whole_keys[] = {
	{"source", JSON_ITEM, KEY(source), 0, 0, false},
	{"on", JSON_ITEM, KEY(on), 0, 0, false},
	{"slots", JSON_COUNT, KEY(workload.slots), 1, WORKLOAD_SLOTS_MAX, true},
	{"launcher_slots", JSON_COUNT, KEY(workload.launcher_slots), 0,
	 WORKLOAD_SLOTS_MAX, false},
	{"rescale_gap", JSON_SECONDS, KEY(workload.rescale_gap), 0,
	 WORKLOAD_SECONDS_MAX, false},
	{"decision_delay", JSON_SECONDS, KEY(workload.decision_delay), 0,
	 WORKLOAD_SECONDS_MAX, false},
	{"start_delay", JSON_SECONDS, KEY(workload.start_delay), 0,
	 WORKLOAD_SECONDS_MAX, false},
	{"gap", JSON_SECONDS, KEY(workload.gap), 0, WORKLOAD_SECONDS_MAX,
	 false},
	{"aging", JSON_SECONDS, KEY(workload.aging), 0, WORKLOAD_SECONDS_MAX,
	 false},
	{"usage_half_life", JSON_SECONDS, KEY(workload.usage_half_life), 0,
	 WORKLOAD_SECONDS_MAX, false},
	{"start", JSON_ITEM, KEY(raw.classes.start), 0, 0, false},
	{"move", JSON_ITEM, KEY(raw.classes.move), 0, 0, false},
	{"failures", JSON_ITEM, KEY(raw.failures), 0, 0, false},
	{"users", JSON_ITEM, KEY(raw.users), 0, 0, false},
	{"classes", JSON_ITEM, KEY(raw.classes.items), 0, 0, true},
	{"jobs", JSON_ITEM, KEY(raw.jobs), 0, 0, false},
	{"sets", JSON_ITEM, KEY(raw.sets), 0, 0, false},
	{"random", JSON_ITEM, KEY(raw.random), 0, 0, false},
};

#undef KEY

static bool is_text(const cJSON *item, const char *text)
{
	return cJSON_IsString(item) && strcmp(item->valuestring, text) == 0;
}

static int check_texts(const struct json_reader *reader,
		       const struct whole *whole)
{
	if (whole->source && !cJSON_IsString(whole->source))
		return json_refuse(reader, whole->source,
				   "source is not a text");
	if (whole->on && !is_text(whole->on, "hosts") &&
	    !is_text(whole->on, "kube"))
		return json_refuse(reader, whole->on,
				   "on is neither 'hosts' nor 'kube'");
	return 0;
}

static int read_workload(const struct json_reader *reader,
			 struct workload *workload)
{
	struct whole whole = {
		.workload = *workload,
		.raw.to = workload,
	};
	int r;

	whole.workload.decision_delay = whole.workload.start_delay = -1;
	r = json_read_object(reader, reader->root, whole_keys,
			     LENGTH(whole_keys), &whole);
	*workload = whole.workload;
	if (r == 0)
		r = check_texts(reader, &whole);
	if (r < 0)
		return r;
	if (workload->decision_delay < 0)
		workload->decision_delay =
			is_text(whole.on, "kube") ? MEASURED_DELAY_OF_PODS : 0;
	if (workload->start_delay < 0)
		workload->start_delay = workload->decision_delay;
	if (whole.raw.failures)
		r = workload_failures_read(reader, whole.raw.failures,
					   workload);
	if (r == 0 && whole.raw.users)
		r = workload_users_read(reader, whole.raw.users, workload);
	if (r == 0)
		r = workload_classes_read(reader, &whole.raw.classes, workload);
	return r < 0 ? r : read_sets(reader, &whole.raw);
}

DEFINE_CLEANUP(struct workload, workload_destroy)

struct workload *workload_create(void)
{
	struct workload *workload = calloc(1, sizeof(*workload));

	if (!workload)
		return NULL;
	workload->aging = SCHED_AGING * SECOND;
	workload->usage_half_life = SCHED_USAGE_HALF_LIFE * SECOND;
	return workload;
}

static int read_document(struct workload **out,
			 const struct json_reader *reader)
{
	CLEANUP(workload_destroy)
	struct workload *workload = workload_create();
	int r;

	if (!workload)
		return error_set(reader->err, -ENOMEM, "out of memory");
	r = read_workload(reader, workload);
	if (r == 0)
		*out = STEAL(workload);
	return r;
}

int workload_parse(struct workload **out, const char *path, const char *text,
		   size_t size, struct error *err)
{
	CLEANUP(json_document_fini) struct json_document document;
	int r = json_document_parse(&document, path, text, size, err);

	return r < 0 ? r : read_document(out, &document.reader);
}

int workload_read(struct workload **out, const char *path, struct error *err)
{
	CLEANUP(json_document_fini) struct json_document document;
	int r = json_document_read(&document, path, WORKLOAD_BYTES_MAX, err);

	return r < 0 ? r : read_document(out, &document.reader);
}

void workload_destroy(struct workload *workload)
{
	if (!workload)
		return;
	for (size_t i = 0; i < workload->n_sets; i++)
		free(workload->sets[i].jobs);
	free(workload->sets);
	for (size_t i = 0; i < workload->n_classes; i++)
		free(workload->classes[i].sizes);
	free(workload->classes);
	workload_users_fini(&workload->users);
	free(workload);
}
