/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "monitor/cluster.h"
#include "monitor/pod_view.h"

#include <stdlib.h>
#include <string.h>

/*
 * What there is in the cluster: the owner, what pods are to be like, and the
 * pods
 */

#define READ_AGAIN SECONDS(5)

enum { PORT = 7000 }; /* of a coordinator in a pod */

static void on_timer(void *user)
{
	cluster_settle(user);
}

/* ---- pods, as they are seen ---- */

static void tell_news(struct cluster *p, enum pod_pool_news news,
		      const char *name, const char *how)
{
	unsigned have = pod_pool_alive(&p->pool);

	switch (news) {
	case POD_POOL_NOTHING:
		return;
	case POD_POOL_CAME:
		log_info("pod=%s have=%u", name, have);
		p->base.events->started(p->base.user, name, have);
		return;
	case POD_POOL_WENT:
		p->base.events->lost(p->base.user, name, how, have);
		return;
	}
}

/* Webhooks and LimitRanges may change what the template says. */
static void check_class(struct cluster *p, const cJSON *pod)
{
	const char *class = kube_text(pod, "status.qosClass");
	char text[POD_POOL_TEXT_MAX + 160];

	if (!p->exclusive || !class || pod_view_is_guaranteed(pod))
		return;
	p->exclusive = false;
	snprintf(
		text, sizeof(text),
		"pod %.*s is %.20s and not Guaranteed, so executors may share "
		"processors, against placement.exclusive: each container "
		"needs limits of cpu and memory that are equal to its requests",
		POD_POOL_NAME_MAX, kube_text(pod, "metadata.name"), class);
	if (p->base.events->shared)
		p->base.events->shared(p->base.user, text);
}

bool cluster_see(struct cluster *p, const cJSON *pod)
{
	char why[POD_POOL_TEXT_MAX];
	struct pod_view view;
	enum pod_pool_news news;
	struct error err;

	if (pod_view_read(&view, pod, owner_uid(&p->owner), why) != 0)
		return false;
	if (!view.ending)
		check_class(p, pod);
	if (pod_pool_on_pod(&p->pool, &view, loop_now(), &news, &err) < 0)
		log_error("pod=%s %s", view.name, err.text);
	else
		tell_news(p, news, view.name, *why ? why : "no reason given");
	return true;
}

static void on_listing(void *user)
{
	struct cluster *p = user;

	pod_pool_list_begin(&p->pool);
}

static void on_object(void *user, enum kube_change change, const cJSON *object)
{
	struct cluster *p = user;
	const char *name = kube_text(object, "metadata.name");

	p->blind = false;
	pod_pool_set_api_error(&p->pool, "");
	if (change == KUBE_THERE)
		cluster_see(p, object);
	else if (name)
		tell_news(p, pod_pool_on_missing(&p->pool, name, loop_now()),
			  name, "deleted");
	/* those of a list are looked at together */
	if (p->pool.listed)
		cluster_settle_soon(p);
}

static void on_missed(void *user, const char *name)
{
	tell_news(user, POD_POOL_WENT, name, "deleted");
}

static void on_listed(void *user)
{
	struct cluster *p = user;

	p->blind = false;
	pod_pool_list_end(&p->pool, loop_now(), on_missed, p);
	cluster_settle(p);
}

static void on_watch_trouble(void *user, const struct kube_answer *answer)
{
	struct cluster *p = user;

	log_warn("pods are not seen: %s", answer->text);
	p->blind = true;
	pod_pool_set_api_error(&p->pool, answer->text);
	cluster_settle(p);
}

static int watch_pods(struct cluster *p, struct error *err)
{
	static const struct kube_watch_events events = {
		.listing = on_listing,
		.object = on_object,
		.listed = on_listed,
		.trouble = on_watch_trouble,
	};
	const struct kube_target target = {
		.kind = &kube_pods,
		.namespace = p->namespace,
		.query = p->query,
	};

	return kube_watch_start(&p->watch, p->kube, &target, &events, p, err);
}

/* ---- the owner ---- */

static void on_unread(struct cluster *p, const char *text)
{
	log_warn("owner=%s not read: %s", p->owner.ref.name, text);
	pod_pool_set_api_error(&p->pool, text);
	loop_timer_set(p->loop, &p->timer, READ_AGAIN, on_timer, p);
}

void cluster_own(struct cluster *p)
{
	char objection[POD_POOL_TEXT_MAX];
	bool patches = p->pool.config.mode == POD_POOL_REPLICAS;

	owner_object_to(&p->owner, objection);
	if (strcmp(objection, p->objected) != 0) {
		memcpy(p->objected, objection, sizeof(objection));
		if (*objection)
			log_warn("%s", objection);
	}
	pod_pool_set_owner(&p->pool, owner_replicas(&p->owner),
			   owner_floor(&p->owner), patches ? objection : "");
	p->fresh = true;
}

static void on_all_read(struct cluster *p)
{
	struct error err;

	cluster_own(p);
	if (p->pool.listed && !p->blind)
		pod_pool_set_api_error(&p->pool, "");
	if (!p->watch && watch_pods(p, &err) < 0)
		on_unread(p, err.text);
	else
		cluster_settle(p);
}

static void read_one(struct cluster *p, const struct kube_kind *kind,
		     const char *name, const char *query, kube_answer_f fn)
{
	const struct kube_target target = {
		.kind = kind,
		.namespace = p->namespace,
		.name = name,
		.query = query,
	};
	struct error err;

	if (kube_get(p->kube, &p->reading, &target, 0, fn, p, &err) < 0)
		on_unread(p, err.text);
}

/* Where the monitor reaches it pods may not. */
static void on_coordinator(void *user, const struct kube_answer *answer)
{
	struct cluster *p = user;
	const char *ip = NULL;
	char *address;
	int n;

	p->reading = NULL;
	if (answer->r == 0)
		ip = kube_text(pod_view_choose(answer->object), "status.podIP");
	if (!ip) {
		on_unread(p, answer->r < 0 ? answer->text
					   : "the pod of the coordinator has "
					     "no address");
		return;
	}
	n = asprintf(&address, strchr(ip, ':') ? "[%s]:%d" : "%s:%d", ip, PORT);
	if (n < 0) {
		on_unread(p, "out of memory");
		return;
	}
	free(p->owner.coordinator);
	p->owner.coordinator = address;
	on_all_read(p);
}

static void go_on_reading(struct cluster *p)
{
	char query[POD_VIEW_QUERY_MAX];

	if (!p->find_coordinator) {
		on_all_read(p);
		return;
	}
	pod_view_query(query, p->owner.ref.name, "coordinator");
	read_one(p, &kube_pods, NULL, query, on_coordinator);
}

static void on_template(void *user, const struct kube_answer *answer)
{
	struct cluster *p = user;
	struct error err;

	p->reading = NULL;
	if (answer->r < 0)
		on_unread(p, answer->text);
	else if (owner_read_template(&p->owner, answer->object, &err) < 0)
		on_unread(p, err.text);
	else
		go_on_reading(p);
}

static void on_owner(void *user, const struct kube_answer *answer)
{
	struct cluster *p = user;
	struct error err;

	p->reading = NULL;
	if (answer->r < 0)
		on_unread(p, answer->text);
	else if (owner_read(&p->owner, answer->object, &err) < 0)
		on_unread(p, err.text);
	else if (p->owner.ref.kind == OWNER_VCJOB)
		go_on_reading(p);
	else
		read_one(p, &kube_podtemplates, p->podtemplate, NULL,
			 on_template);
}

void cluster_read(struct cluster *p)
{
	static const struct kube_kind *const kinds[] = {
		[OWNER_VCJOB] = &kube_vcjobs,
		[OWNER_JOB] = &kube_jobs,
		[OWNER_POD] = &kube_pods,
	};

	if (!p->reading)
		read_one(p, kinds[p->owner.ref.kind], p->owner.ref.name, NULL,
			 on_owner);
}

void cluster_read_again(struct cluster *p)
{
	p->fresh = false;
	loop_timer_clear(&p->timer);
}
