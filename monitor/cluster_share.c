/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "monitor/cluster.h"
#include "monitor/pod_resize.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Pods that get the processors that their ranks need
 *
 *     needed --> pod is read --> patched --> looked at, until it has them
 *        ^                          |                |
 *        +---- refused, later ------+                | other shares are needed
 *        +-------------------------------------------+
 */

#define LOOK  SECONDS(3)
#define AGAIN SECONDS(5)

struct share {
	struct list link;
	struct cluster *p;
	char pod[POD_POOL_NAME_MAX];
	unsigned needed, asked; /* asked: of the API; 0: nothing */
	struct kube_call *call;
	struct loop_timer timer;
	char told[POD_POOL_TEXT_MAX]; /* what was logged last */
};

static void ask(void *user);
static void look(void *user);

static void tell(struct share *share, const char *why)
{
	if (strcmp(share->told, why) == 0)
		return;
	snprintf(share->told, sizeof(share->told), "%s", why);
	if (*why)
		log_warn("pod=%s has not got its %u shares of processors: %s",
			 share->pod, share->needed, why);
}

static struct kube_target target_of(const struct share *share,
				    const char *subresource)
{
	return (struct kube_target){
		.kind = &kube_pods,
		.namespace = share->p->namespace,
		.name = share->pod,
		.subresource = subresource,
	};
}

static void later(struct share *share, msec_t in, void (*fn)(void *user))
{
	loop_timer_set(share->p->loop, &share->timer, in, fn, share);
}

/* ---- what became of it ---- */

static void on_looked(void *user, const struct kube_answer *answer)
{
	struct share *share = user;
	char why[POD_POOL_TEXT_MAX];

	share->call = NULL;
	if (share->needed != share->asked) {
		ask(share);
		return;
	}
	if (answer->r == 0 &&
	    pod_resize_is_done(answer->object, share->asked, why)) {
		tell(share, "");
		return;
	}
	tell(share, answer->r < 0 ? answer->text : why);
	later(share, AGAIN, look);
}

static void read_pod(struct share *share, kube_answer_f fn)
{
	const struct kube_target target = target_of(share, NULL);
	struct error err;

	loop_timer_clear(&share->timer);
	if (kube_get(share->p->kube, &share->call, &target, 0, fn, share,
		     &err) == 0)
		return;
	tell(share, err.text);
	later(share, AGAIN, ask);
}

static void look(void *user)
{
	read_pod(user, on_looked);
}

/* ---- asking ---- */

static void on_patched(void *user, const struct kube_answer *answer)
{
	struct share *share = user;

	share->call = NULL;
	if (answer->r == 0) {
		if (share->needed != share->asked)
			ask(share);
		else
			later(share, LOOK, look);
		return;
	}
	share->asked = 0;
	tell(share, answer->r == -ENOENT
			    ? "this cluster cannot resize a pod that runs; "
			      "Kubernetes 1.33 and newer can"
			    : answer->text);
	later(share, AGAIN, ask);
}

static void on_read(void *user, const struct kube_answer *answer)
{
	struct share *share = user;
	const struct kube_target target = target_of(share, "resize");
	struct error err = {"it has no container"};
	cJSON *patch = NULL;
	int r = answer->r;

	share->call = NULL;
	if (r == 0)
		patch = pod_resize_make(answer->object, share->needed);
	share->asked = share->needed;
	if (patch)
		r = kube_patch_items(share->p->kube, &share->call, &target,
				     patch, 0, on_patched, share, &err);
	cJSON_Delete(patch);
	if (patch && r == 0)
		return;
	share->asked = 0;
	tell(share, answer->r < 0 ? answer->text : err.text);
	later(share, AGAIN, ask);
}

static void ask(void *user)
{
	read_pod(user, on_read);
}

/* ---- who needs what ---- */

static void forget(struct share *share)
{
	kube_cancel(share->call);
	loop_timer_clear(&share->timer);
	list_remove(&share->link);
	free(share);
}

static struct share *find(struct cluster *p, const char *pod)
{
	list_for_each (at, &p->shares) {
		struct share *share = CONTAINER(at, struct share, link);

		if (strcmp(share->pod, pod) == 0)
			return share;
	}
	return NULL;
}

static void need(struct cluster *p, const Bellows__V1__Member *member)
{
	struct share *share = find(p, member->name);

	if (!share) {
		share = calloc(1, sizeof(*share));
		if (!share)
			return; /* the next message says it again */
		share->p = p;
		snprintf(share->pod, sizeof(share->pod), "%s", member->name);
		list_append(&p->shares, &share->link);
	}
	if (share->needed == member->shares)
		return;
	share->needed = member->shares;
	if (!share->call) /* else its answer is looked at */
		ask(share);
}

static bool has_needs(const Bellows__V1__Job *job, const char *name)
{
	for (size_t i = 0; i < job->n_members; i++)
		if (strcmp(job->members[i]->name, name) == 0)
			return job->members[i]->shares > 0;
	return false;
}

void cluster_share(struct cluster *p, const Bellows__V1__Job *job)
{
	list_for_each (at, &p->shares) {
		struct share *share = CONTAINER(at, struct share, link);

		if (!has_needs(job, share->pod))
			forget(share);
	}
	for (size_t i = 0; i < job->n_members; i++)
		if (job->members[i]->shares > 0 &&
		    pod_pool_has(&p->pool, job->members[i]->name))
			need(p, job->members[i]);
}

void cluster_share_none(struct cluster *p)
{
	list_for_each (at, &p->shares)
		forget(CONTAINER(at, struct share, link));
}
