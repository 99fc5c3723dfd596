/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/make.h"

#include "runner/kube/await.h"
#include "runner/kube/coordinator_pod.h"
#include "runner/kube/internal.h"

#include <errno.h>
#include <string.h>

/* ---- making ---- */

struct making {
	struct reach *reach;
	const struct kube_objects *objects;
	const char *run_id; /* NULL: none */
	struct kube_patience *patience;
	char uid[KUBE_OBJECTS_MAX][64]; /* "": not made here */
};

static struct kube_target target_of(const struct reach *reach,
				    const struct kube_object *object)
{
	return (struct kube_target){
		.kind = object->kind,
		.namespace = reach->namespace,
		.name = object->name,
	};
}

static int remove_one(struct reach *reach, const struct kube_object *object,
		      const char *uid, struct error *err)
{
	struct kube_outcome outcome = {.loop = reach->loop, .err = err};
	const struct kube_target target = target_of(reach, object);
	int r = kube_await(&outcome,
			   kube_delete(reach->kube, NULL, &target, uid, -1,
				       REACH_DEADLINE, kube_on_answer, &outcome,
				       err));

	cJSON_Delete(outcome.object);
	return r == -ENOENT ? 0 : r;
}

/* This run has made it, and was cut off before it made its Job. */
static bool is_of_run(const struct making *making, const cJSON *object)
{
	const char *label = kube_text_in(object, "metadata.labels", KUBE_RUN);

	return making->run_id && label && strcmp(label, making->run_id) == 0;
}

/* The previous run's, whose Job is gone: the garbage collector has not come to
 * it yet. */
static bool is_going(const struct making *making, const cJSON *object)
{
	const struct kube_objects *objects = making->objects;
	const char *owner =
		kube_text(object, "metadata.ownerReferences.0.name");

	return kube_text(object, "metadata.deletionTimestamp") ||
	       (owner && strcmp(owner, objects->at[objects->owner].name) == 0);
}

/* Whether what is in the way of this one goes, or has gone. */
static bool is_left_over(struct making *making, size_t i)
{
	const struct kube_object *at = &making->objects->at[i];
	struct error err;
	struct kube_outcome outcome = {.loop = making->reach->loop,
				       .err = &err};
	const struct kube_target target = target_of(making->reach, at);
	int r = kube_await(&outcome, kube_get(making->reach->kube, NULL,
					      &target, REACH_DEADLINE,
					      kube_on_answer, &outcome, &err));
	const char *uid = kube_text(outcome.object, "metadata.uid");
	bool is = r == -ENOENT || is_going(making, outcome.object);

	if (!is && uid && is_of_run(making, outcome.object))
		is = remove_one(making->reach, at, uid, &err) == 0;
	cJSON_Delete(outcome.object);
	return is;
}

/* r: -EEXIST, or -ETIMEDOUT of what goes, but slowly. */
static int refuse_existing(const struct making *making, size_t i, int r,
			   struct error *err)
{
	const struct kube_object *object = &making->objects->at[i];
	const char *namespace = making->reach->namespace;

	return error_set(err, r,
			 "%s %s is there already in namespace %s, of another "
			 "job or a former one: 'kubectl -n %s delete %s %s' "
			 "removes it",
			 object->kind->plural, object->name, namespace,
			 namespace, object->kind->plural, object->name);
}

static int make_one(struct making *making, size_t i, struct error *err)
{
	const struct kube_object *object = &making->objects->at[i];
	struct kube_outcome outcome = {.loop = making->reach->loop, .err = err};
	struct kube_target target = target_of(making->reach, object);
	const char *uid;
	int r;

	target.name = NULL;
	r = kube_await(&outcome,
		       kube_create_object(making->reach->kube, NULL, &target,
					  object->object, REACH_DEADLINE,
					  kube_on_answer, &outcome, err));
	if (r == -EEXIST && object->shared)
		return 0;
	if (r < 0)
		return r;
	uid = kube_text(outcome.object, "metadata.uid");
	snprintf(making->uid[i], sizeof(making->uid[i]), "%s", uid ? uid : "");
	cJSON_Delete(outcome.object);
	return 0;
}

/* What is left of a previous run is waited for, and nothing else. */
static int make_after(struct making *making, size_t i, struct error *err)
{
	int r;

	while ((r = make_one(making, i, err)) == -EEXIST) {
		r = is_left_over(making, i)
			    ? kube_patience_rest(making->patience,
						 making->reach, err)
			    : -EEXIST;
		if (r == -EEXIST || r == -ETIMEDOUT)
			return refuse_existing(making, i, r, err);
		if (r < 0)
			return r;
	}
	return r;
}

static int own_one(struct reach *reach, const struct kube_object *object,
		   const cJSON *patch, struct error *err)
{
	struct kube_outcome outcome = {.loop = reach->loop, .err = err};
	const struct kube_target target = target_of(reach, object);
	int r = kube_await(&outcome, kube_patch(reach->kube, NULL, &target,
						patch, REACH_DEADLINE,
						kube_on_answer, &outcome, err));

	cJSON_Delete(outcome.object);
	return r;
}

int kube_own(struct reach *reach, struct kube_objects *objects, const char *uid,
	     struct error *err)
{
	cJSON *patch;
	int r = 0;

	snprintf(objects->uid, sizeof(objects->uid), "%s", uid);
	patch = kube_owned_by(objects);
	for (size_t i = 0; r == 0 && i < objects->n; i++)
		if (i != objects->owner && !objects->at[i].shared)
			r = own_one(reach, &objects->at[i], patch, err);
	cJSON_Delete(patch);
	return r;
}

/* The sentence of what failed first comes first. */
static void undo(struct making *making, struct error *err)
{
	struct error first = *err, why;

	for (size_t i = making->objects->n; i-- > 0;) {
		const struct kube_object *object = &making->objects->at[i];

		if (!making->uid[i][0] || remove_one(making->reach, object,
						     making->uid[i], &why) == 0)
			continue;
		error_set(err, -EIO, "%.300s; and %s %s stays: %s", first.text,
			  object->kind->plural, object->name, why.text);
	}
}

int kube_make(struct reach *reach, struct kube_objects *objects,
	      const char *run_id, struct kube_patience *patience,
	      struct error *err)
{
	struct making making = {
		.reach = reach,
		.objects = objects,
		.run_id = run_id,
		.patience = patience,
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < objects->n; i++) {
		if (*patience->stop)
			r = error_set(err, -ECANCELED, "interrupted");
		else
			r = make_after(&making, i, err);
	}
	if (r == 0)
		r = kube_own(reach, objects, making.uid[objects->owner], err);
	if (r < 0) {
		objects->uid[0] = '\0';
		undo(&making, err);
	}
	return r;
}
