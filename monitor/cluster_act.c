/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "monitor/cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Acts, one call each, and the removal of all that is left at the end
 */

#define END_MAX SECONDS(10)

struct flight {
	struct list link;
	struct cluster *p;
	struct pod_pool_act act;
	struct kube_call *call;
};

static void land(struct flight *flight, int r, const char *text)
{
	struct cluster *p = flight->p;
	struct pod_pool_act act = flight->act;

	list_remove(&flight->link);
	free(flight);
	if (r < 0 && r != -EAGAIN)
		log_warn("%s%s: %s",
			 act.kind == POD_POOL_PATCH ? "replicas" : "pod=",
			 act.name, text);
	pod_pool_on_act_done(&p->pool, &act, r, text, loop_now());
	/* of many answers at once, the last is enough */
	cluster_settle_soon(p);
}

static struct kube_target target_of(const struct flight *flight)
{
	bool patch = flight->act.kind == POD_POOL_PATCH;

	return (struct kube_target){
		.kind = patch ? &kube_vcjobs : &kube_pods,
		.namespace = flight->p->namespace,
		.name = patch ? flight->p->owner.ref.name : flight->act.name,
	};
}

/* A pod of that name was there: ours, when a monitor before us made it, or an
 * answer got lost. */
static void on_found(void *user, const struct kube_answer *answer)
{
	struct flight *flight = user;
	char text[POD_POOL_TEXT_MAX];

	flight->call = NULL;
	if (answer->r < 0) {
		/* gone meanwhile: made again */
		land(flight, answer->r, answer->text);
		return;
	}
	if (cluster_see(flight->p, answer->object)) {
		land(flight, 0, "");
		return;
	}
	snprintf(text, sizeof(text),
		 "pod %s is there already and is not of this job: delete it",
		 flight->act.name);
	land(flight, -EEXIST, text);
}

static void on_created(void *user, const struct kube_answer *answer)
{
	struct flight *flight = user;
	const struct kube_target target = target_of(flight);
	struct error err;

	flight->call = NULL;
	if (answer->r == -EEXIST) {
		if (kube_get(flight->p->kube, &flight->call, &target, 0,
			     on_found, flight, &err) < 0)
			land(flight, -EIO, err.text);
		return;
	}
	if (answer->r == 0)
		cluster_see(flight->p, answer->object);
	land(flight, answer->r, answer->text);
}

static void on_removed(void *user, const struct kube_answer *answer)
{
	struct flight *flight = user;

	flight->call = NULL;
	land(flight, answer->r, answer->text);
}

static void on_patched(void *user, const struct kube_answer *answer)
{
	struct flight *flight = user;
	struct cluster *p = flight->p;
	struct error err;

	flight->call = NULL;
	if (answer->r < 0)
		cluster_read_again(p);
	else if (owner_read(&p->owner, answer->object, &err) < 0)
		log_warn("%s", err.text);
	else
		cluster_own(p);
	land(flight, answer->r, answer->text);
}

static int create_pod(struct flight *flight, struct error *err)
{
	const struct kube_target target = target_of(flight);
	cJSON *pod = owner_make_pod(&flight->p->owner, flight->act.name);
	int r;

	if (!pod)
		return error_set(err, -ENOMEM, "out of memory");
	r = kube_create_object(flight->p->kube, &flight->call, &target, pod, 0,
			       on_created, flight, err);
	cJSON_Delete(pod);
	return r;
}

static int patch_owner(struct flight *flight, struct error *err)
{
	const struct kube_target target = target_of(flight);
	struct cluster *p = flight->p;
	cJSON *patch = owner_make_patch(&p->owner, flight->act.replicas);
	int r;

	if (!patch)
		return error_set(err, -ENOMEM, "out of memory");
	log_info("owner=%s replicas=%u was=%u", p->owner.ref.name,
		 flight->act.replicas, owner_replicas(&p->owner));
	r = kube_patch(p->kube, &flight->call, &target, patch, 0, on_patched,
		       flight, err);
	cJSON_Delete(patch);
	return r;
}

static int begin_act(struct flight *flight, struct error *err)
{
	const struct kube_target target = target_of(flight);

	switch (flight->act.kind) {
	case POD_POOL_CREATE:
		return create_pod(flight, err);
	case POD_POOL_REMOVE:
		log_info("pod=%s removed", flight->act.name);
		return kube_delete(flight->p->kube, &flight->call, &target,
				   flight->act.uid, -1, 0, on_removed, flight,
				   err);
	case POD_POOL_PATCH:
		return patch_owner(flight, err);
	}
	return -EINVAL;
}

void cluster_act(struct cluster *p, const struct pod_pool_act *act)
{
	struct flight *flight = calloc(1, sizeof(*flight));
	struct error err = {"out of memory"};

	if (flight) {
		flight->p = p;
		flight->act = *act;
		list_append(&p->flights, &flight->link);
		if (begin_act(flight, &err) == 0)
			return;
		list_remove(&flight->link);
		free(flight);
	}
	log_error("pod=%s: %s", act->name, err.text);
	pod_pool_on_act_done(&p->pool, act, -EIO, err.text, loop_now());
}

void cluster_cancel(struct cluster *p)
{
	loop_timer_clear(&p->timer);
	if (p->watch)
		p->watch = kube_watch_stop(p->watch);
	p->reading = kube_cancel(p->reading);
	cluster_share_none(p);
	list_for_each (at, &p->flights) {
		struct flight *flight = CONTAINER(at, struct flight, link);

		kube_cancel(flight->call);
		pod_pool_on_act_done(&p->pool, &flight->act, -ECANCELED, "",
				     loop_now());
		list_remove(&flight->link);
		free(flight);
	}
}

/* ---- the end of a job ---- */

static void on_end_max(void *user)
{
	struct cluster *p = user;

	log_warn("some pods of the job are left; they go with their owner");
	loop_stop(p->loop, 0);
}

static void remove_next(struct cluster *p);

static void on_last_removed(void *user, const struct kube_answer *answer)
{
	struct flight *flight = user;
	struct cluster *p = flight->p;

	if (answer->r < 0 && answer->r != -ENOENT && answer->r != -EAGAIN)
		log_warn("pod=%s stays: %s", flight->act.name, answer->text);
	list_remove(&flight->link);
	free(flight);
	p->pool.flights--;
	remove_next(p);
}

static void remove_last(struct cluster *p, struct pod_pool_pod *pod)
{
	const struct kube_target target = {.kind = &kube_pods,
					   .namespace = p->namespace,
					   .name = pod->name};
	struct flight *flight = calloc(1, sizeof(*flight));
	struct error err = {"out of memory"};

	pod->removed = loop_now();
	if (!flight ||
	    kube_delete(p->kube, &flight->call, &target, pod->uid, -1, END_MAX,
			on_last_removed, flight, &err) < 0) {
		log_warn("pod=%s stays: %s", pod->name, err.text);
		free(flight);
		return;
	}
	flight->p = p;
	flight->act.kind = POD_POOL_REMOVE;
	memcpy(flight->act.name, pod->name, sizeof(pod->name));
	memcpy(flight->act.uid, pod->uid, sizeof(pod->uid));
	list_append(&p->flights, &flight->link);
	p->pool.flights++;
}

static void remove_next(struct cluster *p)
{
	for (size_t i = 0; i < p->pool.n; i++) {
		struct pod_pool_pod *pod = p->pool.pods[i];

		if (p->pool.flights >= POD_POOL_FLIGHTS_MAX)
			return;
		if (pod->ours && !pod->taken && !pod->asked && !pod->ending &&
		    pod->removed == 0)
			remove_last(p, pod);
	}
	if (p->pool.flights == 0)
		loop_stop(p->loop, 0);
}

void cluster_clear(struct cluster *p)
{
	loop_timer_set(p->loop, &p->timer, END_MAX, on_end_max, p);
	remove_next(p);
	if (p->pool.flights > 0)
		loop_run(p->loop);
}
