/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/cluster.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TICK = 100 };

#define TASK "heat-worker-"

__attribute__((format(printf, 2, 3))) static void say(struct cluster *c,
						      const char *fmt, ...)
{
	size_t n = strlen(c->text);
	va_list ap;

	n += (size_t)snprintf(c->text + n, sizeof(c->text) - n, "[%5.1f] ",
			      (double)c->now / 1e3);
	va_start(ap, fmt);
	vsnprintf(c->text + n, sizeof(c->text) - n, fmt, ap);
	va_end(ap);
	n = strlen(c->text);
	snprintf(c->text + n, sizeof(c->text) - n, "\n");
}

struct cluster_pod *cluster_find(struct cluster *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->pods[i].name, name) == 0)
			return &c->pods[i];
	return NULL;
}

static void show(struct cluster *c, const struct cluster_pod *pod)
{
	const struct pod_view view = {
		.name = pod->name,
		.uid = pod->uid,
		.why = pod->why ? pod->why : "",
		.phase = pod->phase,
		.hitch = pod->hitch,
		.ours = pod->ours,
		.ending = pod->ending,
	};
	enum pod_pool_news news;

	if (!c->deaf)
		pod_pool_on_pod(&c->pool, &view, c->now, &news, NULL);
}

struct cluster_pod *cluster_make(struct cluster *c, const char *name, bool ours)
{
	struct cluster_pod *pod = &c->pods[c->n++];

	*pod = (struct cluster_pod){
		.ours = ours, .made = c->now, .hitch = c->hitch, .why = c->why};
	snprintf(pod->name, sizeof(pod->name), "%s", name);
	snprintf(pod->uid, sizeof(pod->uid), "u%u", ++c->uids);
	show(c, pod);
	return pod;
}

void cluster_end(struct cluster *c, const char *name, enum pod_pool_phase phase,
		 const char *why)
{
	struct cluster_pod *pod = cluster_find(c, name);

	pod->phase = phase;
	pod->member = false;
	pod->why = why;
	show(c, pod);
}

void cluster_vanish(struct cluster *c, const char *name)
{
	struct cluster_pod *pod = cluster_find(c, name);

	if (!c->deaf)
		pod_pool_on_missing(&c->pool, name, c->now);
	*pod = c->pods[--c->n];
}

void cluster_release(struct cluster *c, const char *name)
{
	struct cluster_pod *pod = cluster_find(c, name);

	pod->leaving = true;
	pod->runs = c->now;
}

void cluster_list(struct cluster *c)
{
	pod_pool_list_begin(&c->pool);
	for (size_t i = 0; i < c->n; i++)
		show(c, &c->pods[i]);
	pod_pool_list_end(&c->pool, c->now, NULL, NULL);
}

void cluster_own(struct cluster *c, unsigned replicas, unsigned floor)
{
	c->replicas = replicas;
	c->floor = floor;
	pod_pool_set_owner(&c->pool, replicas, floor, "");
}

void cluster_hold(struct cluster *c, unsigned executors)
{
	say(c, "wished: %u", executors);
	pod_pool_set_wish(&c->pool, executors);
}

/* ---- what goes on by itself ---- */

static void begin_monitor(struct cluster *c, enum pod_pool_mode mode)
{
	const struct pod_pool_config config = {
		.mode = mode, .made = "heat-bellows-", .task = TASK};

	pod_pool_init(&c->pool, &config);
	pod_pool_set_owner(&c->pool, c->replicas, c->floor, "");
	cluster_list(c);
}

void cluster_init(struct cluster *c, enum pod_pool_mode mode)
{
	*c = (struct cluster){
		.start = SECONDS(1), .join = 500, .removal = SECONDS(1)};
	begin_monitor(c, mode);
}

void cluster_restart_monitor(struct cluster *c)
{
	enum pod_pool_mode mode = c->pool.config.mode;

	pod_pool_fini(&c->pool);
	begin_monitor(c, mode);
}

/* What the owner of the task does. */
static void keep_task(struct cluster *c)
{
	char name[POD_POOL_NAME_MAX];

	for (unsigned i = 0; i < c->replicas; i++) {
		snprintf(name, sizeof(name), TASK "%u", i);
		if (!cluster_find(c, name) && !c->stingy)
			cluster_make(c, name, false);
	}
	for (size_t i = c->n; i-- > 0;)
		if (pod_pool_number(c->pods[i].name, TASK) >= (long)c->replicas)
			cluster_vanish(c, c->pods[i].name);
}

static void live(struct cluster *c, struct cluster_pod *pod)
{
	if (pod->phase == POD_POOL_PENDING && pod->hitch == POD_POOL_NO_HITCH &&
	    c->start && c->now >= pod->made + c->start) {
		pod->phase = POD_POOL_RUNNING;
		pod->runs = c->now;
		show(c, pod);
	}
	if (pod->phase == POD_POOL_RUNNING && !pod->leaving && c->join &&
	    c->now >= pod->runs + c->join)
		pod->member = true;
	if (pod->phase == POD_POOL_RUNNING && pod->leaving &&
	    c->now >= pod->runs + 500)
		cluster_end(c, pod->name, POD_POOL_SUCCEEDED, "exit code 0");
}

static void tell_members(struct cluster *c)
{
	struct pod_pool_member members[CLUSTER_PODS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->pods[i].member)
			members[n++] = (struct pod_pool_member){
				c->pods[i].name, c->pods[i].leaving};
	pod_pool_set_members(&c->pool, members, n, c->now);
}

/* ---- what the pool asks for ---- */

static bool is_cut(struct cluster *c, const struct pod_pool_act *act)
{
	if (!c->cut || strcmp(act->name, c->cut) != 0)
		return false;
	c->cut = NULL;
	return true;
}

static int remove_pod(struct cluster *c, const struct pod_pool_act *act)
{
	struct cluster_pod *pod = cluster_find(c, act->name);

	if (is_cut(c, act)) {
		say(c, "remove %s, broken off", act->name);
		return -ECANCELED;
	}
	say(c, "remove %s", act->name);
	if (!pod)
		return -ENOENT;
	if (strcmp(pod->uid, act->uid) != 0)
		return -EAGAIN;
	pod->ending = true;
	pod->made = c->now;
	return 0;
}

static void carry_out(struct cluster *c, const struct pod_pool_act *act)
{
	const struct cluster_pod *pod = cluster_find(c, act->name);
	int r = 0;

	switch (act->kind) {
	case POD_POOL_CREATE:
		r = c->refusal ? c->refusal : pod ? -EEXIST : 0;
		say(c, "create %s%s", act->name, r ? ", refused" : "");
		if (r == 0)
			cluster_make(c, act->name, true);
		break;
	case POD_POOL_REMOVE:
		r = remove_pod(c, act);
		break;
	case POD_POOL_PATCH:
		r = c->refusal;
		say(c, "replicas %u%s", act->replicas, r ? ", refused" : "");
		if (r == 0)
			cluster_own(c, act->replicas, c->floor);
		break;
	}
	pod_pool_on_act_done(&c->pool, act, r, r ? c->refusal_text : "",
			     c->now);
}

static void turn(struct cluster *c)
{
	char trouble[POD_POOL_TEXT_MAX];
	struct pod_pool_plan plan;
	msec_t again;

	for (size_t i = c->n; i-- > 0;)
		if (c->pods[i].ending && c->now >= c->pods[i].made + c->removal)
			cluster_vanish(c, c->pods[i].name);
	keep_task(c);
	for (size_t i = 0; i < c->n; i++)
		live(c, &c->pods[i]);
	tell_members(c);
	pod_pool_decide(&c->pool, c->now, &plan);
	for (size_t i = 0; i < plan.n; i++)
		carry_out(c, &plan.acts[i]);
	pod_pool_error(&c->pool, c->now, trouble, &again);
	if (strcmp(trouble, c->trouble) != 0)
		say(c, "trouble: %s", *trouble ? trouble : "none");
	memcpy(c->trouble, trouble, sizeof(trouble));
}

void cluster_run(struct cluster *c, msec_t until)
{
	for (; c->now <= until; c->now += TICK)
		turn(c);
}

const char *cluster_transcript(struct cluster *c)
{
	static char text[sizeof(c->text)];

	memcpy(text, c->text, sizeof(text));
	c->text[0] = '\0';
	return text;
}
