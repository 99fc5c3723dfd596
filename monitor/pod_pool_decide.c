/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/pod_pool_list.h"

#include <stdio.h>
#include <string.h>

static void at_the_latest(msec_t *again, msec_t at)
{
	if (*again == 0 || at < *again)
		*again = at;
}

static struct pod_pool_act *plan_act(struct pod_pool *s,
				     struct pod_pool_plan *plan,
				     enum pod_pool_act_kind kind,
				     const char *name)
{
	struct pod_pool_act *act = &plan->acts[plan->n++];

	*act = (struct pod_pool_act){.kind = kind};
	snprintf(act->name, sizeof(act->name), "%s", name);
	s->flights++;
	return act;
}

static bool has_flights(const struct pod_pool *s,
			const struct pod_pool_plan *plan)
{
	return s->flights < POD_POOL_FLIGHTS_MAX &&
	       plan->n < POD_POOL_FLIGHTS_MAX;
}

static void remove_pod(struct pod_pool *s, struct pod_pool_plan *plan,
		       struct pod_pool_pod *pod, msec_t now)
{
	struct pod_pool_act *act;

	if (!has_flights(s, plan))
		return;
	act = plan_act(s, plan, POD_POOL_REMOVE, pod->name);
	memcpy(act->uid, pod->uid, sizeof(act->uid));
	pod->removed = now;
}

/* Failed pods that are younger than this one. */
static unsigned younger(const struct pod_pool *s,
			const struct pod_pool_pod *pod)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->pods[i]->ours && s->pods[i]->phase == POD_POOL_FAILED &&
		     s->pods[i]->since > pod->since;
	return n;
}

static bool is_waste(const struct pod_pool *s, const struct pod_pool_pod *pod,
		     msec_t now)
{
	if (!pod->ours || pod->taken || pod->asked)
		return false;
	if (pod->phase == POD_POOL_SUCCEEDED)
		return true;
	if (pod->phase == POD_POOL_FAILED)
		return s->wish == 0 || younger(s, pod) >= POD_POOL_KEPT;
	return pod_has_parted(pod, now);
}

static void clear_away(struct pod_pool *s, msec_t now,
		       struct pod_pool_plan *plan)
{
	for (size_t i = 0; i < s->n; i++) {
		struct pod_pool_pod *pod = s->pods[i];

		if (pod->parted != 0 && !pod_has_parted(pod, now))
			at_the_latest(&plan->again,
				      pod->parted + POD_POOL_PARTED);
		if (!is_waste(s, pod, now) || pod->ending)
			continue;
		if (pod->removed == 0 || now - pod->removed >= POD_POOL_REPEAT)
			remove_pod(s, plan, pod, now);
		else
			at_the_latest(&plan->again,
				      pod->removed + POD_POOL_REPEAT);
	}
}

static unsigned serving(const struct pod_pool *s, msec_t now)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += pod_serves(s->pods[i], now);
	return n;
}

/* A pod to remove.  Only pods that never were members, for they have no ranks:
 * pending ones before running ones, then the highest number first. */
static struct pod_pool_pod *find_surplus(const struct pod_pool *s, msec_t now)
{
	struct pod_pool_pod *best = NULL;

	for (size_t i = 0; i < s->n; i++) {
		struct pod_pool_pod *pod = s->pods[i];

		if (!pod->ours || pod->asked || pod->joined ||
		    !pod_serves(pod, now))
			continue;
		if (!best || pod->phase < best->phase ||
		    (pod->phase == best->phase &&
		     pod_pool_number(pod->name, s->config.made) >
			     pod_pool_number(best->name, s->config.made)))
			best = pod;
	}
	return best;
}

static void shed(struct pod_pool *s, unsigned have, msec_t now,
		 struct pod_pool_plan *plan)
{
	struct pod_pool_pod *pod;

	for (; have > s->wish && has_flights(s, plan); have--) {
		pod = find_surplus(s, now);
		if (!pod)
			return;
		remove_pod(s, plan, pod, now);
	}
}

static void create_more(struct pod_pool *s, unsigned have, msec_t now,
			struct pod_pool_plan *plan)
{
	char name[POD_POOL_NAME_MAX];
	struct pod_pool_pod *pod;

	if (have < s->wish && now < s->not_before) {
		at_the_latest(&plan->again, s->not_before);
		return;
	}
	for (unsigned i = s->free; have < s->wish && has_flights(s, plan) &&
				   i < POD_POOL_EXECUTORS_MAX;
	     i++) {
		snprintf(name, sizeof(name), "%s%u", s->config.made, i);
		if (pods_find(s, name))
			continue;
		pod = pods_add(s, name, now);
		if (!pod)
			return;
		pod->asked = pod->ours = true;
		s->free = i + 1;
		plan_act(s, plan, POD_POOL_CREATE, name);
		have++;
	}
}

/* The pod of the task with that number; NULL: it is not there yet. */
static struct pod_pool_pod *of_task(const struct pod_pool *s, unsigned number)
{
	char name[POD_POOL_NAME_MAX];

	snprintf(name, sizeof(name), "%s%u", s->config.task, number);
	return pods_find(s, name);
}

/* Whether the pod has no ranks, and will get none. */
static bool may_be_cut(const struct pod_pool_pod *pod, unsigned have,
		       unsigned wish, msec_t now)
{
	if (!pod)
		return have > wish;
	if (pod_has_ended(pod) || pod_has_parted(pod, now))
		return true;
	return have > wish && !pod->joined && pod_serves(pod, now);
}

static void patch_task(struct pod_pool *s, unsigned have, msec_t now,
		       struct pod_pool_plan *plan)
{
	unsigned replicas = s->replicas;
	struct pod_pool_act *act;

	if (have < s->wish)
		replicas += s->wish - have;
	while (have >= s->wish && replicas > s->floor) {
		const struct pod_pool_pod *top = of_task(s, replicas - 1);

		if (!may_be_cut(top, have, s->wish, now))
			break;
		have -= !top || pod_serves(top, now);
		replicas--;
	}
	if (s->patching || *s->objection || replicas == s->replicas)
		return;
	if (now < s->not_before && (replicas > s->replicas || *s->refusal)) {
		at_the_latest(&plan->again, s->not_before);
		return;
	}
	act = &plan->acts[plan->n++];
	*act = (struct pod_pool_act){.kind = POD_POOL_PATCH,
				     .replicas = replicas};
	s->patching = true;
}

void pod_pool_decide(struct pod_pool *s, msec_t now, struct pod_pool_plan *plan)
{
	unsigned have;

	*plan = (struct pod_pool_plan){0};
	if (!s->held || !s->listed || !s->owned)
		return;
	if (s->members >= s->wish)
		s->short_since = 0;
	else if (s->short_since == 0)
		s->short_since = now;
	clear_away(s, now, plan);
	have = serving(s, now) + pods_promised(s);
	switch (s->config.mode) {
	case POD_POOL_PODS:
		shed(s, have, now, plan);
		create_more(s, have, now, plan);
		return;
	case POD_POOL_REPLICAS:
		if (has_flights(s, plan))
			patch_task(s, have, now, plan);
		return;
	}
}
