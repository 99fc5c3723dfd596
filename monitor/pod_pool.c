/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/pod_pool_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pod_pool_init(struct pod_pool *s, const struct pod_pool_config *config)
{
	*s = (struct pod_pool){.config = *config};
}

void pod_pool_fini(struct pod_pool *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->pods[i]);
	free(s->pods);
	s->pods = NULL;
	s->n = s->room = 0;
}

/* ---- failures ---- */

static void on_failure(struct pod_pool *s, msec_t now)
{
	msec_t pause = POD_POOL_PAUSE << (s->failures < 5 ? s->failures : 5);

	/* those that end together are one */
	if (now < s->not_before)
		return;
	s->failures++;
	s->not_before =
		now + (pause < POD_POOL_PAUSE_MAX ? pause : POD_POOL_PAUSE_MAX);
}

static void on_end(struct pod_pool *s, const struct pod_pool_pod *pod,
		   msec_t now)
{
	bool soon = now - pod->since < POD_POOL_SOON && !pod->joined;

	if (pod->removed != 0)
		return;
	if (pod->phase == POD_POOL_FAILED || soon) {
		snprintf(s->failure, sizeof(s->failure), "%s ended: %.150s",
			 pod->name, *pod->why ? pod->why : "it left at once");
		on_failure(s, now);
	} else if (s->not_before < now + POD_POOL_NEWS) {
		s->not_before = now + POD_POOL_NEWS;
	}
}

/* ---- what is so ---- */

void pod_pool_set_wish(struct pod_pool *s, unsigned executors)
{
	if (executors != s->wish) {
		s->failures = 0;
		s->not_before = 0;
		s->refusal[0] = s->failure[0] = '\0';
	}
	s->wish = executors;
	s->held = true;
}

void pod_pool_set_owner(struct pod_pool *s, unsigned replicas, unsigned floor,
			const char *objection)
{
	s->owned = true;
	s->replicas = replicas;
	s->floor = floor;
	snprintf(s->objection, sizeof(s->objection), "%s", objection);
}

static void on_joined(struct pod_pool *s, struct pod_pool_pod *pod)
{
	if (!pod->joined && pod->ours) {
		s->failures = 0;
		s->failure[0] = '\0';
	}
	pod->joined = true;
	pod->parted = 0;
}

void pod_pool_set_members(struct pod_pool *s,
			  const struct pod_pool_member *members, size_t n,
			  msec_t now)
{
	s->members = 0;
	for (size_t i = 0; i < s->n; i++)
		s->pods[i]->seen = false;
	for (size_t i = 0; i < n; i++) {
		struct pod_pool_pod *pod = pods_find(s, members[i].name);

		s->members += !members[i].leaving;
		if (!pod)
			continue;
		on_joined(s, pod);
		pod->seen = true;
		pod->leaving = members[i].leaving;
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->pods[i]->joined && !s->pods[i]->seen &&
		    s->pods[i]->parted == 0)
			s->pods[i]->parted = now;
	if (s->members >= s->wish)
		s->failure[0] = '\0';
}

static bool is_name(const char *name)
{
	return *name && strlen(name) < POD_POOL_NAME_MAX;
}

int pod_pool_on_pod(struct pod_pool *s, const struct pod_view *view, msec_t now,
		    enum pod_pool_news *news, struct error *err)
{
	struct pod_pool_pod *pod = pods_find(s, view->name);
	bool was_here, ended, same;

	*news = POD_POOL_NOTHING;
	if (!is_name(view->name))
		return 0;
	if (!pod)
		pod = pods_add(s, view->name, now);
	if (!pod)
		return error_set(err, -ENOMEM, "out of memory");
	same = strncmp(pod->uid, view->uid, sizeof(pod->uid) - 1) == 0;
	was_here = same && pod_is_here(pod);
	ended = same && pod_has_ended(pod);
	if (!same) {
		char name[POD_POOL_NAME_MAX];

		memcpy(name, pod->name, sizeof(name));
		*pod = (struct pod_pool_pod){.since = now,
					     .phase = view->phase};
		memcpy(pod->name, name, sizeof(name));
		snprintf(pod->uid, sizeof(pod->uid), "%s", view->uid);
	}
	if (pod->phase != view->phase && (view->phase == POD_POOL_PENDING ||
					  view->phase == POD_POOL_RUNNING))
		pod->since = now;
	pod->asked = pod->taken = false;
	pod->listed = true;
	pod->phase = view->phase;
	pod->hitch = view->hitch;
	pod->ours = view->ours;
	pod->ending = view->ending;
	snprintf(pod->why, sizeof(pod->why), "%s", view->why);
	if (pod_has_ended(pod) && !ended && was_here)
		on_end(s, pod, now);
	if (was_here == pod_is_here(pod))
		return 0;
	*news = was_here ? POD_POOL_WENT : POD_POOL_CAME;
	return 0;
}

enum pod_pool_news pod_pool_on_missing(struct pod_pool *s, const char *name,
				       msec_t now)
{
	struct pod_pool_pod *pod = pods_find(s, name);
	bool was_here;

	if (!pod || pod->asked)
		return POD_POOL_NOTHING;
	was_here = pod_is_here(pod);
	if (was_here && pod->ours && pod->removed == 0 && !pod->leaving) {
		snprintf(s->failure, sizeof(s->failure), "%s was deleted",
			 pod->name);
		on_failure(s, now);
	}
	pods_forget(s, name);
	return was_here ? POD_POOL_WENT : POD_POOL_NOTHING;
}

void pod_pool_list_begin(struct pod_pool *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->pods[i]->listed = false;
}

void pod_pool_list_end(struct pod_pool *s, msec_t now,
		       void (*gone)(void *user, const char *name), void *user)
{
	for (size_t i = s->n; i-- > 0;) {
		char name[POD_POOL_NAME_MAX];

		if (s->pods[i]->listed || s->pods[i]->asked ||
		    s->pods[i]->taken)
			continue;
		memcpy(name, s->pods[i]->name, sizeof(name));
		if (pod_pool_on_missing(s, name, now) == POD_POOL_WENT && gone)
			gone(user, name);
	}
	s->listed = true;
	s->away[0] = '\0';
}

void pod_pool_set_api_error(struct pod_pool *s, const char *why)
{
	snprintf(s->away, sizeof(s->away), "%s", why);
}

/* ---- what became of an act ---- */

static void refused(struct pod_pool *s, const char *text, msec_t now)
{
	snprintf(s->refusal, sizeof(s->refusal), "%s", text);
	on_failure(s, now);
}

static void created(struct pod_pool *s, const struct pod_pool_act *act, int r,
		    const char *text, msec_t now)
{
	struct pod_pool_pod *pod = pods_find(s, act->name);

	if (r == 0) {
		s->refusal[0] = '\0';
		return;
	}
	if (pod && !pod->asked)
		return;
	if (r == -EEXIST && pod) {
		pod->asked = false;
		pod->taken = true;
		snprintf(s->refusal, sizeof(s->refusal), "%s", text);
		return;
	}
	if (pod)
		pods_forget(s, act->name);
	if (r != -ECANCELED)
		refused(s, text, now);
}

static void removed(struct pod_pool *s, const struct pod_pool_act *act, int r,
		    msec_t now)
{
	struct pod_pool_pod *pod = pods_find(s, act->name);

	if (!pod || strcmp(pod->uid, act->uid) != 0)
		return;
	if (r == -ENOENT)
		pods_forget(s, act->name);
	else
		pod->removed = r == -ECANCELED ? 0 : now;
}

void pod_pool_on_act_done(struct pod_pool *s, const struct pod_pool_act *act,
			  int r, const char *text, msec_t now)
{
	switch (act->kind) {
	case POD_POOL_CREATE:
		s->flights--;
		created(s, act, r, text, now);
		return;
	case POD_POOL_REMOVE:
		s->flights--;
		removed(s, act, r, now);
		return;
	case POD_POOL_PATCH:
		s->patching = false;
		if (r == 0)
			s->refusal[0] = '\0';
		else if (r != -EAGAIN && r != -ECANCELED)
			refused(s, text, now);
		return;
	}
}
