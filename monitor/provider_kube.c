/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Executors that are pods
 *
 * The pool says what is to be done; the API does it, from here.
 *
 * Pods outlive their monitor: the next one finds them by their labels.  Pods
 * that the monitor made are removed only when the job is over and none are
 * wanted any more; without a monitor then, they are removed with their owner.
 */

#include "base/list.h"
#include "base/log.h"
#include "monitor/cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the wish ---- */

static void on_timer(void *user)
{
	cluster_settle(user);
}

static void wake_at(struct cluster *p, msec_t a, msec_t b)
{
	msec_t now = loop_now(), at = a == 0 || (b > 0 && b < a) ? b : a;

	loop_timer_clear(&p->timer);
	if (at > 0)
		loop_timer_set(p->loop, &p->timer, at > now ? at - now : 0,
			       on_timer, p);
}

void cluster_settle_soon(struct cluster *p)
{
	if (!p->ending)
		loop_timer_set(p->loop, &p->timer, 0, on_timer, p);
}

void cluster_settle(struct cluster *p)
{
	struct pod_pool_plan plan = {0};
	char text[POD_POOL_TEXT_MAX];
	msec_t again;

	if (p->ending)
		return;
	if (p->fresh)
		pod_pool_decide(&p->pool, loop_now(), &plan);
	for (size_t i = 0; i < plan.n; i++)
		cluster_act(p, &plan.acts[i]);
	pod_pool_error(&p->pool, loop_now(), text, &again);
	provider_trouble(&p->base, "%s", text);
	if (p->fresh)
		wake_at(p, plan.again, again);
	else if (!loop_timer_is_set(&p->timer))
		cluster_read(p);
}

static void cluster_on_job(struct provider *base, const Bellows__V1__Job *job)
{
	struct cluster *p = CONTAINER(base, struct cluster, base);
	struct pod_pool_member *members;

	members = calloc(job->n_members + 1, sizeof(*members));
	if (!members)
		return;
	for (size_t i = 0; i < job->n_members; i++)
		members[i] = (struct pod_pool_member){
			.name = job->members[i]->name,
			.leaving =
				strcmp(job->members[i]->state, "leaving") == 0};
	pod_pool_set_members(&p->pool, members, job->n_members, loop_now());
	free(members);
	cluster_share(p, job);
}

static int cluster_hold(struct provider *base, unsigned executors,
			struct error *err)
{
	struct cluster *p = CONTAINER(base, struct cluster, base);

	if (executors > POD_POOL_EXECUTORS_MAX)
		return error_set(err, -ERANGE, "%u executors; at most %d",
				 executors, (int)POD_POOL_EXECUTORS_MAX);
	if (executors > p->pool.wish)
		cluster_read_again(p);
	pod_pool_set_wish(&p->pool, executors);
	cluster_settle(p);
	return 0;
}

/* ---- the beginning and the end ---- */

static void cluster_free(struct cluster *p)
{
	if (!p)
		return;
	cluster_cancel(p);
	pod_pool_fini(&p->pool);
	owner_fini(&p->owner);
	kube_destroy(p->kube);
	free(p);
}

DEFINE_CLEANUP(struct cluster, cluster_free)

/* Pods are elsewhere; what means this machine means nothing to them. */
static bool is_of_this_machine(const char *address)
{
	return strncmp(address, "unix:", 5) == 0 ||
	       strncmp(address, "127.", 4) == 0 ||
	       strncmp(address, "localhost:", 10) == 0 ||
	       strncmp(address, "[::1]:", 6) == 0;
}

static void name_all(struct cluster *p, const struct provider_config *config)
{
	const struct provider_cluster *where = config->cluster;
	const char *name = p->owner.ref.name;

	snprintf(p->made, sizeof(p->made), "%s-bellows-", name);
	snprintf(p->task, sizeof(p->task), "%s-%.60s-", name, p->owner.task);
	pod_view_query(p->query, name, "executor");
	if (where->podtemplate)
		snprintf(p->podtemplate, sizeof(p->podtemplate), "%s",
			 where->podtemplate);
	else
		snprintf(p->podtemplate, sizeof(p->podtemplate), "%s-worker",
			 name);
	snprintf(p->namespace, sizeof(p->namespace), "%s",
		 where->namespace ? where->namespace
				  : kube_config_namespace(config->kube));
}

static int cluster_create(struct provider **out,
			  const struct provider_config *config,
			  struct error *err)
{
	CLEANUP(cluster_free) struct cluster *p = calloc(1, sizeof(*p));
	const struct provider_cluster *where = config->cluster;
	struct pod_pool_config pool = {0};
	struct owner_name ref;
	int r;

	if (!p)
		return error_set(err, -ENOMEM, "out of memory");
	p->base = (struct provider){.ops = &provider_kube,
				    .events = config->events,
				    .user = config->user};
	p->loop = config->loop;
	list_init(&p->flights);
	list_init(&p->shares);
	r = owner_parse(&ref, where->owner, err);
	if (r < 0)
		return r;
	r = owner_init(&p->owner, &ref, where->task ? where->task : "worker",
		       config->coordinator);
	if (r < 0)
		return error_set(err, r, "out of memory");
	r = kube_create(&p->kube, p->loop, config->kube, err);
	if (r < 0)
		return r;
	p->exclusive = config->exclusive;
	p->find_coordinator = is_of_this_machine(config->coordinator);
	name_all(p, config);
	pool.mode = where->mode && strcmp(where->mode, "replicas") == 0
			    ? POD_POOL_REPLICAS
			    : POD_POOL_PODS;
	pool.made = p->made;
	pool.task = ref.kind == OWNER_VCJOB ? p->task : NULL;
	pod_pool_init(&p->pool, &pool);
	*out = &STEAL(p)->base;
	return 0;
}

static int cluster_adopt(struct provider *base, struct error *err)
{
	cluster_settle(CONTAINER(base, struct cluster, base));
	return 0;
}

static void cluster_destroy(struct provider *base)
{
	struct cluster *p = CONTAINER(base, struct cluster, base);

	p->ending = true;
	cluster_cancel(p);
	if (p->pool.held && p->pool.wish == 0)
		cluster_clear(p);
	cluster_free(p);
}

const struct provider_ops provider_kube = {
	.name = "kube",
	.elsewhere = true,
	.create = cluster_create,
	.adopt = cluster_adopt,
	.on_job = cluster_on_job,
	.hold = cluster_hold,
	.destroy = cluster_destroy,
};
