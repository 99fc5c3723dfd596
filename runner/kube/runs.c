/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/runs.h"

#include "base/list.h"
#include "base/log.h"
#include "jobfile/exit.h"
#include "runner/kube/coordinator_pod.h"
#include "runner/kube/internal.h"
#include "runner/kube/make.h"

#include <errno.h>
#include <string.h>

/* A pod of which the watch tells a moment after its Job. */
#define LOOK       SECONDS(1)
#define LOOK_AGAIN SECONDS(3)

/* A coordinator's pod: of all that is known of it, metadata and status. */
struct run_pod {
	struct list link;
	cJSON *pod;
	bool seen; /* in the list that comes at the moment */
};

struct kube_runs {
	struct reach *reach;
	struct kube_watch *watch;
	struct list pods; /* of struct run_pod */
	struct list runs; /* of struct kube_run */
	bool is_listed;
};

/* ---- pods ---- */

/* A coordinator that hands its job over to the next one ends as one does whose
 * job was saved; only that one ends again when its container is started again.
 */
static bool has_saved(const cJSON *pod)
{
	return kube_pod_last_exit_code(pod) == EXIT_SUSPENDED &&
	       !kube_pod_runs(pod) &&
	       !kube_text(pod, "metadata.deletionTimestamp") &&
	       kube_number(pod, "status.containerStatuses.0.restartCount", 0) >
		       0;
}

enum kube_run_state kube_run_judge(const cJSON *pod, int *code)
{
	int last = kube_pod_last_exit_code(pod);
	bool is_over = kube_pod_is_over(pod);

	/* Its word comes before the kubelet's: until then the pod tells how
	 * the container before has ended.  It ends again and again in the way
	 * that it has told. */
	if (*code >= 0 && (last == *code || is_over))
		return KUBE_RUN_OVER;
	if (last == EXIT_CANCELLED || (is_over && last == EXIT_DONE) ||
	    has_saved(pod)) {
		*code = last;
		return KUBE_RUN_OVER;
	}
	if (is_over || kube_text(pod, "metadata.deletionTimestamp"))
		return KUBE_RUN_LOST;
	return kube_pod_runs(pod) ? KUBE_RUN_RUNS : KUBE_RUN_WAITS;
}

static bool is_of(const cJSON *object, const char *label, const char *value)
{
	const char *text = kube_text_in(object, "metadata.labels", label);

	return text && strcmp(text, value) == 0;
}

/* The pod that tells most of the run; NULL: it has none. */
static const cJSON *find_pod(const struct kube_run *run,
			     enum kube_run_state *state, int *code)
{
	const cJSON *found = NULL;

	list_for_each (at, &run->runs->pods) {
		const cJSON *pod = CONTAINER(at, struct run_pod, link)->pod;
		enum kube_run_state is;
		int own = run->code;

		if (!is_of(pod, KUBE_RUN, run->id) ||
		    !is_of(pod, KUBE_JOB, run->job))
			continue;
		is = kube_run_judge(pod, &own);
		if (found && is == KUBE_RUN_LOST)
			continue;
		found = pod;
		*state = is;
		*code = own;
		if (is == KUBE_RUN_OVER)
			break;
	}
	return found;
}

static struct run_pod *find(const struct kube_runs *runs, const char *uid)
{
	list_for_each (at, &runs->pods) {
		struct run_pod *one = CONTAINER(at, struct run_pod, link);
		const char *own = kube_text(one->pod, "metadata.uid");

		if (own && strcmp(own, uid) == 0)
			return one;
	}
	return NULL;
}

static void forget(struct run_pod *one)
{
	list_remove(&one->link);
	cJSON_Delete(one->pod);
	free(one);
}

/* What is asked of a pod is in there. */
static cJSON *keep_parts(const cJSON *pod)
{
	static const char *const parts[] = {"metadata", "status"};
	cJSON *kept = cJSON_CreateObject();

	for (size_t i = 0; i < LENGTH(parts); i++)
		cJSON_AddItemToObject(
			kept, parts[i],
			cJSON_Duplicate(
				cJSON_GetObjectItemCaseSensitive(pod, parts[i]),
				true));
	cJSON_DeleteItemFromObject(
		cJSON_GetObjectItemCaseSensitive(kept, "metadata"),
		"managedFields");
	return kept;
}

/* ---- the end of a run ---- */

static void end(struct kube_run *run, int code, const char *why)
{
	kube_run_leave(run);
	run->events->on_end(run->user, code, why);
}

static void look(void *user);

static void look_later(struct kube_run *run, msec_t after)
{
	if (!run->has_pod && !run->call && !loop_timer_is_set(&run->look))
		loop_timer_set(run->runs->reach->loop, &run->look, after, look,
			       run);
}

static void on_deleted(void *user, const struct kube_answer *answer)
{
	struct kube_run *run = user;

	run->call = NULL;
	if (answer->r < 0 && answer->r != -ENOENT)
		log_warn("job=%s its Job stays: %s", run->job, answer->text);
	look_later(run, LOOK);
}

/* ---- its Job ---- */

static struct kube_target job_of(const struct kube_run *run,
				 const struct kube_kind *kind)
{
	return (struct kube_target){
		.kind = kind,
		.namespace = run->runs->reach->namespace,
		.name = run->job,
	};
}

static void remove_job(struct kube_run *run, const struct kube_kind *kind,
		       const char *uid)
{
	const struct kube_target target = job_of(run, kind);
	struct error err;

	if (kube_delete(run->runs->reach->kube, &run->call, &target, uid, -1,
			REACH_DEADLINE, on_deleted, run, &err) < 0) {
		log_warn("job=%s its Job stays: %s", run->job, err.text);
		look_later(run, LOOK_AGAIN);
	}
}

/* There is a Job, and no pod of it that runs. */
static void judge_job(struct kube_run *run, const struct kube_kind *kind,
		      const cJSON *job)
{
	const char *uid = kube_text(job, "metadata.uid");

	if (!uid || !is_of(job, KUBE_RUN, run->id))
		end(run, -1, "its Job was deleted, and another one made");
	else if (kube_job_is_done(job) && !run->has_pod)
		end(run, EXIT_DONE, "its Job is complete");
	else if (kube_job_is_over(job) && !run->has_pod)
		end(run, run->code >= 0 ? run->code : run->last,
		    "its Job has ended");
	else if (run->is_unwanted && !run->has_pod &&
		 !kube_text(job, "metadata.deletionTimestamp"))
		remove_job(run, kind, uid);
	else
		look_later(run, LOOK_AGAIN);
}

static void on_job(void *user, const struct kube_answer *answer);

static void on_vcjob(void *user, const struct kube_answer *answer)
{
	struct kube_run *run = user;
	const struct kube_target target = job_of(run, &kube_jobs);
	struct error err;

	run->call = NULL;
	if (answer->r == 0)
		judge_job(run, &kube_vcjobs, answer->object);
	else if (answer->r != -ENOENT ||
		 kube_get(run->runs->reach->kube, &run->call, &target,
			  REACH_DEADLINE, on_job, run, &err) < 0)
		look_later(run, LOOK_AGAIN);
}

static void on_job(void *user, const struct kube_answer *answer)
{
	struct kube_run *run = user;

	run->call = NULL;
	if (answer->r == 0)
		judge_job(run, &kube_jobs, answer->object);
	else if (answer->r == -ENOENT)
		end(run, -1, "its Job was deleted");
	else
		look_later(run, LOOK_AGAIN);
}

static void look(void *user)
{
	struct kube_run *run = user;
	const struct kube_target target = job_of(run, &kube_vcjobs);
	struct error err;

	if (kube_get(run->runs->reach->kube, &run->call, &target,
		     REACH_DEADLINE, on_vcjob, run, &err) < 0)
		look_later(run, LOOK_AGAIN);
}

/* ---- what is known ---- */

static void settle(struct kube_run *run)
{
	enum kube_run_state state = KUBE_RUN_LOST;
	int code = -1;
	const cJSON *pod = find_pod(run, &state, &code);
	bool had = run->has_pod;
	char text[256] = "no pod yet";

	if (pod && state == KUBE_RUN_OVER) {
		kube_pod_tell(text, sizeof(text), pod);
		end(run, code, text);
		return;
	}
	run->has_pod = pod && state == KUBE_RUN_RUNS;
	if (pod && kube_pod_last_exit_code(pod) >= 0)
		run->last = kube_pod_last_exit_code(pod);
	run->has_run = run->has_run || run->has_pod || run->last >= 0;
	if (run->has_pod) {
		loop_timer_clear(&run->look);
		run->events->on_pod(run->user, pod, "");
		return;
	}
	if (pod)
		kube_pod_tell(text, sizeof(text), pod);
	run->events->on_pod(run->user, NULL, text);
	if (run->runs->is_listed)
		look_later(run, had ? 0 : LOOK);
}

static void settle_run(void *user)
{
	settle(user);
}

static void settle_all(struct kube_runs *runs)
{
	list_for_each (at, &runs->runs)
		settle(CONTAINER(at, struct kube_run, link));
}

static void settle_runs_of(struct kube_runs *runs, const cJSON *pod)
{
	const char *id = kube_text_in(pod, "metadata.labels", KUBE_RUN);

	list_for_each (at, &runs->runs) {
		struct kube_run *run = CONTAINER(at, struct kube_run, link);

		if (id && strcmp(run->id, id) == 0)
			settle(run);
	}
}

static void on_pod(void *user, enum kube_change change, const cJSON *pod)
{
	const char *uid = kube_text(pod, "metadata.uid");
	struct kube_runs *runs = user;
	struct run_pod *one = uid ? find(runs, uid) : NULL;

	if (!uid)
		return;
	if (!one && change != KUBE_GONE) {
		one = calloc(1, sizeof(*one));
		if (!one)
			return; /* the next list has it */
		list_append(&runs->pods, &one->link);
	}
	if (change == KUBE_GONE && one) {
		forget(one);
	} else if (one) {
		cJSON_Delete(one->pod);
		one->pod = keep_parts(pod);
		one->seen = true;
	}
	settle_runs_of(runs, pod);
}

static void on_listing(void *user)
{
	struct kube_runs *runs = user;

	list_for_each (at, &runs->pods)
		CONTAINER(at, struct run_pod, link)->seen = false;
}

static void on_listed(void *user)
{
	struct kube_runs *runs = user;

	list_for_each (at, &runs->pods)
		if (!CONTAINER(at, struct run_pod, link)->seen)
			forget(CONTAINER(at, struct run_pod, link));
	runs->is_listed = true;
	settle_all(runs);
}

static void on_trouble(void *user, const struct kube_answer *answer)
{
	log_warn("the cluster's pods are not seen: %s", answer->text);
}

/* ---- life ---- */

int kube_runs_create(struct kube_runs **out, struct reach *reach,
		     struct error *err)
{
	static const struct kube_watch_events events = {
		.listing = on_listing,
		.object = on_pod,
		.listed = on_listed,
		.trouble = on_trouble,
	};
	const struct kube_target target = {
		.kind = &kube_pods,
		.namespace = reach->namespace,
		.query = "labelSelector=bellows.io%2Frole%3Dcoordinator"
			 "%2Cbellows.io%2Frun",
	};
	struct kube_runs *runs = calloc(1, sizeof(*runs));
	int r;

	if (!runs)
		return error_set(err, -ENOMEM, "out of memory");
	runs->reach = reach;
	list_init(&runs->pods);
	list_init(&runs->runs);
	r = kube_watch_start(&runs->watch, reach->kube, &target, &events, runs,
			     err);
	if (r < 0) {
		kube_runs_destroy(runs);
		return r;
	}
	*out = runs;
	return 0;
}

struct kube_runs *kube_runs_destroy(struct kube_runs *runs)
{
	if (!runs)
		return NULL;
	kube_watch_stop(runs->watch);
	list_for_each (at, &runs->pods)
		forget(CONTAINER(at, struct run_pod, link));
	free(runs);
	return NULL;
}

void kube_run_follow(struct kube_run *run, struct kube_runs *runs)
{
	run->runs = runs;
	run->has_pod = run->has_run = run->is_unwanted = false;
	run->code = run->last = -1;
	list_append(&runs->runs, &run->link);
	loop_timer_set(runs->reach->loop, &run->look, 0, settle_run, run);
}

void kube_run_leave(struct kube_run *run)
{
	if (!run->runs)
		return;
	run->call = kube_cancel(run->call);
	loop_timer_clear(&run->look);
	list_remove(&run->link);
	run->runs = NULL;
}

void kube_run_is_over(struct kube_run *run, int code)
{
	if (!run->runs || run->code == code)
		return;
	run->code = code;
	loop_timer_set(run->runs->reach->loop, &run->look, 0, settle_run, run);
}

void kube_run_remove(struct kube_run *run)
{
	if (!run->runs || run->is_unwanted)
		return;
	run->is_unwanted = true;
	look_later(run, 0);
}
