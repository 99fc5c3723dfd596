/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/make.h"

#include "base/list.h"
#include "runner/kube/await.h"
#include "runner/kube/coordinator_pod.h"
#include "runner/kube/internal.h"

#include <errno.h>
#include <string.h>

/* For the garbage collector, and for pods to end. */
#define PATIENCE_OF_CLEAR SECONDS(120)

/* ---- what is there ---- */

static bool has_condition(const cJSON *job, const char *type)
{
	const cJSON *at;

	cJSON_ArrayForEach(at, kube_at(job, "status.conditions"))
	{
		const char *is = kube_text(at, "type");
		const char *status = kube_text(at, "status");

		if (is && status && strcmp(is, type) == 0 &&
		    strcmp(status, "True") == 0)
			return true;
	}
	return false;
}

/* Volcano's Job has a phase, that of Kubernetes conditions. */
static bool has_phase(const cJSON *job, const char *const phases[], size_t n)
{
	const char *phase = kube_text(job, "status.state.phase");

	for (size_t i = 0; phase && i < n; i++)
		if (strcmp(phase, phases[i]) == 0)
			return true;
	return false;
}

bool kube_job_is_done(const cJSON *job)
{
	static const char *const phases[] = {"Completed"};

	return has_phase(job, phases, LENGTH(phases)) ||
	       has_condition(job, "Complete");
}

bool kube_job_is_over(const cJSON *job)
{
	static const char *const phases[] = {"Failed", "Terminated", "Aborted"};

	return kube_job_is_done(job) ||
	       has_phase(job, phases, LENGTH(phases)) ||
	       has_condition(job, "Failed");
}

/* It was told to end, and nothing makes it go on. */
static bool is_ending(const cJSON *job)
{
	static const char *const phases[] = {"Completing", "Terminating",
					     "Aborting"};

	return kube_text(job, "metadata.deletionTimestamp") ||
	       has_phase(job, phases, LENGTH(phases));
}

static bool is_ours(const cJSON *job, const char *name)
{
	const char *label = kube_text_in(job, "metadata.labels", KUBE_JOB);

	return label && strcmp(label, name) == 0;
}

static bool is_of_run(const cJSON *job, const char *run_id)
{
	const char *label = kube_text_in(job, "metadata.labels", KUBE_RUN);

	return run_id && label && strcmp(label, run_id) == 0;
}

static const char *kubectl_word(const struct kube_kind *kind)
{
	return kind == &kube_vcjobs ? "vcjob" : "job";
}

static int refuse_running(const struct reach *reach, const char *name,
			  const struct kube_kind *kind, bool ours,
			  struct error *err)
{
	const char *kubectl = kubectl_word(kind);

	if (!ours)
		return error_set(err, -EEXIST,
				 "namespace %s has a Job %s that is no job of "
				 "Bellows: another name, or 'kubectl -n %s "
				 "delete %s %s'",
				 reach->namespace, name, reach->namespace,
				 kubectl, name);
	return error_set(err, -EEXIST,
			 "job %s runs already in namespace %s: 'bellows watch "
			 "%s --on kube%s' follows it, 'bellows cancel %s --on "
			 "kube%s' ends it, 'kubectl -n %s delete %s %s' "
			 "removes it and leaves its data",
			 name, reach->namespace, name, reach->words, name,
			 reach->words, reach->namespace, kubectl, name);
}

/*
 * A coordinator that ends with another status than 0 is started again by the
 * kubelet, and ends at once in the same way; it takes minutes until its Job has
 * failed.  What was saved or cancelled is over already.  Returns false if one
 * was not; *again: one was started again and has not ended yet.
 */
static bool have_left(const cJSON *pods, bool *again)
{
	const cJSON *at;
	bool left = false;

	*again = false;
	cJSON_ArrayForEach(at, pods)
	{
		if (!kube_pod_has_left(at))
			return false;
		left = true;
		*again = *again || kube_pod_runs(at);
	}
	return left;
}

/* Returns as check_job() does. */
static int check_pods(struct reach *reach, const struct kube_kind *kind,
		      const char *name, struct error *err)
{
	struct kube_outcome outcome = {.loop = reach->loop, .err = err};
	char query[160];
	const struct kube_target target = {
		.kind = &kube_pods,
		.namespace = reach->namespace,
		.query = query,
	};
	bool again;
	int r;

	kube_find_query(query, sizeof(query), name);
	r = kube_await(&outcome,
		       kube_get(reach->kube, NULL, &target, REACH_DEADLINE,
				kube_on_answer, &outcome, err));
	if (r == 0)
		r = have_left(kube_at(outcome.object, "items"), &again)
			    ? again
			    : refuse_running(reach, name, kind, true, err);
	cJSON_Delete(outcome.object);
	return r;
}

/* Returns 0 if it is over, or of this run; 1 if it will soon be over. */
static int check_job(struct reach *reach, const struct kube_kind *kind,
		     const char *name, const char *run_id, const cJSON *job,
		     struct error *err)
{
	if (!is_ours(job, name) || !kube_text(job, "metadata.uid"))
		return refuse_running(reach, name, kind, false, err);
	if (is_of_run(job, run_id))
		return kube_text(job, "metadata.deletionTimestamp") ? 1 : 0;
	if (kube_job_is_over(job))
		return 0;
	return is_ending(job) ? 1 : check_pods(reach, kind, name, err);
}

/* Returns 1 if there is one that is ending. */
static int look(struct kube_previous *previous, struct reach *reach,
		const struct kube_kind *kind, const char *name,
		const char *run_id, struct error *err)
{
	struct kube_outcome outcome = {.loop = reach->loop, .err = err};
	char query[96];
	const struct kube_target target = {
		.kind = kind,
		.namespace = reach->namespace,
		.query = query,
	};
	const cJSON *job;
	int r;

	/* a list: without an object its kind is told from a missing one */
	snprintf(query, sizeof(query), "fieldSelector=metadata.name%%3D%s",
		 name);
	r = kube_await(&outcome,
		       kube_get(reach->kube, NULL, &target, REACH_DEADLINE,
				kube_on_answer, &outcome, err));
	job = kube_at(outcome.object, "items.0");
	if (r == 0 && job)
		r = check_job(reach, kind, name, run_id, job, err);
	if (r == 0 && job) {
		previous->kind = kind;
		previous->is_same = is_of_run(job, run_id);
		snprintf(previous->uid, sizeof(previous->uid), "%s",
			 kube_text(job, "metadata.uid"));
	}
	cJSON_Delete(outcome.object);
	return r;
}

static int await_ending(struct kube_previous *previous, struct reach *reach,
			const struct kube_kind *kind, const char *name,
			const char *run_id, struct kube_patience *patience,
			struct error *err)
{
	int r;

	while ((r = look(previous, reach, kind, name, run_id, err)) > 0) {
		r = kube_patience_rest(patience, reach, err);
		if (r == -ETIMEDOUT)
			return error_set(
				err, -ETIMEDOUT,
				"the former run of %s in namespace %s did not "
				"end within %d s: 'kubectl -n %s get %s %s' "
				"shows what is left of it",
				name, reach->namespace,
				(int)(KUBE_PATIENCE / 1000), reach->namespace,
				kubectl_word(kind), name);
		if (r < 0)
			return r;
	}
	return r;
}

int kube_survey(struct kube_previous *previous, struct reach *reach,
		const char *job, const char *run_id,
		struct kube_patience *patience, struct error *err)
{
	int r;

	*previous = (struct kube_previous){0};
	r = await_ending(previous, reach, &kube_vcjobs, job, run_id, patience,
			 err);
	previous->volcano = r == 0;
	/* no such kind: nobody has installed it */
	if ((r < 0 && r != -ENOENT) || previous->is_same)
		return r;
	return await_ending(previous, reach, &kube_jobs, job, run_id, patience,
			    err);
}

/* ---- clearing away ---- */

/* 1 if it is there, 0 if not. */
static int is_there(struct reach *reach, const struct kube_target *target,
		    struct error *err)
{
	struct kube_outcome outcome = {.loop = reach->loop, .err = err};
	int r = kube_await(&outcome,
			   kube_get(reach->kube, NULL, target, REACH_DEADLINE,
				    kube_on_answer, &outcome, err));

	if (r == 0)
		r = target->name || kube_at(outcome.object, "items.0");
	cJSON_Delete(outcome.object);
	return r == -ENOENT ? 0 : r;
}

static int await_end(struct reach *reach, const struct kube_target *target,
		     msec_t until, const bool *stop, struct error *err)
{
	int r;

	while ((r = is_there(reach, target, err)) > 0) {
		if (*stop)
			return error_set(err, -ECANCELED, "interrupted");
		if (loop_now() >= until)
			return error_set(err, -ETIMEDOUT,
					 "%s%s%s of the former run in "
					 "namespace %s did not go within %d s",
					 target->kind->plural,
					 target->name ? " " : "",
					 target->name ? target->name : "",
					 reach->namespace,
					 (int)(PATIENCE_OF_CLEAR / 1000));
		r = kube_rest(reach);
		if (r < 0)
			return r;
	}
	return r;
}

static int remove_job(struct reach *reach, const struct kube_previous *previous,
		      const char *name, struct error *err)
{
	struct kube_outcome outcome = {.loop = reach->loop, .err = err};
	const struct kube_target target = {
		.kind = previous->kind,
		.namespace = reach->namespace,
		.name = name,
	};
	int r = kube_await(&outcome,
			   kube_delete(reach->kube, NULL, &target,
				       previous->uid, -1, REACH_DEADLINE,
				       kube_on_answer, &outcome, err));

	cJSON_Delete(outcome.object);
	return r == -ENOENT ? 0 : r;
}

/*
 * Volcano 1.14 looks whether the pods of a deleted Job have gone at intervals
 * that double, and its last look comes after they have: it forgets the Job by
 * its name.  A new Job of that name that is there before is forgotten, and
 * never gets a pod.  From the deletion to the last look passes at most twice
 * the time that the pods took to go.
 */
static int await_forgotten(struct reach *reach, msec_t deleted,
			   const bool *stop, struct error *err)
{
	msec_t gone = loop_now();
	int r = 0;

	while (r == 0 && loop_now() < gone + (gone - deleted) + SECONDS(1)) {
		if (*stop)
			return error_set(err, -ECANCELED, "interrupted");
		r = kube_rest(reach);
	}
	return r;
}

int kube_clear(struct reach *reach, const struct kube_previous *previous,
	       const struct kube_objects *objects, const bool *stop,
	       struct error *err)
{
	const char *name = objects->at[objects->owner].name;
	msec_t deleted = loop_now(), until = deleted + PATIENCE_OF_CLEAR;
	char query[160];
	struct kube_target target = {
		.kind = &kube_pods,
		.namespace = reach->namespace,
		.query = query,
	};
	int r;

	r = remove_job(reach, previous, name, err);
	snprintf(query, sizeof(query), "labelSelector=bellows.io%%2Fjob%%3D%s",
		 name);
	if (r == 0)
		r = await_end(reach, &target, until, stop, err);
	if (r == 0 && previous->kind == &kube_vcjobs)
		r = await_forgotten(reach, deleted, stop, err);
	target.query = NULL;
	for (size_t i = 0; r == 0 && i < objects->n; i++) {
		if (objects->at[i].shared)
			continue;
		target.kind = objects->at[i].kind;
		target.name = objects->at[i].name;
		r = await_end(reach, &target, until, stop, err);
	}
	return r;
}
